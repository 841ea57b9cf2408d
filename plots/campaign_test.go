package plots

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
)

// However a file of predictions is damaged, the figure is drawn, or left out because nothing can be shown: no error and no
// panic. The files here have no checksum in a record, so values that can be read are drawn.
func TestDamagedPredictionsNeverStopAReport(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	writeSurfaces(t, dir, exp, 3)
	const five = "x,f\n0,0\n1,0.1\n2,0.3\n3,0.4\n4,0.5\n"
	writeFunctions(t, dir, exp.ID, map[string]string{"truth": five, "dsg-seed0": five, "sample": "x,y\n0.2,9\n0.4,-3\n"})
	functions := claims.Figure{ID: "fits", Kind: "functions", X: "step", Y: "l2-error"}
	rng := rand.New(rand.NewPCG(14, 11))
	drawn := 0
	for _, c := range []struct {
		fig  claims.Figure
		path string
	}{
		{exp.Figures[2], figures.SurfacePath(dir, exp.ID, "truth")}, {exp.Figures[2], figures.SurfacePath(dir, exp.ID, "dsg-seed0")},
		{functions, figures.FunctionPath(dir, exp.ID, "truth")}, {functions, figures.FunctionPath(dir, exp.ID, "dsg-seed0")},
		{functions, figures.FunctionPath(dir, exp.ID, "sample")},
	} {
		whole, err := os.ReadFile(c.path)
		require.NoError(t, err)
		for range rounds {
			data := bytes.Clone(whole)
			i := rng.IntN(len(data))
			switch rng.IntN(4) {
			case 0:
				data[i] ^= 1 << rng.IntN(8)
			case 1:
				data = data[:i]
			case 2:
				data = slices.Insert(data, i, []byte([]string{"e", "9", "-", "e30", "e300", "e-300", "\n", ",", "\x00", "NaN", "Inf"}[rng.IntN(11)])...)
			case 3:
				data = slices.Delete(data, i, min(len(data), i+1+rng.IntN(10)))
			}
			require.NoError(t, os.WriteFile(c.path, data, 0o666))
			f, err := figures.Build(dir, caseOf(exp, recs, nil), c.fig)
			if err == nil {
				_, err = drawings.Render(f)
				drawn++
			}
			if !errors.Is(err, figures.ErrNoData) {
				require.NoError(t, err, "%s: %q", c.path, data)
			}
		}
		require.NoError(t, os.WriteFile(c.path, whole, 0o666))
	}
	t.Logf("%d damaged files, %d figures drawn", 5*rounds, drawn)
}
