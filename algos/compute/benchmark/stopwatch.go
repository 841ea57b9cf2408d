package benchmark

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
)

// An operation is something to measure. Its counts are per run.
type operation struct {
	name, shape string
	precision   compute.Precision
	threads     int
	flops       float64 // multiplications and additions
	bytes       float64 // bytes moved; 0 if not reported
	values      float64 // values computed; 0 if not reported
	setup       func() runs
	// own says that run starts its own goroutines, which awake helpers of the core would disturb.
	own bool
	// rounds is how many rounds run makes, if not 0. Times are then of one round, and alone and cached make passes over memory, and
	// over numbers that may stay in a cache, to compare with.
	rounds int
	// latency reports the time of run minus alone's divided by the threads.
	latency bool
}

// runs are an operation with its operands: run runs it, alone, if the speedup is reported, on one thread.
type runs struct{ run, alone, cached func() }

// A stopwatch measures operations.
type stopwatch struct {
	now     func() time.Duration
	peak    func(p compute.Precision, threads int, least time.Duration) float64 // flops per second
	wake    func()                                                              // wakes the helpers for the next region
	limit   time.Duration                                                       // for the repetitions of one operation
	longest time.Duration                                                       // longest allowed run
	atLeast int                                                                 // repetitions
	peaks   map[peakKey][]float64                                               // measured
}

type peakKey struct {
	precision compute.Precision
	threads   int
}

// Limits of one operation. A repetition runs the operation until repetitionTime has passed. Then the peak is measured for a
// quarter of that time, within the two bounds.
const (
	repetitionTime = 2 * time.Millisecond
	shortestPeak   = time.Millisecond / 2
	longestPeak    = 5 * time.Millisecond
)

func newStopwatch(o Options, now func() time.Duration) *stopwatch {
	s := &stopwatch{now: now, limit: 300 * time.Millisecond, longest: 2 * time.Second, atLeast: 3, peaks: map[peakKey][]float64{}}
	if o.Quick {
		s.limit, s.longest, s.atLeast = 35*time.Millisecond, time.Second/4, 1
	}
	s.peak = func(p compute.Precision, threads int, least time.Duration) float64 {
		if p == compute.Float32 {
			return peak[float32](now, threads, least)
		}
		return peak[float64](now, threads, least)
	}
	s.wake = region(compute.Float64, o.Threads, 0)
	return s
}

// tooLong reports whether one run would exceed the longest allowed run even at the peak.
func (s *stopwatch) tooLong(op operation) bool {
	return op.flops > s.longest.Seconds()*s.peak(op.precision, op.threads, shortestPeak)
}

// measure times an operation: one or two runs to warm up, then repetitions until the limit, with a measurement of the peak
// between them. A repetition is compared with the larger of the peaks before and after it, so that a disturbed peak does
// not make an operation look fast.
func (s *stopwatch) measure(op operation) Measurement {
	r := op.setup()
	runtime.GC()
	begin := s.now()
	once := s.time(r.run, 1)
	if once < 10*repetitionTime { // the first run may be much slower than the others
		once = s.time(r.run, 1)
	}
	n := int(math.Ceil(float64(repetitionTime) / float64(once)))
	rest := min(max(time.Duration(n)*once/4, shortestPeak), longestPeak)
	var x samples
	sample := func(run func(), to *[]float64) {
		if run != nil {
			*to = append(*to, s.time(run, n).Seconds()/float64(n))
		}
	}
	peak := func() {
		if op.flops > 0 {
			x.peaks = append(x.peaks, s.peak(op.precision, op.threads, rest))
		}
	}
	peak()
	for len(x.run) < s.atLeast || s.now()-begin < s.limit {
		sample(r.alone, &x.alone)
		sample(r.cached, &x.cached)
		if !op.own {
			s.wake()
		}
		sample(r.run, &x.run)
		peak()
	}
	key := peakKey{op.precision, op.threads}
	s.peaks[key] = append(s.peaks[key], x.peaks...)
	return x.summary(op)
}

// samples are the seconds per run of each repetition, and the peaks.
type samples struct {
	run, alone, cached []float64
	peaks              []float64 // measured before the first repetition and after each
}

// summary turns samples into rates and medians.
func (x samples) summary(op operation) Measurement {
	m := Measurement{
		Operation: op.name, Shape: op.shape, Precision: op.precision, Threads: op.threads,
		Repetitions: len(x.run), Seconds: quantile(x.run, 0.5),
	}
	if op.flops > 0 {
		fractions := x.each(func(i int) float64 { return op.flops / x.run[i] / max(x.peaks[i], x.peaks[i+1]) })
		m.GFlops = new(op.flops / m.Seconds / 1e9)
		m.Fraction, m.Low, m.High = new(quantile(fractions, 0.5)), new(quantile(fractions, 0.25)), new(quantile(fractions, 0.75))
	}
	if op.bytes > 0 {
		m.GBytes = new(op.bytes / m.Seconds / 1e9)
	}
	if op.values > 0 {
		m.Nanoseconds = new(m.Seconds / op.values * 1e9)
	}
	switch {
	case op.rounds > 0:
		m.Seconds /= float64(op.rounds)
		m.TwoPasses, m.OfTwoPasses = new(quantile(x.alone, 0.5)/float64(op.rounds)), x.ratio(x.run, x.alone)
		m.CachedPasses, m.OfCachedPasses = new(quantile(x.cached, 0.5)/float64(op.rounds)), x.ratio(x.run, x.cached)
	case op.latency:
		m.Seconds = quantile(x.each(func(i int) float64 { return x.run[i] - x.alone[i]/float64(op.threads) }), 0.5)
	case x.alone != nil:
		m.Speedup = x.ratio(x.alone, x.run)
	}
	return m
}

// ratio returns the median of a_i/b_i.
func (x samples) ratio(a, b []float64) *float64 {
	return new(quantile(x.each(func(i int) float64 { return a[i] / b[i] }), 0.5))
}

// each returns a number for each repetition.
func (x samples) each(of func(i int) float64) []float64 {
	all := make([]float64, len(x.run))
	for i := range all {
		all[i] = of(i)
	}
	return all
}

// unrest returns the largest relative interquartile range among the measured peaks.
func (s *stopwatch) unrest() float64 {
	worst := 0.0
	for _, x := range s.peaks {
		if len(x) > 0 {
			worst = max(worst, (quantile(x, 0.75)-quantile(x, 0.25))/quantile(x, 0.5))
		}
	}
	return worst
}

// time returns the duration of n runs, at least a nanosecond.
func (s *stopwatch) time(run func(), n int) time.Duration {
	begin := s.now()
	for range n {
		run()
	}
	return max(1, s.now()-begin)
}

// quantile returns the q-quantile of x, linearly interpolated.
func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	i, f := math.Modf(q * float64(len(x)-1))
	v := x[int(i)]
	return v + f*(x[min(int(i)+1, len(x)-1)]-v)
}

// peak returns the flops per second of fused multiply-adds on registers, on threads that run concurrently, each for at
// least the given time.
func peak[T simd.Float](now func() time.Duration, threads int, least time.Duration) float64 {
	rates := make([]float64, threads)
	var ready atomic.Int64
	parallel(threads, func(i int) {
		for ready.Add(1); ready.Load() < int64(threads); {
			runtime.Gosched() // wait until the last thread has a processor
		}
		flops, begin := 0, now()
		for rates[i] == 0 || now()-begin < least {
			flops += simd.PeakFlops[T](1 << 20)
			rates[i] = float64(flops) / max(1, now()-begin).Seconds()
		}
	})
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum
}
