package algostest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// costs is the law of algos.Coster: the evaluations that a method predicts are those that the engine counts, whether there
// is memory for all kernel matrices, for a few rows, or for none. The problem has 40 rows and the square loss or, if the
// method does not solve that, the hinge loss with a ν that makes all rows support vectors. With
// β = 10⁹ all examples enter a dictionary, and with a noise of 10⁹ no block of features is used again.
func costs(t *testing.T, a algos.Algorithm) {
	const n, batch, steps = 40, 4, 20
	largeCosts(t, a)
	variants := map[string]map[string]any{"own steps": {}, "given steps": {"step": schedules.Schedule(&schedules.Constant{Gamma0: 0.1})}}
	if has(a, "selection") {
		variants["pivoted"] = map[string]any{"selection": "rpcholesky"}
	}
	if has(a, "decomposition") {
		variants["nystrom"] = map[string]any{"decomposition": "nystrom"}
	}
	for variant, settings := range variants {
		for _, entries := range []int{0, n*n + 100, n * n / 2, 8 * n, 1} {
			t.Run(fmt.Sprintf("%s/%d numbers stored", variant, entries), func(t *testing.T) {
				a := With(With(a, map[string]any{"features": 6, "landmarks": 6, "centres": 6, "rank": 6, "directions": 3, "batch": batch, "block": 3, "blocks": 3, "subsample": 12, "beta": 1e9, "noise": 1e9}), settings)
				p := Problem(n, losses.Square{})
				p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: 8 * int64(entries)})
				f, p, err := StartAny(a, p)
				if errors.Is(err, algos.ErrUnsupported) {
					engine := p.Engine
					p = Problem(n, losses.Hinge{})
					p.Nu, p.Engine = 50, engine
					f, err = a.Start(p)
				}
				require.NoError(t, err)
				first, err := f.Step()
				require.NoError(t, err)
				made := 1
				for p := first; made < steps && !p.Done; {
					p, err = f.Step()
					require.NoError(t, err)
					made++
				}
				spent := p.Engine.Counters()
				_, out := p.Train.Dims()
				size := algos.Size{N: n, In: 3, Out: out, Steps: made, Evals: 1, Stored: entries}
				cost := a.(algos.Coster).Cost(size)
				assert.EqualValues(t, cost.KernelEvals, spent.KernelEvals, "kernel evaluations of %d steps", made)
				assert.EqualValues(t, cost.FeatureEvals, spent.FeatureEvals, "feature evaluations of %d steps", made)
				if s, ok := f.(algos.Sizer); ok {
					assert.LessOrEqual(t, float64(s.Footprint()), cost.Bytes, "the predictor is part of the memory")
				}
				if traits := algos.TraitsOf(a); traits.Batches() {
					assert.Equal(t, min(traits.BatchAt(size), n), first.Seen, "examples of a step")
				}

				x := Queries(3)
				f.Model().Predict(x)
				eval := p.Engine.Counters().Sub(spent)
				assert.EqualValues(t, cost.EvalCost*float64(x.Rows)+cost.EvalFixed, eval.FeatureEvals+eval.KernelEvals, "evaluations of a prediction")
				if limit := algos.NumberOf(f, "step-limit"); limit != nil {
					limitCosts(t, limit, a.(algos.Coster), size, p.Engine)
				}
			})
		}
	}
}

// limitCosts holds the evaluations that are predicted for a largest step to those that the engine counts.
func limitCosts(t *testing.T, limit func() (float64, error), a algos.Coster, s algos.Size, e *compute.Engine) {
	without, before := a.Cost(s), e.Counters()
	_, err := limit()
	require.NoError(t, err)
	s.Limits = 1
	assert.EqualValues(t, a.Cost(s).FeatureEvals-without.FeatureEvals, e.Counters().Sub(before).FeatureEvals, "evaluations for the largest step")
}

// largeCosts holds costs of sizes that no memory holds to finite numbers that are not negative: a plan refuses such a size by
// them, so none may overflow.
func largeCosts(t *testing.T, a algos.Algorithm) {
	const most, long = math.MaxInt32, 1e15
	large := map[string]any{}
	for _, k := range []string{"features", "landmarks", "centres", "rank", "directions", "batch", "block", "blocks", "subsample", "estimates", "sketch"} {
		large[k] = most
	}
	for _, a := range []algos.Algorithm{a, With(a, large)} {
		for _, s := range []algos.Size{
			{N: most, In: most, Out: 1, Steps: long, Evals: 1e5},
			{N: most, In: most, Out: most, Steps: long, Evals: 1e5, Test: most},
			{N: most, In: 1, Out: 1, Steps: 1, Evals: 1, Stored: 1 << 27},
			{N: 2, In: most, Out: most, Steps: long, Evals: 1e5, Number: 4},
		} {
			c := reflect.ValueOf(a.(algos.Coster).Cost(s))
			for i := range c.NumField() {
				if v := c.Field(i); v.CanFloat() {
					assert.True(t, v.Float() >= 0 && v.Float() < 1e100, "%s of %+v: %v", c.Type().Field(i).Name, s, v)
				}
			}
		}
	}
}

