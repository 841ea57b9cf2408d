// Package diaz2023 adds KRILL of [Díaz, Epperly, Frangella, Tropp & Webber, Robust, randomized preconditioning for kernel ridge
// regression, 2023] to the program that imports it, two data sets, and experiments. The paper's conjugate gradients on all rows are
// the method pcg of repro.
package diaz2023

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*krill]("krill", "kernel ridge regression on k centres by conjugate gradients with a sketched Gram matrix [Díaz et al. 2023]", func() algos.Algorithm {
	return &KRILL{Centres: 1000, Pivots: parts.Uniform, Signs: 8, Precondition: true, Tolerance: 1e-9}
}, algos.Known("relative-gradient", (*krill).relativeGradient))

// KRILL is kernel ridge regression restricted to f = Σ_j β_j k(s_j, ·) with k centres S among the training rows X [diaz2023]. It
// solves
//
//	(AᵀA + μ K(S, S)) β = Aᵀy,  A = K(X, S),  μ = nν
//
// by conjugate gradients from β = 0, an iteration a step and each output by itself, with the preconditioner
//
//	P = BᵀB + μ K(S, S),  B = ΦA
//
// Φ is a sparse random sign embedding with 2k rows: each column has Signs entries ±1/√Signs in rows drawn without replacement. It is
// done once every residual of the system is at most Tolerance times its right side.
//
// Departures. K(S, S) has a jitter of k·tr(K(S, S))·2⁻⁵³ on its diagonal. P has tr P·2⁻⁵³ on its own, and as much more as its Cholesky
// factor needs: where centres are close, P is singular to rounding errors. A preconditioner changes no solution.
type KRILL struct {
	Centres      int     `toml:"centres" want:"> 0" doc:"number of centres k"`
	Pivots       string  `toml:"pivots" want:"uniform|greedy|rpcholesky" doc:"how the centres are chosen"`
	Signs        int     `toml:"signs" want:"> 0" doc:"entries of a column of Φ that are not zero"`
	Precondition bool    `toml:"precondition" doc:"use P; without it, the identity"`
	Tolerance    float64 `toml:"tolerance" want:">= 0" doc:"relative residual that ends the iterations"`
}

// krillState is all that a step changes.
type krillState struct {
	parts.Count
	parts.Conjugates
	Beta []float64
}

type krill struct {
	krillState
	p     *algos.Problem
	mu    float64
	s     compute.Matrix   // centres
	a     compute.Operator // A
	kss   compute.Matrix
	u     compute.Matrix // upper Cholesky factor of P, empty without it
	n     int
	out   int
	right compute.Matrix // Aᵀy
}

