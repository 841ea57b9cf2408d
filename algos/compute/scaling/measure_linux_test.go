package scaling_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"repro/algos/compute"
	"repro/algos/compute/scaling"
	"repro/algos/kernels"
)

var measure = flag.Bool("measure", false, "measure this machine and write testdata/node.json")

// TestMeasure measures, with -measure, the processor time of a value on one core: in float32, with problem's inputs and outputs,
// 8,192 features or centres at a time, which are drawn or loaded again for every product.
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("measures the machine with -measure")
	}
	runtime.LockOSThread()
	const terms, block, most = 8192, 512, 4096
	in, out := int(problem.Inputs), int(problem.Outputs)
	engine := compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32, CacheBytes: -1})
	all, centres := uniform(most, in), uniform(terms, in)
	kernel := kernels.Gaussian{Sigma: math.Sqrt(problem.Inputs)}
	w := compute.NewMatrix(terms, out)
	m := measured{Processor: compute.Processor() + ", " + compute.ISA()}
	for rows := 1; rows <= most; rows *= 4 {
		least := scaling.Speed{Rows: float64(rows), Nanoseconds: math.Inf(1)}
		m.Features, m.Kernel = append(m.Features, least), append(m.Kernel, least)
	}
	for range 40 {
		for i := range m.Features {
			rows := int(m.Features[i].Rows)
			x, r := all.RowRange(0, rows), compute.NewMatrix(rows, out)
			phi := engine.Features(kernel.Features(1, in, block), x, compute.Range{Lo: 0, Hi: terms / block})
			k := engine.Kernel(kernel, x, centres)
			take(&m.Features[i], terms, func() { phi.MulTo(r, w) })
			take(&m.Kernel[i], terms, func() { k.MulTo(r, w) })
		}
	}
	for _, s := range [][]scaling.Speed{m.Features, m.Kernel} {
		for i := range s[1:] {
			require.Less(t, s[i+1].Nanoseconds, s[i].Nanoseconds, "more rows together take less time each: the machine was too busy, measure again")
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(nodeFile, append(text, '\n'), 0o644))
}

func uniform(rows, cols int) compute.Matrix {
	a, s := compute.NewMatrix(rows, cols), compute.NewStream(1, "scaling", 0)
	for i := range a.Data {
		a.Data[i] = s.Float64()
	}
	return a
}

// take lowers s to the processor time of a value on this thread, if calls of some 10 ms take less. Other programs slow a core down
// through its caches and never speed it up, so the least of many is the time of a core that has them to itself.
func take(s *scaling.Speed, terms float64, do func()) {
	do() // fills caches
	begun, calls := threadNanoseconds(), 0.0
	for calls == 0 || threadNanoseconds()-begun < 10e6 {
		do()
		calls++
	}
	each := (threadNanoseconds() - begun) / (calls * s.Rows * terms)
	s.Nanoseconds = min(s.Nanoseconds, math.Round(100*each)/100)
}

func threadNanoseconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano())
}
