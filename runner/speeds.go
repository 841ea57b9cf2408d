package runner

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	"repro/datasets/transforms"
	"repro/results/files"
)

// Seconds on one thread of a typical processor of 2020, rounded: what a nominal Estimator takes instead of measured ones. They decide
// only how cells are packed into shards.
const (
	nominalFlop       = 2.5e-11
	nominalEval       = 2e-9 // of a kernel value or a random feature
	nominalInput      = 5e-11
	nominalBatch      = 4e-8 // of a call, over the rows evaluated together
	nominalBatchInput = 1e-9
	nominalStep       = 1e-5
	nominalEigen      = 2e-9
	nominalNumber     = 1e-9
	nominalPair       = 1e-8 // of a pair of inputs of a median distance
)

// A gauge is something of the machine that is measured, in seconds, and what that depends on.
type gauge struct {
	What      string            // kernel, features, step, eigen, number, byte, flop, pair, row
	Kernel    string            `json:",omitempty"` // its configuration, printed
	Data      string            `json:",omitempty"` // the same, of generated rows
	In        int               `json:",omitempty"`
	Out       int               `json:",omitempty"` // sums of each, at most mostOut
	Rows      int               `json:",omitempty"` // evaluated together: with few of them, drawing and loading the columns is most of the work
	Precision compute.Precision `json:",omitempty"`
	Threads   int               `json:",omitempty"`
	Cached    bool              `json:",omitempty"` // the matrix is small
}

// evaluating is the gauge of a kernel value or of a random feature.
func evaluating(kernel string, in, out, rows int, p compute.Precision, features bool) gauge {
	of := gauge{What: "kernel", Kernel: kernel, In: in, Out: max(1, out), Rows: rows, Precision: p}
	if features {
		of.What = "features"
	}
	return of
}

// reading is the gauge of products with a stored matrix, for each of its numbers. bytes is the memory of the fit, which says whether a cache
// holds the matrix; out is the number of columns of the other factor.
func reading(p compute.Precision, threads, out int, bytes float64) gauge {
	return gauge{What: "number", Out: max(1, min(out, 10)), Precision: p, Threads: threads, Cached: bytes <= cachedBytes}
}

// cachedBytes is the memory of a fit whose matrices are in the caches of a processor, about.
const cachedBytes = 8 << 20

// drawing is the gauge of a row of generated data.
func drawing(o datasets.Options, task string) gauge {
	o.Train, o.Test, o.InMemory = 0, 0, false
	return gauge{What: "row", Data: fmt.Sprint(o, task)}
}

// measured returns what measure found of a gauge, which it asks once; the nominal seconds if e measures nothing.
func (e *Estimator) measured(of gauge, nominal float64, measure func() float64) float64 {
	if e.nominal {
		return nominal
	}
	if e.recalled.IsZero() {
		e.recall()
	}
	v, ok := e.gauges[of]
	if !ok {
		v = measure()
		e.gauges[of], e.fresh = v, true
	}
	return v
}

// many is a number of rows beyond which more of them together are no faster.
const many = 192

// widest is a number of inputs beyond which the time of an evaluation is taken to grow in proportion to it.
const widest = 1 << 14

// mostOut is a number of outputs beyond which the time of an evaluation, and of what is summed of it, is taken to grow in proportion.
const mostOut = 64

// speed measures an operator on one thread, in seconds for each of its evaluations, with inputs that are uniform in the
// unit cube, which is in the domain of every kernel. For random features that the kernel does not have it is 0.
func (e *Estimator) speed(kernel kernels.Config, of gauge) float64 {
	times := max(1, float64(of.In)/widest) * max(1, float64(of.Out)/mostOut)
	of.In, of.Out = min(of.In, widest), min(of.Out, mostOut)
	nominal := nominalEval + 2*nominalFlop*float64(of.Out-1) + nominalInput*float64(of.In) + (nominalBatch+nominalBatchInput*float64(of.In))/float64(of.Rows)
	return times * e.measured(of, nominal, func() float64 {
		m := max(many, min(960, 1<<20/max(of.In, 1))) // fewer of many inputs, for a call to stay short
		engine := e.engine(1, of.Precision)
		z := e.noise(m, of.In)
		x := z.RowRange(0, of.Rows)
		v, out := compute.NewMatrix(m, of.Out), compute.NewMatrix(of.Rows, of.Out)
		k, err := kernels.New(kernel, math.Sqrt(float64(of.In)))
		if err != nil { // the checks of the spec refuse such a kernel
			k = kernels.Gaussian{Sigma: math.Sqrt(float64(of.In))}
		}
		once := func() { engine.Kernel(k, x, z).MulTo(out, v) }
		if of.What == "features" {
			f, ok := k.(kernels.Featured)
			if !ok {
				return 0
			}
			once = func() {
				engine.Features(f.Features(0, of.In, m), x, compute.Range{Lo: 0, Hi: 1}).MulTo(out, v)
			}
		}
		return e.took(1, once) / float64(of.Rows*m)
	})
}

