package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/findings"
	"repro/results/claims"
)

// The site has every page, and the scoreboard of the shipped verdicts; writing it runs nothing.
func TestDocs(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "") // no go, which would build the program of the playground: a minute
	o := repro(t, "docs", "--out", "site")
	require.Zero(t, o.status, o.errors)
	assert.Contains(t, o.errors, "pages written; open "+filepath.Join("site", "index.html"))
	for _, name := range []string{"index", "search", "spec", "papers/dai2014", "lessons/01-why-random-features"} {
		assert.FileExists(t, filepath.Join("site", filepath.FromSlash(name)+".html"))
	}
	page, err := os.ReadFile(filepath.Join("site", "scoreboard.html"))
	require.NoError(t, err)
	board, err := findings.Shipped(nil)
	require.NoError(t, err)
	printed := board.Score.Of(claims.PrintedNumber)
	assert.Contains(t, string(page), fmt.Sprintf("<td>printed numbers</td>\n<td align=\"right\">%d</td>\n<td align=\"right\">%d</td>", printed.Claims, printed.Reproduced))
	assert.Contains(t, string(page), `<a href="papers/dai2014.html">`)
	assert.NoDirExists(t, "lessons-work")
}
