package parts

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// A driftCase is a stream of the Taylor functions of order 2 and σ = 1. The inputs of a row are x_0 + spread·(z_j - x_0), with
// x_0 and z_j uniform on [-1, 1]: with a small spread they are nearly collinear, and A nearly singular.
type driftCase struct {
	inputs         int
	spread, lambda float64
}

func (c driftCase) String() string {
	return fmt.Sprintf("r=%v/spread=%v/lambda=%v", TaylorFunctions(c.inputs, 2), c.spread, c.lambda)
}

// A driftResult is what a stream gave.
type driftResult struct {
	drift   float64 // largest
	off     float64 // largest distance of a prediction from that of a direct solve
	renewed int64
}

// run makes a number of rounds. After every few of them, a multiple of summedRounds, it compares a prediction with that of a direct
// solve. It requires that the difference agrees with the residuals ρ of both: a prediction u = bᵀp/(1 + vᵀp) with Ap = v + ρ is off by at most
// (|A⁻¹b| + |u||A⁻¹v|)|ρ|. The norms are those of a direct solve, and off by less than a tenth.
func (c driftCase) run(t testing.TB, rounds, every int) (d driftResult) {
	g, err := NewTaylor(c.inputs, 2, 1)
	require.NoError(t, err)
	r := g.Len()
	f := NewRidgeInverse(compute.NewEngine(compute.Options{Threads: 1}), r, c.lambda, &RidgeInverseState{})
	s := compute.NewStream(1, "drift", 0)
	x, p := make([]float64, c.inputs), make([]float64, r)
	v, b, a := mat.NewVecDense(r, nil), mat.NewVecDense(r, nil), mat.NewSymDense(r, nil)
	for i := range r {
		a.SetSym(i, i, c.lambda)
	}
	for round := range rounds {
		x[0] = 2*s.Float64() - 1
		for j := 1; j < len(x); j++ {
			x[j] = x[0] + c.spread*(2*s.Float64()-1-x[0])
		}
		g.At(v.RawVector().Data, x)
		f.Apply(p, v.RawVector().Data)
		if round > 0 && round%every == 0 {
			var chol mat.Cholesky
			require.True(t, chol.Factorize(a))
			var z, w mat.VecDense
			require.NoError(t, chol.SolveVecTo(&z, v))
			require.NoError(t, chol.SolveVecTo(&w, b))
			forecast := func(p mat.Vector) float64 { return mat.Dot(b, p) / (1 + mat.Dot(v, p)) }
			residual := func(p mat.Vector) float64 {
				var back mat.VecDense
				back.MulVec(a, p)
				back.SubVec(&back, v)
				return back.Norm(2)
			}
			mine := mat.NewVecDense(r, p)
			u := forecast(&z)
			off, bound := math.Abs(forecast(mine)-u), (w.Norm(2)+math.Abs(u)*z.Norm(2))*(residual(mine)+residual(&z))
			assert.LessOrEqual(t, off, 1.1*bound, "%v: round %d", c, round)
			drift, _ := f.drift(v.RawVector().Data)
			d.drift, d.off = max(d.drift, drift), max(d.off, off)
		}
		f.Add(v.RawVector().Data, p)
		a.SymRankOne(a, 1, v)
		b.AddScaledVec(b, math.Sin(3*x[0]), v)
	}
	d.renewed = f.Renewed
	return d
}

// Where A is not nearly singular, the drift stays within its bound; a small λ takes one renewal, of the errors that the first
// rounds left. Where it is, A⁻¹ is renewed at many checks, and predictions stay near those of a direct solve.
func TestRidgeInverseDrift(t *testing.T) {
	for _, c := range []struct {
		driftCase
		rounds     int
		drift, off float64 // allowed
		renewed    []int64 // from and to
	}{
		{driftCase{8, 1, 1}, 9000, allowedDrift, 1e-12, []int64{0, 0}},
		{driftCase{8, 1, 1e-6}, 9000, allowedDrift, 1e-12, []int64{1, 1}},
		{driftCase{8, 1e-3, 1}, 9000, allowedDrift, 1e-11, []int64{0, 0}},
		{driftCase{8, 1e-3, 1e-6}, 9000, math.Inf(1), 1e-7, []int64{2, 9}},
		{driftCase{18, 1, 1}, 2000, allowedDrift, 1e-12, []int64{0, 0}},
	} {
		d := c.run(t, c.rounds, 4*summedRounds)
		assert.LessOrEqual(t, d.drift, c.drift, "%v", c)
		assert.LessOrEqual(t, d.off, c.off, "%v", c)
		assert.True(t, c.renewed[0] <= d.renewed && d.renewed <= c.renewed[1], "%v: renewed %d times", c, d.renewed)
	}
}

// A⁻¹ is checked every 4,096 rounds, and before that after 64, 128, 256, …
func TestRidgeInverseIsChecked(t *testing.T) {
	var at []int64
	for rounds := range int64(3*checkRounds + 1) {
		if (&RidgeInverse{RidgeInverseState: &RidgeInverseState{Rounds: rounds}}).checked() && rounds > 0 {
			at = append(at, rounds)
		}
	}
	assert.Equal(t, []int64{64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288}, at)
}

// A state that is opened again continues with the same bits.
func TestOpenRidgeInverse(t *testing.T) {
	const r = 11
	e := compute.NewEngine(compute.Options{Threads: 1})
	f := NewRidgeInverse(e, r, 0.5, &RidgeInverseState{})
	s := compute.NewStream(1, "open", 0)
	v, p, q := make([]float64, r), make([]float64, r), make([]float64, r)
	for range 70 {
		for i := range v {
			v[i] = s.Normal()
		}
		f.Apply(p, v)
		OpenRidgeInverse(e, r, f.RidgeInverseState).Apply(q, v)
		assert.Equal(t, p, q)
		f.Add(v, p)
	}
}

// A round allocates nothing.
func TestRidgeInverseAllocatesNothing(t *testing.T) {
	f := NewRidgeInverse(compute.NewEngine(compute.Options{Threads: 1}), 45, 1, &RidgeInverseState{})
	v, p := make([]float64, 45), make([]float64, 45)
	floats.AddConst(0.1, v)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		f.Apply(p, v)
		f.Add(v, p)
	}))
}

// BenchmarkRidgeInverseDrift makes 10⁶ rounds of every stream (go test ./algos/parts -run XX -bench Drift -benchtime 1x).
func BenchmarkRidgeInverseDrift(b *testing.B) {
	for _, c := range []driftCase{{8, 1, 1}, {8, 1, 1e-6}, {8, 1e-3, 1}, {8, 1e-3, 1e-6}, {18, 1, 1}, {18, 1e-3, 1e-6}} {
		b.Run(c.String(), func(b *testing.B) {
			for range b.N {
				d := c.run(b, 1_000_000, 16*summedRounds)
				b.ReportMetric(d.drift/1e-15, "1e-15-drift")
				b.ReportMetric(d.off/1e-15, "1e-15-off")
				b.ReportMetric(float64(d.renewed), "renewed")
			}
		})
	}
}
