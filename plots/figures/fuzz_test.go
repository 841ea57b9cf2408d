package figures

import (
	"bytes"
	"fmt"
	"math"
	"repro/datasets/memorytest"
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
