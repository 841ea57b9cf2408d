package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Cells that may store much run one at a time, and so does the plan reckon their memory.
func TestPlanOfCellsThatRunAlone(t *testing.T) {
	workplace(t)
	memory := func(set string) string {
		m := regexp.MustCompile(`and (\S+ \S+) of memory on 4 processors`).FindStringSubmatch(ok(t, "plan", "--threads", "4", "tiny.toml", "--set", set).out)
		require.Len(t, m, 2)
		return m[1]
	}
	alone := memory("memory=2.0")
	assert.Equal(t, memory("repeat.timed=true"), alone)
	assert.NotEqual(t, memory("memory=1.0"), alone)
}
