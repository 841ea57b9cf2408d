// Package benchmark measures the compute core on the machine it runs on. It times each operation at the shapes of the
// papers, and reports the rate as a fraction of the floating-point peak measured at the same time.
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

// A Measurement is the result for one operation in one precision. Pointers are nil if a quantity does not apply.
type Measurement struct {
	Operation   string            `json:"operation"`
	Shape       string            `json:"shape"`
	Precision   compute.Precision `json:"precision"` // of the engine; matrices in memory are float64 in either
	Threads     int               `json:"threads"`   // threads that computed
	CPU         string            `json:"cpu"`
	ISA         string            `json:"isa"`
	Repetitions int               `json:"repetitions"`
	Seconds     float64           `json:"seconds"` // median seconds per run over the repetitions

	GFlops   *float64 `json:"gflops"`   // 10⁹ multiplications and additions per second, without transcendental functions
	Fraction *float64 `json:"fraction"` // median fraction of the peak of these threads
	Low      *float64 `json:"low"`      // lower quartile of the fraction
	High     *float64 `json:"high"`     // upper quartile of the fraction

	GBytes      *float64 `json:"gbytes_per_second"`     // 10⁹ bytes of operands and results per second, each counted once
	Nanoseconds *float64 `json:"nanoseconds_per_value"` // per value drawn or per element of the slice
	Speedup     *float64 `json:"speedup"`               // relative to one thread

	TwoPasses      *float64 `json:"two_passes_seconds"`    // of an online round: to read its triangle twice from memory
	OfTwoPasses    *float64 `json:"of_two_passes"`         // median ratio of a round to that
	CachedPasses   *float64 `json:"cached_passes_seconds"` // likewise from where the round finds it: a small triangle stays in a cache
	OfCachedPasses *float64 `json:"of_cached_passes"`
}

// Options select what Run measures.
type Options struct {
	Threads    int                 // at most GOMAXPROCS, which 0 means
	Precisions []compute.Precision // none means both
	Filter     string              // measure only operations whose name and shape contain it; case-insensitive
	Quick      bool                // take a fifth of the time
	// Progress, if not nil, is called before each operation; done of of operations are finished.
	Progress func(done, of int, next string)
}

// A Report is the result of Run.
type Report struct {
	Measurements []Measurement
	// LeftOut lists the operations not measured because they take too long on this machine. With a filter it is
	// empty.
	LeftOut []string
	// Unrest is the relative interquartile range of the measured peaks: a few per cent on a quiet machine.
	Unrest float64
}

// Run measures the operations that match the filter, one after another: all take about 40 seconds, 8 if o.Quick. Nothing
// else should run on the machine at the same time. It returns an error if no operation matches, or ctx.Err() if ctx is
// done.
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

// names returns the distinct names of operations.
func names(all []operation) []string {
	var list []string
	for _, op := range all {
		if !slices.Contains(list, op.name) {
			list = append(list, op.name)
		}
	}
	return list
}
