package figures

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadSurface(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"header", "x,y,f\n", `line 1: header "x,y,f", want ["x1,x2,f"]`},
		{"empty", "", "line 1: header"},
		{"number", "x1,x2,f\n0,0,1\n0,one,1\n", `line 3: x2 "one" is not a number`},
		{"columns", "x1,x2,f\n0,0\n", "line 2: 2 numbers, want 3"},
		{"twice", "x1,x2,f\n0,0,1\n0,0,2\n", "line 3: the point (0, 0) is listed twice"},
		{"not a place", "x1,x2,f\nNaN,0,1\n", "line 2: the point (NaN, 0)"},
		{"hole", "x1,x2,f\n0,0,1\n0,1,2\n1,0,3\n", "3 points for a grid of 2 by 2"},
		{"line", "x1,x2,f\n0,0,1\n0,1,2\n", "2 points for a grid of 1 by 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.surface.csv")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o666))
			_, err := ReadSurface(path)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, path)
		})
	}
	p, err := parseSurface(strings.NewReader("x1,x2,f\n1,0,2\n0,0,1\n0,5,NaN\n1,5,4\n"))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1}, p.X)
	assert.Equal(t, []float64{0, 5}, p.Y)
	assert.Equal(t, []float64{1, 2}, p.Z[0])
	assert.True(t, math.IsNaN(p.Z[1][0]))
	assert.Equal(t, Interval{1, 4}, p.valueRange())
}

func TestSurfacePath(t *testing.T) {
	assert.Equal(t, filepath.FromSlash("out/predictions/dai2014/krr/dsg-seed0.surface.csv"), SurfacePath("out", "dai2014/krr", "dsg-seed0"))
	assert.Equal(t, filepath.FromSlash("out/predictions/etc/a%2Fb.surface.csv"), SurfacePath("out", "../../etc", "a/b"), "never out of the folder")
}