// Start implements algos.Algorithm. It needs the square loss and ν > 0.
func (c *KRILL) Start(p *algos.Problem) (algos.Fit, error) {
	n := p.Train.Len()
	switch {
	case p.Loss != (losses.Square{}):
		return nil, fmt.Errorf("%w: krill needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	case !(p.Nu > 0):
		return nil, fmt.Errorf("%w: krill needs ν > 0, got %g", algos.ErrUnsupported, p.Nu)
	case c.Centres > n:
		return nil, fmt.Errorf("%w: krill chooses %d centres of %d training rows", algos.ErrUnsupported, c.Centres, n)
	}
	x, y := p.Dense()
	e := p.Engine
	f := &krill{p: p, mu: float64(n) * p.Nu, s: x.Select(c.choose(p, x)), n: n, out: y.Cols}
	f.kss = e.KernelMatrix(p.Kernel, f.s, f.s)
	f.kss.AddToDiagonal(float64(f.kss.Rows) * trace(f.kss) * unit)
	f.a = e.Store(e.Kernel(p.Kernel, x, f.s))
	if c.Precondition {
		if err := f.sketch(x, c.Signs); err != nil {
			return nil, err
		}
	}
	b := compute.NewMatrix(f.s.Rows, f.out)
	f.a.MulTransTo(b, y)
	f.right, f.Beta = b, make([]float64, len(b.Data))
	f.Begin(b, f.precondition, c.Tolerance)
	return f, nil
}

// unit of rounding in float64.
const unit = 0x1p-53

func trace(m compute.Matrix) (sum float64) {
	for i := range m.Rows {
		sum += m.At(i, i)
	}
	return sum
}

// choose returns the rows of the centres.
func (c *KRILL) choose(p *algos.Problem, x compute.Matrix) []int {
	if c.Pivots == parts.Uniform {
		return compute.NewStream(p.Seed, "pivots", 0).Perm(x.Rows)[:c.Centres]
	}
	return parts.Approximate(p, x, c.Pivots, c.Centres, 0).Rows
}

// sketch makes the Cholesky factor of P. Column i of Φ belongs to row i of A and is drawn from stream i.
func (f *krill) sketch(x compute.Matrix, signs int) error {
	const together = 256
	b := compute.NewMatrix(2*f.s.Rows, f.s.Rows)
	signs = min(signs, b.Rows)
	for lo := 0; lo < f.n; lo += together {
		a := f.p.Engine.KernelMatrix(f.p.Kernel, x.RowRange(lo, min(f.n, lo+together)), f.s)
		for i := range a.Rows {
			draw := compute.NewStream(f.p.Seed, "sign embedding", uint64(lo+i))
			for _, to := range distinct(draw, b.Rows, signs) {
				entry := 1 / math.Sqrt(float64(signs))
				if draw.Float64() < 0.5 {
					entry = -entry
				}
				floats.AddScaled(b.Row(to), entry, a.Row(i))
			}
		}
	}
	full := compute.NewMatrix(f.s.Rows, f.s.Rows)
	f.p.Engine.Syrk(full, 1, b, true, 0)
	full.AddScaled(f.mu, f.kss)
	var ok bool
	if f.u, ok = parts.Shifted(f.p.Engine, full, trace(full)*unit, trace(full)); !ok {
		return fmt.Errorf("krill: P, of %d rows, has no Cholesky factor, even with its trace on its diagonal", full.Rows)
	}
	return nil
}

// distinct returns k different numbers below n, in the order in which they are drawn.
func distinct(s *compute.Stream, n, k int) []int {
	drawn := make([]int, 0, k)
	for len(drawn) < k {
		if v := s.IntN(n); !slices.Contains(drawn, v) {
			drawn = append(drawn, v)
		}
	}
	return drawn
}

// precondition returns P⁻¹r.
func (f *krill) precondition(r compute.Matrix) compute.Matrix {
	z := r.Clone()
	if f.u.Rows > 0 {
		f.p.Engine.Trsm(f.u, true, z)
		f.p.Engine.Trsm(f.u, false, z)
	}
	return z
}

// system returns (AᵀA + μ K(S, S)) v.
func (f *krill) system(v compute.Matrix) compute.Matrix {
	u, h := compute.NewMatrix(f.n, v.Cols), compute.NewMatrix(v.Rows, v.Cols)
	f.a.MulTo(u, v)
	f.a.MulTransTo(h, u)
	f.p.Engine.Gemm(h, f.mu, f.kss, false, v, false, 1)
	return h
}

// Step implements algos.Fit.
func (f *krill) Step() (algos.Progress, error) {
	if f.Solved() {
		return algos.Progress{Done: true}, nil
	}
	if !f.Move(parts.View(f.Beta, f.out), f.system, f.precondition) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	made := f.Stepped(f.n)
	made.Done = f.Solved()
	return made, nil
}

// Model implements algos.Fit.
func (f *krill) Model() algos.Model { return algos.Predictor(f.predict) }

func (f *krill) predict(x compute.Matrix) compute.Matrix {
	return parts.KernelSum(f.p, x, f.s, parts.View(f.Beta, f.out))
}

// State implements algos.Fit.
func (f *krill) State() any { return &f.krillState }

// relativeGradient returns the relative residual of the system, computed anew.
func (f *krill) relativeGradient() float64 {
	h := f.system(parts.View(f.Beta, f.out))
	h.AddScaled(-1, f.right)
	return floats.Norm(h.Data, 2) / floats.Norm(f.right.Data, 2)
}

// Footprint implements algos.Sizer: the centres and their coefficients.
func (f *krill) Footprint() int64 { return 8 * int64(len(f.s.Data)+len(f.Beta)) }

// Cost implements algos.Coster: A once for its sketch and, if it is not stored, twice a step and twice more; greedy and drawn
// pivots cost n kernel values each besides.
func (c *KRILL) Cost(s algos.Size) algos.Cost {
	n, k, steps := float64(s.N), float64(c.Centres), float64(s.Steps)
	cost := algos.Cost{KernelEvals: k*k + s.Evaluated(n*k, 2*steps+1), EvalCost: k * float64(s.Evals)}
	cost.Reads = 2 * steps * n * k
	cost.Flops = steps * 2 * k * k * float64(s.Out)
	numbers := 2*n*float64(s.Out) + n*float64(s.In) + 2*k*k
	if c.Precondition {
		cost.KernelEvals += n * k
		cost.Flops += float64(c.Signs)*n*k*2 + 3*k*k*k
		numbers += 4*k*k + 256*k
	}
	cost.Bytes = 8*numbers + s.StoredBytes(n*k)
	if c.Pivots != parts.Uniform {
		parts.AddApproximation(&cost, s, c.Pivots, k, 0)
	}
	return cost
}
