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
	// setup creates the operands and returns a function that runs the operation and, if the speedup is reported, one
	// that runs it on one thread.
	setup func() (run, alone func())
	// own says that run starts its own goroutines, which awake helpers of the core would disturb.
	own bool
	// rounds is how many rounds run makes, if not 0. Times are then of one round, alone makes passes over memory to compare
	// with, and cached returns a function that makes them over numbers that may stay in a cache.
	rounds int
	cached func() func()
	// latency reports the time of run minus alone's divided by the threads.
	latency bool
}

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
	run, alone := op.setup()
	var cached func()
	if op.cached != nil {
		cached = op.cached()
	}
	runtime.GC()
	begin := s.now()
	once := s.time(run, 1)
	if once < 10*repetitionTime { // the first run may be much slower than the others
		once = s.time(run, 1)
	}
	n := int(math.Ceil(float64(repetitionTime) / float64(once)))
	rest := min(max(time.Duration(n)*once/4, shortestPeak), longestPeak)
	x := s.repeat(op, run, alone, cached, n, rest, begin)
	if op.flops > 0 {
		key := peakKey{op.precision, op.threads}
		s.peaks[key] = append(s.peaks[key], x.peaks...)
	}
	return x.summary(op)
}

// samples are the seconds per run of each repetition, and the peaks.
type samples struct {
	run, alone, cached []float64
	peaks              []float64 // measured before the first repetition and after each
}

// repeat measures repetitions of n runs each until the limit after begin, and the peak, for the duration rest, between them.
func (s *stopwatch) repeat(op operation, run, alone, cached func(), n int, rest, begin time.Duration) (x samples) {
	peak := func() {
		if op.flops > 0 {
			x.peaks = append(x.peaks, s.peak(op.precision, op.threads, rest))
		}
	}
	peak()
	for len(x.run) < s.atLeast || s.now()-begin < s.limit {
		if alone != nil {
			x.alone = append(x.alone, s.time(alone, n).Seconds()/float64(n))
		}
		if cached != nil {
			x.cached = append(x.cached, s.time(cached, n).Seconds()/float64(n))
		}
		if !op.own {
			s.wake()
		}
		x.run = append(x.run, s.time(run, n).Seconds()/float64(n))
		peak()
	}
	return x
}

// summary turns samples into rates and medians.
func (x samples) summary(op operation) Measurement {
	m := Measurement{
		Operation: op.name, Shape: op.shape, Precision: op.precision, Threads: op.threads,
		Repetitions: len(x.run), Seconds: Quantile(x.run, 0.5),
	}
	rate := func(count float64) *float64 {
		if count == 0 {
			return nil
		}
		v := count / m.Seconds / 1e9
		return &v
	}
	m.GFlops, m.GBytes = rate(op.flops), rate(op.bytes)
	if op.flops > 0 {
		fractions := x.each(func(i int) float64 { return op.flops / x.run[i] / max(x.peaks[i], x.peaks[i+1]) })
		m.Fraction, m.Low, m.High = at(fractions, 0.5), at(fractions, 0.25), at(fractions, 0.75)
	}
	if op.values > 0 {
		ns := m.Seconds / op.values * 1e9
		m.Nanoseconds = &ns
	}
	switch {
	case op.rounds > 0:
		m.Seconds /= float64(op.rounds)
		m.TwoPasses, m.OfTwoPasses = x.passes(op, x.alone)
		m.CachedPasses, m.OfCachedPasses = x.passes(op, x.cached)
	case op.latency:
		m.Seconds = Quantile(x.each(func(i int) float64 { return x.run[i] - x.alone[i]/float64(op.threads) }), 0.5)
	case x.alone != nil:
		m.Speedup = at(x.each(func(i int) float64 { return x.alone[i] / x.run[i] }), 0.5)
	}
	return m
}

// passes returns the median of the seconds that passes take for one round, and of the ratio of the round to them.
func (x samples) passes(op operation, seconds []float64) (median, ratio *float64) {
	return at(x.each(func(i int) float64 { return seconds[i] / float64(op.rounds) }), 0.5),
		at(x.each(func(i int) float64 { return x.run[i] / seconds[i] }), 0.5)
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
		worst = max(worst, (Quantile(x, 0.75)-Quantile(x, 0.25))/Quantile(x, 0.5))
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

// at returns a pointer to a quantile.
func at(x []float64, q float64) *float64 {
	v := Quantile(x, q)
	return &v
}

// Quantile returns the q-quantile of x, linearly interpolated.
func Quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	i, f := math.Modf(q * float64(len(x)-1))
	v := x[int(i)]
	if f > 0 {
		v += f * (x[int(i)+1] - v)
	}
	return v
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