// perStep measures what a step takes besides its evaluations: a few calls of operators with hardly any work.
func (e *Estimator) perStep() float64 {
	return e.measured(gauge{What: "step"}, nominalStep, func() float64 {
		engine, x := e.engine(1, compute.Float64), e.noise(1, 1)
		features := kernels.Gaussian{Sigma: 1}.Features(0, 1, 1)
		return algos.StepCalls * e.took(1, func() { engine.FeatureMatrix(features, x, compute.Range{Lo: 0, Hi: 1}) })
	})
}

// perPoint is what a point of a curve takes besides its predictions: its metrics and its line in the record.
func (e *Estimator) perPoint() float64 { return 10 * e.perStep() }

// perEigen measures a dense eigendecomposition on one thread, of 256 rows, over its work.
func (e *Estimator) perEigen() float64 {
	return e.measured(gauge{What: "eigen"}, nominalEigen, func() float64 {
		const n = 256
		engine, x := e.engine(1, compute.Float64), e.noise(n, 1)
		k := engine.KernelMatrix(kernels.Gaussian{Sigma: 1}, x, x)
		return e.took(1, func() { engine.Syevd(k.Clone(), n) }) / algos.EigenWork(n)
	})
}

// perNumber measures what a product takes for each number of a stored matrix: of 64 MB, which no cache holds, so that
// reading it from memory takes longest, or of 1 MB.
func (e *Estimator) perNumber(of gauge) float64 {
	return e.measured(of, nominalNumber, func() float64 {
		m, bytes := 8192, 64<<20
		if of.Cached {
			m, bytes = 512, 1<<20
		}
		p, threads, out := of.Precision, of.Threads, of.Out
		n := bytes / m / numberBytes(p)
		engine := e.engine(threads, p)
		k := engine.Store(engine.Kernel(kernels.Gaussian{Sigma: 1}, e.noise(n, 1), e.noise(m, 1)))
		v, u := compute.NewMatrix(m, out), compute.NewMatrix(n, out)
		return e.took(threads, func() { k.MulTo(u, v) }) / float64(n*m)
	})
}

// An engineKey is what an engine that measures is made of.
type engineKey struct {
	precision compute.Precision
	threads   int
}

// perByte measures the first use of memory by a matrix.
func (e *Estimator) perByte() float64 {
	return e.measured(gauge{What: "byte"}, 0, func() float64 { // nominal 0: shards must not depend on what ran before in the same process
		const rows, cols = 8 << 10, 512 // a page each
		begun := time.Now()
		fresh := compute.NewMatrix(rows, cols)
		for i := range rows {
			fresh.Row(i)[0] = 1
		}
		return time.Since(begun).Seconds() / (8 * rows * cols)
	})
}

// perFlop measures a matrix product on one thread.
func (e *Estimator) perFlop() float64 {
	return e.measured(gauge{What: "flop"}, nominalFlop, func() float64 {
		const m = 256
		a, c, engine := e.noise(m, m), compute.NewMatrix(m, m), e.engine(1, compute.Float64)
		return e.took(1, func() { engine.Gemm(c, 1, a, false, a, false, 0) }) / (2 * m * m * m)
	})
}

// perPair measures the distance of a pair of points with that many inputs, for a median distance.
func (e *Estimator) perPair(in int) float64 {
	return e.measured(gauge{What: "distance", In: in}, nominalPair+2*nominalInput*float64(in), func() float64 {
		n := min(400, max(16, 1<<19/max(in, 1))) // enough pairs for MedianDistance to sort a twelfth of them, unless the inputs take longer
		x := transforms.InMemory{X: e.noise(n, in), Y: compute.NewMatrix(n, 1)}
		return e.took(1, func() { transforms.MedianDistance(x, n, 0) }) / float64(n*(n-1)/2)
	})
}

// perRow measures the drawing of a row of generated data for a task, 0 if a few of them cannot be drawn.
func (e *Estimator) perRow(o datasets.Options, task string) float64 {
	return e.measured(drawing(o, task), 0, func() float64 {
		o.Train, o.Test, o.InMemory = many, 1, false
		set, err := e.library.Open(context.Background(), o, task, 1, "")
		if err != nil {
			return 0
		}
		rows := make([]int, many)
		for i := range rows {
			rows[i] = i
		}
		in, out := set.Train.Dims()
		x, y := compute.NewMatrix(many, in), compute.NewMatrix(many, out)
		return e.took(1, func() { set.Train.Gather(rows, x, y) }) / many
	})
}

