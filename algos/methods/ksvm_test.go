package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// solved returns a solved SVM and β of every training row and output.
func solved(t *testing.T, p *algos.Problem, gap float64) (f *ksvm, beta compute.Matrix) {
	t.Helper()
	f = algostest.Start(t, &KSVM{Gap: gap}, p).(*ksvm)
	require.True(t, math.IsInf(f.dualityGap(), 1))
	progress, err := f.Step()
	require.NoError(t, err)
	n := p.Train.Len()
	require.Equal(t, algos.Progress{Seen: n, Done: true}, progress)
	_, y := p.Dense()
	beta = compute.NewMatrix(n, y.Cols)
	for i, row := range f.state.Rows {
		for o := range y.Cols {
			beta.Set(row, o, p.Nu*float64(n)*f.Alpha[i*y.Cols+o]*y.At(row, o))
		}
	}
	return f, beta
}

// valuesOf returns f(x_i) from β.
func valuesOf(s *svm, k compute.Matrix) []float64 {
	alpha := compute.NewMatrix(k.Rows, 1)
	for j, b := range s.beta {
		alpha.Set(j, 0, s.c*s.y[j]*b)
	}
	return compute.NewEngine(compute.Options{}).Mul(k, alpha, false).Data
}

// TestKSVMGap computes the duality gap of each output from the predictor and a naive kernel: it is the
// one reported, as small as asked for and not negative.
func TestKSVMGap(t *testing.T) {
	for _, c := range []struct {
		name       string
		n          int
		nu, target float64
	}{
		{"one point", 1, 0.1, 1e-8},
		{"moderate", 200, 1e-2, 1e-8},
		{"loose", 200, 1e-3, 1e-2},
		{"small ν", 200, 1e-5, 1e-10},
		{"tiny ν", 120, 1e-8, 1e-8},
		{"all at the bound", 50, 50, 1e-12},
		{"many working sets", 900, 1e-3, 1e-9},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := algostest.Problem(c.n, losses.Hinge{})
			p.Nu = c.nu
			f, beta := solved(t, p, c.target)
			x, y := p.Dense()
			k := p.Engine.KernelMatrix(p.Kernel, x, x)
			require.Len(t, f.state.Gap, 2)
			require.Equal(t, max(f.state.Gap[0], f.state.Gap[1]), f.dualityGap())
			for o := range 2 {
				labels, alpha := y.ColRange(o, o+1), compute.NewMatrix(c.n, 1)
				for i := range c.n {
					require.True(t, beta.At(i, o) >= 0 && beta.At(i, o) <= 1+1e-12, "β = %v", beta.At(i, o))
					alpha.Set(i, 0, min(beta.At(i, o), 1)*y.At(i, o))
				}
				primal, dual := objectives(p, k, labels, alpha)
				gap := (primal - dual) / primal
				// The sums round: 1e-16 of up to 1/ν·‖K‖ a term, in proportion to P.
				slack := 1e-15 * (1 + 1/(c.nu*float64(c.n))) / primal
				assert.LessOrEqual(t, gap, c.target+slack)
				assert.GreaterOrEqual(t, gap, -slack)
				assert.InDelta(t, gap, f.state.Gap[o], slack)
			}
			if c.name == "all at the bound" {
				for _, b := range beta.Data {
					assert.Equal(t, 1.0, math.Round(b*1e12)/1e12) // to the roundings of νn·(1/(νn))
				}
			}
		})
	}
}

// TestKSVMTwins has every point twice, half of them with both labels: a singular matrix and margins
// that cannot be met.
func TestKSVMTwins(t *testing.T) {
	p := algostest.Problem(60, losses.Hinge{})
	d := p.Train.(*algostest.Samples)
	for i := range 30 {
		copy(d.X.Row(30+i), d.X.Row(i))
		copy(d.Y.Row(30+i), d.Y.Row(i))
		if i%2 == 0 {
			d.Y.Row(30 + i)[0] *= -1
		}
	}
	for _, nu := range []float64{1e-2, 1e-5} {
		p.Nu = nu
		f, _ := solved(t, p, 1e-9)
		for _, gap := range f.state.Gap {
			assert.LessOrEqual(t, gap, 1e-9)
		}
		m := f.Model().Predict(d.X)
		for i := range 30 {
			assert.Equal(t, m.Row(i), m.Row(30+i), "twins are predicted alike")
		}
	}
}

