package siege

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = "../../docs/robustness.md"

// docs/robustness.md has a row for every fault, with as many tries as the list says or more and no failure.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `") {
			rows++
		}
	}
	assert.Equal(t, len(All()), rows)
	for _, f := range All() {
		_, rest, ok := strings.Cut(string(text), f.head())
		if !assert.True(t, ok, "docs/robustness.md has no row for %s: run the campaign with -run TestProcesses/%s -update", f.ID, f.ID) {
			continue
		}
		cells := strings.Split(rest, "|")
		require.Greater(t, len(cells), 2)
		tries, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		require.NoError(t, err, f.ID)
		assert.GreaterOrEqual(t, tries, f.Tries, "tries of %s", f.ID)
		assert.Equal(t, "0", strings.TrimSpace(cells[1]), "failures of %s", f.ID)
	}
}

func TestReplace(t *testing.T) {
	f := Fault{ID: "b", Says: "x"}
	table := "text\n\n| `a` y | 1 | 0 |  |\n| `b` x | 1 | 1 |  |\n\nend\n"
	assert.Equal(t, "text\n\n| `a` y | 1 | 0 |  |\n| `b` x | 5 | 0 | n |\n\nend\n", Replace(table, f, f.Row(5, 0, "n")))
	assert.Equal(t, "| h |\n| `b` x | 5 | 0 |  |\nend\n", Replace("| h |\nend\n", f, f.Row(5, 0, "")))
}
