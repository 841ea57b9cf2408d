package lessons_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/algos/methods"
	"repro/docs/lessons"
	"repro/docs/lessons/lessonstest"
)

// Time limits of all lessons together and of each, in seconds of computing.
const (
	mostTogether = 480
	mostEach     = 60
)

// TestWalks walks through every lesson.
func TestWalks(t *testing.T) {
	all, err := lessons.Read()
	require.NoError(t, err)
	sum := 0.0
	for _, l := range all {
		sum += l.Seconds()
		assert.LessOrEqual(t, l.Seconds(), float64(mostEach), "%s: seconds", l.File)
	}
	assert.LessOrEqual(t, sum, float64(mostTogether), "seconds of all lessons")
	for _, l := range all {
		if testing.Short() && l.Number > 1 {
			break
		}
		t.Run(l.Name, func(t *testing.T) { lessonstest.Walk(t, l.Name, folder(t, l.Name)) })
	}
}

// folder is one that the tests of plots/site share, where REPRO_LESSONS names it: every lesson then runs once.
func folder(t *testing.T, name string) string {
	shared := os.Getenv("REPRO_LESSONS")
	if shared == "" {
		return t.TempDir()
	}
	dir := filepath.Join(shared, name)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	return dir
}
