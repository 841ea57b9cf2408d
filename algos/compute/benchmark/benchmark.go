// Package benchmark measures the compute core on the machine it runs on: each operation at the shapes
// of the papers, as a fraction of the floating-point peak that the machine reaches at the same moment.
package benchmark

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"repro/algos/compute"
)

// A Measurement is one operation in one precision. Numbers that an operation has not are nil.
type Measurement struct {
	Operation   string            `json:"operation"`
	Shape       string            `json:"shape"`
	Precision   compute.Precision `json:"precision"` // of the engine; matrices in memory are float64 whatever it is
	Threads     int               `json:"threads"`   // that computed
	CPU         string            `json:"cpu"`
	ISA         string            `json:"isa"`
	Repetitions int               `json:"repetitions"`
	Seconds     float64           `json:"seconds"` // of one run, the median of the repetitions

	GFlops   *float64 `json:"gflops"`   // 10⁹ multiplications and additions a second, transcendentals apart
	Fraction *float64 `json:"fraction"` // of the peak of the threads, the median of the repetitions
	Low      *float64 `json:"low"`      // lower quartile of the fraction
	High     *float64 `json:"high"`     // upper quartile of the fraction

	GBytes      *float64 `json:"gbytes_per_second"`     // operands and results moved, counted once
	Nanoseconds *float64 `json:"nanoseconds_per_value"` // drawn, or element of the slice
	Speedup     *float64 `json:"speedup"`               // over one thread
}

// Options choose what is measured.
type Options struct {
	Threads    int                 // 0, or more than there are processors, means one per processor
	Precisions []compute.Precision // none means both
	Filter     string              // part of an operation's name and shape; case does not matter
	Quick      bool                // a fifth of the time
	// Progress, if not nil, is told before each operation how many of how many are done.
	Progress func(done, of int, next string)
}

// A Report is what Run found.
type Report struct {
	Measurements []Measurement
	// LeftOut names the operations that take too long on this machine. None is left out where a filter
	// asks for it.
	LeftOut []string
	// Unrest is the relative interquartile range of the peaks measured. A quiet machine has a few per cent.
	Unrest float64
}

// Run measures the operations that match the filter, one after another: about 40 seconds for all, 8 if
// quick. Nothing else should run on the machine meanwhile. It returns an error if nothing matches, or
// that of the context once it is done.
func Run(ctx context.Context, o Options) (Report, error) {
	processors := runtime.GOMAXPROCS(0)
	if o.Threads <= 0 || o.Threads > processors {
		o.Threads = processors
	}
	if len(o.Precisions) == 0 {
		o.Precisions = []compute.Precision{compute.Float32, compute.Float64}
	}
	begun := time.Now()
	s := newStopwatch(o, func() time.Duration { return time.Since(begun) })
	all := operations(o, s.peak(o.Precisions[0], 1, shortestPeak))
	chosen := slices.DeleteFunc(slices.Clone(all), func(op operation) bool { return !op.matches(o.Filter) })
	if len(chosen) == 0 {
		return Report{}, fmt.Errorf("no operation matches %q; choose a part of one of %s", o.Filter, strings.Join(names(all), ", "))
	}
	var r Report
	cpu := compute.Processor()
	for i, op := range chosen {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		if o.Filter == "" && s.tooLong(op) {
			r.LeftOut = append(r.LeftOut, fmt.Sprintf("%s in %s", op.title(), op.precision))
			continue
		}
		if o.Progress != nil {
			o.Progress(i, len(chosen), fmt.Sprintf("%s in %s", op.title(), op.precision))
		}
		m := s.measure(op)
		m.CPU, m.ISA = cpu, compute.ISA()
		r.Measurements = append(r.Measurements, m)
	}
	r.Unrest = s.unrest()
	return r, nil
}

// names returns the names of operations, each once.
func names(all []operation) []string {
	var list []string
	for _, op := range all {
		if !slices.Contains(list, op.name) {
			list = append(list, op.name)
		}
	}
	return list
}
