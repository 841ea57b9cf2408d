package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn is a claim about a published curve, without the table of the curve.
const drawn = `
[[claim]]
id = "drawn"
kind = "curve"
statement = "the curve of the figure"
source = "Fig. 1"
method = "dsg"
metric = "l2-error"
x = "step"
curve = "p"
published_is = "run"
published_says = "Fig. 1"
`

// TestPublishedCurves: points of a file stand in the spec as if they were written there, and what is wrong names its line.
func TestPublishedCurves(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.csv"), []byte("curve,x,y\np,1,0.5\np,10,0.2\np,100,0.1\nq,1,1\n"), 0o600))
	load := func(table string) (*Spec, error) {
		return Load(Source{File: filepath.Join(dir, "user.toml"), Text: ridge + drawn + table}, LoadOptions{})
	}
	const curve = "[[published_curve]]\nid = \"p\"\nfigure = \"Fig. 1\"\nobtained = \"vector\"\n"
	for name, table := range map[string]string{
		"points":  curve + "points = [[1, 0.5], [10, 0.2], [100, 0.1]]\n",
		"a file":  curve + "file = \"p.csv\"\n",
		"by name": curve + "file = \"p.csv\"\ncurve = \"p\"\n",
	} {
		s, err := load(table)
		require.NoError(t, err, name)
		ref := s.Experiment().Claims[len(s.Claims)-1].Reference
		require.NotNil(t, ref, name)
		assert.Equal(t, [][]float64{{1, 0.5}, {10, 0.2}, {100, 0.1}}, ref.Points, name)
		text, _, err := Written(Source{File: filepath.Join(dir, "user.toml"), Text: ridge + drawn + table})
		require.NoError(t, err)
		again, err := Load(Source{File: "elsewhere/user.toml", Text: string(text)}, LoadOptions{})
		require.NoError(t, err, name)
		assert.Equal(t, s.Claims[len(s.Claims)-1].Definition(), again.Claims[len(again.Claims)-1].Definition(), name)
	}
	for name, c := range map[string]struct{ table, want string }{
		"nothing":              {"", `there is no [[published_curve]] "p"`},
		"no points":            {curve, `published_curve "p".points: missing; give the points, or their file`},
		"a file that is not":   {curve + "file = \"q.csv\"\n", "q.csv"},
		"no such curve":        {curve + "file = \"p.csv\"\ncurve = \"r\"\n", `"p.csv" has no curve "r"`},
		"both":                 {curve + "file = \"p.csv\"\npoints = [[1, 1], [2, 2], [3, 3]]\n", "file"},
		"points that go back":  {curve + "points = [[1, 1], [3, 2], [2, 3]]\n", "point 3 does not lie beyond the point before it"},
		"three numbers":        {curve + "points = [[1, 1, 1], [3, 2], [4, 3]]\n", "point 1 is not [x, y]"},
		"two points":           {curve + "points = [[1, 1], [2, 2]]\n", "a curve needs 3 points"},
		"a name without file":  {curve + "points = [[1, 1], [2, 2], [3, 3]]\ncurve = \"p\"\n", "has no effect without file"},
		"a curve for no claim": {curve + "points = [[1, 1], [2, 2], [3, 3]]\n[[published_curve]]\nid = \"q\"\nfigure = \"Fig. 1\"\nobtained = \"vector\"\npoints = [[1, 1], [2, 2], [3, 3]]\n", `no claim has curve = "q"`},
		"another word":         {curve + "points = [[1, 1], [2, 2], [3, 3]]\nobtained = \"by eye\"\n", "obtained"},
	} {
		_, err := load(c.table)
		require.ErrorContains(t, err, c.want, name)
		assert.Contains(t, err.Error(), "user.toml:", name)
	}
}
