package runner

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wallClock matches code that takes a time of day, rather than a difference of two readings of the monotonic clock.
var wallClock = regexp.MustCompile(`\.UTC\(\)|\.Local\(\)|\.Unix\w*\(|\.ModTime\(\)|time\.(Date|Unix|Parse)\w*\(|\.Round\(0\)`)

// A jump of the clock changes no number: these files alone know the time of day.
func TestWhoKnowsTheTimeOfDay(t *testing.T) {
	allowed := map[string]string{
		"runner/cell.go":              "start and end in the timing of a record",
		"runner/provenance.go":        "the name of a process that cannot read its own file",
		"runner/speeds.go":            "whether kept speeds are of this program, and how old they are",
		"results/imports/notation.go": "nothing: it reads times of day that others wrote",
		"results/files/files.go":      "the age of temporary files",
		"runner/shards/lease.go":      "when a lease was taken and renewed, for people",
		"runner/shards/plan.go":       "which plan is the latest; the age of a heartbeat, between two times of the file system",
		"plots/drawings/pdf.go":       "the date in PDF files, which is always the same",

		"runner/programs/folder.go": "the age of folders of killed runs, for their removal; whether a program changed a shared file of rows",
		"results/baseline/log.go":   "whether the time of an entry is one, for people",
		"results/builds/builds.go":  "whether a program is older than the last move of its checkout",
		"results/bundles/write.go":  "the time of every entry of a bundle, which is always the same",
	}
	found := map[string]bool{}
	for _, dir := range []string{"algos", "experiments", "plots", "results", "runner"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if name := strings.TrimPrefix(filepath.ToSlash(path), "../"); wallClock.Match(text) {
				found[name] = true
				assert.Contains(t, allowed, name, "%s", wallClock.Find(text))
			}
			return nil
		})
		require.NoError(t, err)
	}
	assert.Len(t, found, len(allowed))
}