// engine returns the engine of all measurements with a number of threads and a precision, which share its memory.
func (e *Estimator) engine(threads int, p compute.Precision) *compute.Engine {
	of := engineKey{p, threads}
	if e.engines[of] == nil {
		e.engines[of] = compute.NewEngine(compute.Options{Threads: threads, Precision: p})
	}
	return e.engines[of]
}

// Retire keeps what was measured for later processes, and leaves the memory of the measurements to the engines that are made later.
func (e *Estimator) Retire() {
	e.keep()
	for _, engine := range e.engines {
		engine.Retire()
	}
}

// noise returns a matrix of random numbers between 0 and 1, which nobody may change: all matrices begin with the same numbers.
func (e *Estimator) noise(rows, cols int) compute.Matrix {
	n := rows * cols
	if have := len(e.random); have < n {
		r := compute.NewStream(0, "estimate", uint64(have))
		e.random = slices.Grow(e.random, n-have)
		for range n - have {
			e.random = append(e.random, r.Float64())
		}
	}
	return compute.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: e.random[:n:n]}
}

// perCall returns the median time of several calls on a number of threads, in seconds. Meanwhile the other processors of a
// run compute too, because two threads of one core, or all cores with one memory, are slower than one by itself, and cells
// run side by side.
func (e *Estimator) perCall(threads int, do func()) float64 {
	var stop atomic.Bool
	var others sync.WaitGroup
	x := e.noise(many, many)
	for range e.threads - threads {
		others.Go(func() {
			engine := compute.NewEngine(compute.Options{Threads: 1})
			defer engine.Retire()
			c := engine.Zeroed(many, many)
			defer engine.Reuse(c)
			for !stop.Load() {
				engine.Gemm(c, 1, x, false, x, false, 0)
			}
		})
	}
	do() // fills caches
	var times [3]float64
	for i := range times {
		t := time.Now()
		do()
		times[i] = time.Since(t).Seconds()
	}
	stop.Store(true)
	others.Wait()
	slices.Sort(times[:])
	return times[len(times)/2]
}

// keptFor is how long counts what was measured: a machine may have been busy.
const keptFor = 24 * time.Hour

// speedsFile is the file of the cache folder with what an Estimator of this program measures on this machine. The programs of several
// checkouts have one each.
func (e *Estimator) speedsFile() string {
	sum := sha256.Sum256([]byte(e.speedsOf()))
	return filepath.Join(e.library.CacheDir, fmt.Sprintf("speeds-%x.json", sum[:6]))
}

// keptSpeeds is what such a file has.
type keptSpeeds struct {
	Of     string      `json:"of"` // the machine and the program
	At     time.Time   `json:"at"` // of the oldest
	Gauges []keptGauge `json:"gauges"`
}

// A keptGauge is a gauge with its seconds.
type keptGauge struct {
	gauge
	Seconds float64
}

// speedsOf names the machine, the program and the threads whose speeds are measured, empty if that is not known.
func (e *Estimator) speedsOf() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	program, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s, %s, %d of %d threads, program of %d bytes at %d", compute.Processor(), compute.ISA(), e.threads, runtime.NumCPU(), program.Size(), program.ModTime().UnixNano())
}

// recall takes over what an earlier process of the same program measured on this machine.
func (e *Estimator) recall() {
	e.recalled = time.Now()
	if e.library.CacheDir == "" {
		return
	}
	var k keptSpeeds
	text, err := files.ReadRegular(e.speedsFile(), 1<<20)
	if err != nil || json.Unmarshal(text, &k) != nil || k.Of != e.speedsOf() || time.Since(k.At).Abs() > keptFor {
		return
	}
	e.recalled = k.At
	for _, g := range k.Gauges {
		if g.Seconds >= 0 && g.Seconds < 1e3 {
			e.gauges[g.gauge] = g.Seconds
		}
	}
}

// keep writes what was measured for later processes, and removes what is too old. Where that is not possible, they measure again.
func (e *Estimator) keep() {
	of := e.speedsOf()
	if !e.fresh || e.library.CacheDir == "" || of == "" {
		return
	}
	k := keptSpeeds{Of: of, At: e.recalled}
	for g, seconds := range e.gauges {
		k.Gauges = append(k.Gauges, keptGauge{g, seconds})
	}
	if text, err := json.Marshal(k); err == nil {
		_ = files.Write(e.library.CacheDir, e.speedsFile(), text)
	}
	old, _ := filepath.Glob(filepath.Join(e.library.CacheDir, "speeds-*.json"))
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(path)
		}
	}
	e.fresh = false
}