// online is the law of algos.Traits.Online: a fit asks for the inputs of one example after another, once each, predicts each before
// it sees the targets, and never looks at the training rows. The numbers that it predicts do not change when the targets of
// later examples do.
func online(t *testing.T, a algos.Algorithm) {
	if !algos.TraitsOf(a).Online {
		t.Skip("the method is not online")
	}
	const rounds, changed = 40, 25
	predict := func(change float64) [][]float64 {
		p := Problem(lawPoints, losses.Square{})
		d := p.Train.(*Samples)
		s := &strictStream{d: d, changed: changed, change: change}
		p.Train, p.Stream = blind{d}, s
		f, err := a.Start(p)
		require.NoError(t, err)
		Steps(t, f, rounds)
		assert.Len(t, s.u, rounds, "predictions")
		return s.u
	}
	u, v := predict(0), predict(1)
	assert.Equal(t, u[:changed+1], v[:changed+1], "the target of example %d is known before its prediction", changed)
	assert.NotEqual(t, u[changed+1:], v[changed+1:], "nothing is learnt of example %d", changed)
}

// A strictStream panics where a fit breaks the protocol. It adds change to the targets of the example changed.
type strictStream struct {
	d       *Samples
	u       [][]float64
	asked   bool
	changed int
	change  float64
}

func (s *strictStream) Inputs(t int64) []float64 {
	if s.asked || t != int64(len(s.u)) {
		panic(fmt.Sprintf("the inputs of example %d are asked for after %d predictions", t, len(s.u)))
	}
	s.asked = true
	return s.d.X.Row(int(t))
}

func (s *strictStream) Reveal(t int64, u []float64) []float64 {
	if !s.asked || t != int64(len(s.u)) {
		panic(fmt.Sprintf("the targets of example %d are asked for after %d predictions", t, len(s.u)))
	}
	s.asked = false
	s.u = append(s.u, append([]float64(nil), u...))
	y := append([]float64(nil), s.d.Y.Row(int(t))...)
	if int(t) == s.changed {
		for c := range y {
			y[c] += s.change
		}
	}
	return y
}

// blind are samples that nobody may look at.
type blind struct{ *Samples }

func (blind) Gather([]int, compute.Matrix, compute.Matrix) {
	panic("an online fit looks at the training rows")
}

// unsupported is the law of algos.Unsupported: Start says that it does not solve a problem before it reads a row, and the number of
// rows is no reason. A plan therefore skips the cells that a run skips.
func unsupported(t *testing.T, a algos.Algorithm) {
	a = With(a, lawSettings["single"])
	at := compute.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 6)}
	variants := map[string]func(p *algos.Problem){
		"as it is":     func(*algos.Problem) {},
		"without ν":    func(p *algos.Problem) { p.Nu = 0 },
		"file order":   func(p *algos.Problem) { p.FileOrder = true },
		"other kernel": func(p *algos.Problem) { p.Kernel = kernels.Laplacian{Sigma: 1} },
		"variances":    func(p *algos.Problem) { p.Train = KernelTargets(p, at).Train },
		"mean too": func(p *algos.Problem) {
			p.Train = algos.KernelTargets{Samples: p.Train, Kernel: p.Kernel, At: at, Mean: true}
		},
	}
	for _, loss := range losses.Names() {
		for variant, change := range variants {
			t.Run(loss+"/"+variant, func(t *testing.T) {
				p := Problem(lawPoints, Loss(t, loss))
				change(p)
				asked := algos.Unsupported(a, p)
				_, err := a.Start(p)
				if !errors.Is(err, algos.ErrUnsupported) {
					require.NoError(t, asked, "Start solves it")
					return
				}
				assert.EqualError(t, asked, err.Error(), "Start must say so before it reads a row or uses the engine")
				in, out := p.Train.Dims()
				many := *p
				many.Train = algos.NoRows{N: 50 * lawPoints, In: in, Out: out}
				if _, kernels := p.Train.(algos.KernelTargets); !kernels {
					assert.EqualError(t, algos.Unsupported(a, &many), err.Error(), "more rows are no other answer")
				}
			})
		}
	}
}
