package plots

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

func TestWriteTable(t *testing.T) {
	for name, d := range map[string]*Table{"errors": tableOf(t), "places": placesOf(t)} {
		dir := t.TempDir()
		paths, err := writeTable(dir, "paper1999/demo", d)
		require.NoError(t, err)
		require.Len(t, paths, 3)
		for i, ext := range []string{".md", ".csv", ".tex"} {
			assert.Equal(t, filepath.Join(dir, "tables", "paper1999", "demo", name+ext), paths[i])
			text, err := os.ReadFile(paths[i])
			require.NoError(t, err)
			goldentest.Equal(t, filepath.Join("testdata", name+ext), string(text))
		}
	}
}

func TestNumbersHaveTheDigitsTheirSpreadBears(t *testing.T) {
	tests := []struct {
		median, low, high float64
		seeds             int
		want, latex       string
	}{
		{0.03412, 0.0335, 0.0349, 5, "0.03412 [0.03350, 0.03490]", "$0.03412$ [$0.03350$, $0.03490$]"},
		{15.34, 14, 16, 5, "15.3 [14.0, 16.0]", "$15.3$ [$14.0$, $16.0$]"},
		{1234.5, 1000, 1500, 5, "1234 [1000, 1500]", ""},
		{3.412e-5, 3.3e-5, 3.5e-5, 5, "3.41e-05 [3.30e-05, 3.50e-05]", `$3.41\times 10^{-5}$ [$3.30\times 10^{-5}$, $3.50\times 10^{-5}$]`},
		{4194304, 4194304, 4194304, 5, "4.194e+06 [4.194e+06, 4.194e+06]", ""},
		{2, 1, math.Inf(1), 5, "2 [1, ∞]", `$2$ [$1$, $\infty$]`},
		{0.25, 0.25, 0.25, 1, "0.25", "$0.25$"},
		{0, 0, 0, 1, "0", ""},
		{0.5, 0.5, 0.5 + 1e-12, 4, "0.500000 [0.500000, 0.500000]", ""},
		{math.Inf(1), 2, math.Inf(1), 4, "diverged", "diverged"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			c := Cell{Median: test.median, Low: test.low, High: test.high, Seeds: test.seeds}
			assert.Equal(t, test.want, c.text(plain))
			if test.latex != "" {
				assert.Equal(t, test.latex, c.text(mathematics))
			}
		})
	}
}
