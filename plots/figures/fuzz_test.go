package figures

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

func TestReadingPredictionsNeedsLittleMemory(t *testing.T) {
	var small strings.Builder
	small.WriteString("x1,x2,f\n")
	for i := range 1000 {
		for j := range 100 {
			fmt.Fprintf(&small, "%d,%d,0\n", i, j)
		}
	}
	for name, text := range map[string]string{
		"surface":        grid(200),
		"small numbers":  small.String(),
		"a long line":    "x1,x2,f\n" + strings.Repeat("1", 1<<20),
		"quotes":         "x1,x2,f\n\"" + strings.Repeat("\n", 1<<20),
		"many fields":    "x1,x2,f\n" + strings.Repeat(",", 1<<20),
		"many in header": strings.Repeat(",", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			used := within(t, allowed(len(text)), func() { _, _ = parseSurface(strings.NewReader(text)) })
			t.Logf("surface: %.1f times %d bytes", float64(used)/float64(len(text)), len(text))
		})
	}
	for name, text := range map[string]string{
		"function":      column(40000),
		"small numbers": "x,f\n" + strings.Repeat("0,0\n", 1<<18),
		"many fields":   "x,f\n" + strings.Repeat(",", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			used := within(t, allowed(len(text)), func() { _, _, _ = parseFunction(strings.NewReader(text)) })
			t.Logf("function: %.1f times %d bytes", float64(used)/float64(len(text)), len(text))
		})
	}
}

func FuzzReadSurface(f *testing.F) {
	f.Add([]byte(grid(2)))
	f.Add([]byte(grid(9)))
	f.Add([]byte("x1,x2,f\n1,0,2\n0,0,1\n0,5,NaN\n1,5,4\n"))
	f.Add([]byte("x1,x2,f\r\n-0,0,1e308\r\n0,1e-320,Inf\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Panel
		var err error
		within(t, allowed(len(data)), func() { p, err = parseSurface(bytes.NewReader(data)) })
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
		within(t, allowed(len(data)), func() { x, y, err = parseFunction(bytes.NewReader(data)) })
		if err == nil {
			require.Len(t, y, len(x))
		}
	})
}

// allocated returns how many bytes f allocates, garbage included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// within runs f, and ends the test if f allocates more than bound bytes.
func within(t testing.TB, bound uint64, f func()) uint64 {
	t.Helper()
	took := allocated(f)
	require.LessOrEqual(t, took, bound, "bytes that were allocated")
	return took
}
