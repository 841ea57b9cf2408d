package figures

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/memorytest"
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
	path := filepath.Join(t.TempDir(), "a.function.csv")
	_, _, err := ReadFunction(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("a,b\n1,2\n"), 0o666))
	_, _, err = ReadFunction(path)
	require.ErrorContains(t, err, path+`: line 1: header "a,b", want ["x,f" "x,y"]`)
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

// Reading a file of predictions may allocate at most memoryFactor times its bytes, and memoryConstant more for what every
// read needs. The worst cases, files of one-digit numbers, take 21 times.
const (
	memoryFactor   = 32
	memoryConstant = 1 << 20
)

// allowed is what reading n bytes may allocate.
func allowed(n int) uint64 { return uint64(memoryFactor*n + memoryConstant) }

// grid returns a surface file as the runner writes it.
func grid(side int) string {
	var b strings.Builder
	b.WriteString("x1,x2,f\n")
	for i := range side {
		for j := range side {
			fmt.Fprintf(&b, "%g,%g,%g\n", float64(i)/7, float64(j)/7, math.Sin(float64(i*j)))
		}
	}
	return b.String()
}

// column returns a function file as the runner writes it.
func column(rows int) string {
	var b strings.Builder
	b.WriteString("x,f\n")
	for i := range rows {
		fmt.Fprintf(&b, "%g,%g\n", float64(i)/7, math.Sin(float64(i)))
	}
	return b.String()
}

func FuzzReadSurface(f *testing.F) {
	f.Add([]byte(grid(2)))
	f.Add([]byte(grid(9)))
	f.Add([]byte("x1,x2,f\n1,0,2\n0,0,1\n0,5,NaN\n1,5,4\n"))
	f.Add([]byte("x1,x2,f\r\n-0,0,1e308\r\n0,1e-320,Inf\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Panel
		var err error
		memorytest.Within(t, allowed(len(data)), func() { p, err = parseSurface(bytes.NewReader(data)) })
		if err != nil {
			return
		}
		require.Len(t, p.Z, len(p.Y))
		for _, row := range p.Z {
			require.Len(t, row, len(p.X))
		}
		p.valueRange()
	})
}

func FuzzReadFunction(f *testing.F) {
	f.Add([]byte(column(2)))
	f.Add([]byte(column(50)))
	f.Add([]byte("x,y\n1,NaN\n-Inf,1e308\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var x, y []float64
		var err error
		memorytest.Within(t, allowed(len(data)), func() { x, y, err = parseFunction(bytes.NewReader(data)) })
		if err == nil {
			require.Len(t, y, len(x))
		}
	})
}
