package smoothing

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/clitest"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// Each doubling of x takes an error c·x^a times 2^a, whatever c is.
func TestDoublings(t *testing.T) {
	fig := claims.Figure{ID: "doublings", Kind: "doublings", X: "step", Y: "error"}
	exp := claims.Experiment{ID: "paper1999/demo", Methods: []claims.Method{{ID: "a"}, {ID: "none"}}, Figures: []claims.Figure{fig}, Profile: "paper"}
	recs := []*records.Record{recordstest.Power("a", 1, 3, -1), recordstest.Power("a", 2, 5, -0.5)}
	f, err := figures.Build(t.TempDir(), claims.Case{Experiment: exp, Records: recs}, fig)
	require.NoError(t, err)
	require.Len(t, f.Curves.Lines, 1)
	line := f.Curves.Lines[0]
	require.Len(t, line.X, 19, "20 steps, the first has no half")
	for i := range line.X {
		assert.InDelta(t, math.Pow(2, -0.75), line.Y[i], 1e-12, "rounding of powers")
		assert.Less(t, line.Low[i], line.Y[i])
	}
	assert.Equal(t, []string{"none: no value and one at half of its step"}, f.Warnings)
	_, err = figures.Build(t.TempDir(), claims.Case{Experiment: exp}, fig)
	assert.ErrorIs(t, err, figures.ErrNoData)
}

// The program knows the kind: the loader its keys, the report its drawing and its caption.
func TestDoublingsByName(t *testing.T) {
	spec, err := os.ReadFile("specs/smoothing/last-doubling.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	clitest.Run(t, 0, "run", "smoothing/last-doubling", "--profile", "smoke")
	points, err := os.ReadFile(filepath.Join("out", "figures", "smoothing", "last-doubling", "doublings.csv"))
	require.NoError(t, err)
	assert.Contains(t, string(points), `line,"SGD, 12 bins",256,`)
	page, err := os.ReadFile(filepath.Join("out", "report.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "bands are 95 % intervals of the geometric means.")

	for old, test := range map[string]struct{ new, want string }{
		"y = \"l2-error\"\n": {"", `figure "doublings".y: missing; choose one of l2-error`},
		`y = "l2-error"`:     {"y = \"l2-error\"\nscale = \"linear\"", `figure "doublings".scale: has no effect on a figure of kind "doublings"; remove it`},
		`"doublings" # of`:   {`"doubling" # of`, `unknown kind "doubling"; did you mean "doublings"?`},
		`x = "step" # of`:    {`x = "seconds" # of`, `figure "doublings".x: half of a time is not half of the work`},
	} {
		require.NoError(t, os.WriteFile("mine.toml", bytes.ReplaceAll(spec, []byte(old), []byte(test.new)), 0o644))
		assert.Contains(t, clitest.Run(t, 2, "plan", "mine.toml"), test.want)
	}
}
