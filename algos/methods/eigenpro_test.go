package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/parts"
)

// preconditioned is EigenPro by dense algebra on algostest.SmallSquare. α_i are coefficients of all points, X_m is a batch, X_s a subsample
// and r = K(X_m, X)α - y_m; an iteration makes
//
//	α_m ← α_m - (η/m)r,  α_s ← α_s + (η/m)V D Vᵀ K(X_s, X_m)r
type preconditioned struct {
	k, v  mat.Matrix // K of all points, and V
	d     []float64
	sub   []int
	alpha *mat.VecDense
}

// ofSubsample returns EigenPro 2.0 with the kernel of q directions of a subsample of s rows: the d_j are (1 - (λ_q/λ_j)^exponent)/(sλ_j).
func ofSubsample(t *testing.T, p *algos.Problem, s, q int, exponent float64) *preconditioned {
	t.Helper()
	k, sub := algostest.NewExactGram(t, p).K, parts.Subsample(p, s)
	values, v := algostest.Spectrum(t, block(k, sub, sub)) // sλ
	d := make([]float64, q-1)
	for j := range d {
		d[j] = (1 - math.Pow(values[q-1]/values[j], exponent)) / values[j]
	}
	return &preconditioned{k, v.Slice(0, s, 0, q-1), d, sub, mat.NewVecDense(7, nil)}
}

func (p *preconditioned) step(rows []int, eta float64) { // η/m
	var r, s, along mat.VecDense
	r.MulVec(rowsOf(p.k, rows), p.alpha)
	for b, i := range rows {
		r.SetVec(b, eta*(r.AtVec(b)-algostest.Targets[i]))
	}
	for b, i := range rows {
		p.alpha.SetVec(i, p.alpha.AtVec(i)-r.AtVec(b))
	}
	s.MulVec(block(p.k, p.sub, rows), &r)
	along.MulVec(p.v.T(), &s)
	along.MulElemVec(&along, mat.NewVecDense(len(p.d), p.d))
	s.MulVec(p.v, &along)
	for a, i := range p.sub {
		p.alpha.SetVec(i, p.alpha.AtVec(i)+s.AtVec(a))
	}
}

// values returns f at all points.
func (p *preconditioned) values() []float64 { return product(p.k, p.alpha) }

// Iterations of ma2017 Table 2 with the exact eigenvectors, for both flattenings and a τ, and of EigenPro 2.0 with a subsample of five of
// seven points, the last on one row alone; K is stored or not. Seven points and a sketch of seven columns make RSVD exact.
func TestEigenProByHand(t *testing.T) {
	const k, m, eta = 3, 3, 0.7
	exact := func(flatten float64) *preconditioned {
		g, d := algostest.NewExactGram(t, algostest.SmallSquare()), make([]float64, k)
		for j := range d {
			d[j] = (1 - 0.5*math.Pow(g.Values[k]/g.Values[j], flatten)) / g.Values[j]
		}
		return &preconditioned{g.K, g.Vectors.Slice(0, 7, 0, k), d, []int{0, 1, 2, 3, 4, 5, 6}, mat.NewVecDense(7, nil)}
	}
	settings := EigenProSettings{Batch: m, Directions: k, Subsample: 7, Tau: 0.5, Flatten: "sqrt", Step: constant(eta)}
	full := settings
	full.Flatten = "full"
	for _, memory := range []int64{0, -1} {
		for _, c := range []struct {
			a     algos.Algorithm
			want  *preconditioned
			steps int
		}{
			{&EigenPro{settings}, exact(0.5), 2}, {&EigenPro{full}, exact(1), 2},
			{&EigenPro2{Batch: m, Device: 1, Subsample: 5, Directions: 3, Exponent: 0.95, Step: constant(eta)}, ofSubsample(t, algostest.SmallSquare(), 5, 3, 0.95), 3},
		} {
			name := fmt.Sprintf("%+v, memory %d", c.a, memory)
			p := algostest.SmallSquare()
			p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
			f := after(t, c.a, p, c.steps)
			for _, rows := range [][]int{{0, 1, 2}, {3, 4, 5}, {6}}[:c.steps] {
				c.want.step(rows, eta/m)
			}
			// Rounding errors in α are those of K times its condition number of 1e3.
			assert.InDeltaSlice(t, c.want.alpha.RawVector().Data, f.(algos.Expansion).Coefficients().Data, 1e-11, name)
			x, _ := p.Dense()
			assert.InDeltaSlice(t, c.want.values(), at(f, x), 1e-11, name)
			assert.InDeltaSlice(t, at(f, x), f.(algos.Fitter).Fitted().Data, 1e-13, name)
		}
	}
}

// The step sizes of both rules, from the exact spectrum.
func TestEigenProStepSizes(t *testing.T) {
	p := algostest.SmallSquare()
	g := algostest.NewExactGram(t, p)
	first, next := g.Values[0]/7, g.Values[3]/7
	trace, norm := 1.0, 0.0
	for _, l := range g.Values[:4] {
		trace -= l * l / 49
		norm = max(norm, l/7*(1-l/7))
	}
	ln := math.Log(8 * trace / norm / 0.05)
	for _, c := range []struct {
		rule      string
		eta, want float64
	}{
		{"code", 0, 0.75 / first * math.Sqrt(first/next)},
		{"code", 5, 5 * math.Sqrt(first/next)},
		{"full", 0, 0.75 / next},
		{"bound", 0, 1 / (next + 2*(next+1)/(3*5)*ln + math.Sqrt(2*next/5*ln))},
	} {
		a := &EigenPro{EigenProSettings{Batch: 5, Directions: 3, Subsample: 7, Tau: 1, Flatten: "sqrt", Rule: c.rule, Eta: c.eta}}
		f := algostest.Start(t, a, p).(*eigenPro)
		assert.InEpsilon(t, c.want, f.gamma(1), 1e-12, c.rule)
		assert.Equal(t, f.gamma(1), f.gamma(100))
	}
}

// A state saved with K stored continues where there is no memory for it.
func TestStatesWithoutMemory(t *testing.T) {
	for _, a := range []algos.Algorithm{
		&EigenPro{EigenProSettings{Batch: 7, Directions: 5, Subsample: 60, Tau: 1, Flatten: "sqrt", Rule: "code"}},
		&EigenPro2{Batch: 7, Device: 1, Subsample: 40, Directions: 5, Exponent: 0.95},
	} {
		p, q := squares(60, 0), squares(60, 0)
		q.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: -1})
		f, g, x := after(t, a, p, 10), algostest.Start(t, a, q), algostest.Queries(3)
		algostest.Restore(t, g, algostest.Encode(t, f))
		for range 2 {
			assert.InDeltaSlice(t, at(f, x), at(g, x), 1e-10)
			algostest.Steps(t, f, 10)
			algostest.Steps(t, g, 10)
		}
		assert.InDeltaSlice(t, at(f, x), at(g, x), 1e-10)
	}
}

// EigenPro with NSVD of all rows is EigenPro with exact eigenvectors, which RSVD has with a sketch of all columns.
func TestEigenProDecompositions(t *testing.T) {
	var alpha [2][]float64
	for i, decomposition := range []string{"rsvd", "nystrom"} {
		a := &EigenPro{EigenProSettings{Batch: 3, Directions: 3, Subsample: 7, Tau: 1, Decomposition: decomposition, Flatten: "sqrt", Rule: "code"}}
		alpha[i] = after(t, a, algostest.SmallSquare(), 5).(algos.Expansion).Coefficients().Data
	}
	assert.InDeltaSlice(t, alpha[0], alpha[1], 1e-10) // condition number 1e3
}