// TestKSVMIterations checks every choice against all others by its gain in D, and f(x_i) as it is kept
// against K.
func TestKSVMIterations(t *testing.T) {
	for _, nu := range []float64{1e-3, 0.05} {
		p := algostest.Problem(40, losses.Hinge{})
		p.Nu = nu
		x, y := p.Dense()
		k := p.Engine.KernelMatrix(p.Kernel, x, x)
		s := &svm{k: k, nu: nu, c: 1 / (nu * 40), y: y.ColRange(0, 1).Clone().Data, beta: make([]float64, 40), q: make([]float64, 40), f: make([]float64, 40)}
		for i := range s.q {
			s.q[i] = s.c * k.At(i, i)
		}
		bound := 0
		for range 150 {
			at, delta := s.best()
			if delta == 0 {
				break
			}
			_, before := s.gap()
			gain := func(i int, delta float64) float64 {
				trial := *s
				trial.beta, trial.f = append([]float64(nil), s.beta...), append([]float64(nil), s.f...)
				trial.move(i, s.y[i]*delta)
				_, after := trial.gap()
				return after - before
			}
			most := gain(at, delta)
			for i, b := range s.beta {
				for _, to := range []float64{0, b / 2, (1 + b) / 2, 1} {
					// D is a sum of 80 terms of up to 1/(νn)·K = 25.
					require.LessOrEqual(t, gain(i, to-b), most+1e-14)
				}
			}
			s.iterate(1)
			if s.beta[at] == 1 {
				bound++
			}
			require.InDeltaSlice(t, valuesOf(s, k), s.f, 1e-11) // 150 changes of up to 25
		}
		assert.Equal(t, nu == 0.05, bound > 0, "the bound matters for one of them")
	}
}

// TestKSVMNewton: on a problem that needs Newton steps, iterations alone stay far behind, and from
// anywhere a Newton step raises D and leaves β within its bounds and f(x_i) what they are.
func TestKSVMNewton(t *testing.T) {
	p := algostest.Problem(200, losses.Hinge{})
	p.Nu = 1e-6
	f, _ := solved(t, p, 1e-8)
	x, y := p.Dense()
	rows := p.Engine.KernelRows(p.Kernel, x, KSVMRows)
	for o := range 2 {
		s := newDecomposition(p, rows, rows.Diagonal(), y.ColRange(o, o+1), false)
		for s.iterations < f.state.Iterations[o] {
			s.round()
			trial := *s
			trial.beta, trial.f = append([]float64(nil), s.beta...), append([]float64(nil), s.f...)
			_, before := trial.gap()
			trial.newton(trial.free())
			_, after := trial.gap()
			require.Greater(t, after, before)
			for _, b := range trial.beta {
				require.True(t, b >= 0 && b <= 1)
			}
			kept := append([]float64(nil), trial.f...)
			trial.refresh(0)
			require.InDeltaSlice(t, trial.f, kept, 1e-8) // sums of 200 terms of up to 1/(νn) = 5000
		}
		gap, _ := s.gap()
		require.Greater(t, gap, 1e-6, "it takes Newton steps")
	}
}

// TestKSVMKeepsFewRows: with room for few rows, which are evaluated again and again, the solution is the same.
func TestKSVMKeepsFewRows(t *testing.T) {
	p := algostest.Problem(700, losses.Hinge{})
	p.Nu = 0.1
	x, y := p.Dense()
	k := p.Engine.KernelMatrix(p.Kernel, x, x)
	for _, biased := range []bool{false, true} {
		var beta [][]float64
		for _, most := range []int64{300, 700} {
			rows := p.Engine.KernelRows(p.Kernel, x, 8*700*most)
			before := p.Engine.Counters().KernelEvals
			s := newDecomposition(p, rows, rows.Diagonal(), y.ColRange(0, 1), biased)
			gap, err := s.solve(1e-9)
			require.NoError(t, err)
			require.LessOrEqual(t, gap, 1e-9)
			assert.Equal(t, most == 300, p.Engine.Counters().KernelEvals-before > 700*700)
			require.InDeltaSlice(t, valuesOf(&s.svm, k), s.f, 1e-10) // refreshed or not
			beta = append(beta, s.beta)
		}
		assert.InDeltaSlice(t, beta[0], beta[1], 1e-9)
	}
}

// A gap that float64 does not come to is refused.
func TestKSVMThatStays(t *testing.T) {
	p := algostest.Problem(100, losses.Hinge{})
	p.Nu = 1e-4
	_, err := algostest.Start(t, &KSVM{Gap: -1}, p).Step()
	require.Error(t, err)
	assert.Regexp(t, `^ksvm: the relative duality gap stays at [0-9.e-]+ in float64; raise gap from -1 or nu from 0.0001$`, err.Error())
}
