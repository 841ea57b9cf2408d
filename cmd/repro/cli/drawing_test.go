package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
)

// The flags of report set the format, the size and the font of every figure.
func TestReportDrawsForTalksAndPapers(t *testing.T) {
	workplace(t)
	withFigure(t)
	ok(t, "run", "tiny.toml")
	stem := filepath.Join("out", "figures", "own", "tiny", "convergence")
	assert.FileExists(t, stem+".svg")
	assert.NoFileExists(t, stem+".pdf", "made on demand")
	require.NoError(t, os.RemoveAll(filepath.Join("out", "figures")))

	ok(t, "report", "tiny.toml", "--style", "slides", "--width", "16cm", "--font", "20pt", "--format", "pgf,pdf")
	tex, err := os.ReadFile(stem + ".pgf")
	require.NoError(t, err)
	assert.Contains(t, string(tex), `\fontsize{20pt}{20pt}\selectfont`, "axis labels")
	assert.Contains(t, string(tex), `{453.54pt}{255.12pt}`, "16 cm by 9 cm")
	assert.FileExists(t, stem+".pdf")
	assert.NoFileExists(t, stem+".svg")
	assert.NoFileExists(t, stem+".png")

	for _, c := range [][2]string{
		{"--style=poster", "want paper, slides, dark"}, {"--width=16", "want a width of 3 to 100 cm with its unit, such as 16cm"},
		{"--font=huge", "want a size of 4 to 100 points, such as 20pt"}, {"--format=svg,gif", "want some of svg,png,pdf,pgf, separated by commas"},
	} {
		o := repro(t, "report", "tiny.toml", c[0])
		assert.Equal(t, int(exits.Error), o.status, c[0])
		assert.Contains(t, strings.ReplaceAll(o.errors, "\n", " "), c[1])
	}
}
