package methods

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*krr]("krr", "exact kernel ridge regression, by Cholesky factorisation [dai2014 eq. (1), square loss]", func() algos.Algorithm {
	return &KRR{}
})

// KRR is exact kernel ridge regression, the minimiser of dai2014 eq. (1) over the training sample
// for the square loss (u-y)²/2:
//
//	f(x) = k(x, X) α,  (K + nνI) α = y
//
// by Cholesky factorisation. It takes one step, n³/3 multiplications and 8n² bytes.
type KRR struct{}

func (*KRR) Traits() algos.Traits { return algos.Traits{Exact: true, Direct: true} }

type krr struct {
	krrState
	p    *algos.Problem
	x, y compute.Matrix
}

type krrState struct {
	Done  bool
	Alpha []float64 // n × outputs
}

// Start implements Algorithm. It needs the square loss.
func (*KRR) Start(p *algos.Problem) (algos.Fit, error) {
	if p.Loss != (losses.Square{}) {
		return nil, fmt.Errorf("%w: krr needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	}
	f := &krr{p: p}
	f.x, f.y = p.Dense()
	f.Alpha = make([]float64, f.y.Rows*f.y.Cols)
	return f, nil
}

func (f *krr) Step() (algos.Progress, error) {
	n := f.y.Rows
	if f.krrState.Done {
		return algos.Progress{Done: true}, nil
	}
	k := f.p.Engine.KernelMatrix(f.p.Kernel, f.x, f.x)
	k.AddToDiagonal(float64(n) * f.p.Nu)
	if err := f.factorise(k); err != nil {
		return algos.Progress{}, err
	}
	copy(f.Alpha, f.y.Data)
	f.p.Engine.Trsm(k, true, f.alpha())
	f.p.Engine.Trsm(k, false, f.alpha())
	f.p.Engine.Reuse(k)
	f.krrState.Done = true
	return algos.Progress{Seen: n, Done: true}, nil
}

func (f *krr) Model() algos.Model { return algos.Predictor(f.predict) }
func (f *krr) State() any         { return &f.krrState }
func (f *krr) Footprint() int64   { return 8 * int64(len(f.x.Data)+len(f.Alpha)) }

func (f *krr) SquaredNorms() []float64 {
	return parts.ExpansionNorms(f.p, f.x, f.alpha())
}

// alpha views the coefficients, one row a training row.
func (f *krr) alpha() compute.Matrix { return parts.View(f.Alpha, f.y.Cols) }

func (f *krr) predict(x compute.Matrix) compute.Matrix {
	return parts.KernelSum(f.p, x, f.x, f.alpha())
}

// factorise replaces a = K + nνI by U with UᵀU = a.
func (f *krr) factorise(a compute.Matrix) error {
	norm := a.Norm1()
	if !f.p.Engine.Cholesky(a) {
		return fmt.Errorf("krr: K + nνI is not positive definite in float64 (n = %d, nν = %g); raise nu", a.Rows, float64(a.Rows)*f.p.Nu)
	}
	if inverse := f.p.Engine.Pocon(a, norm); inverse < 1/mat.ConditionTolerance {
		return fmt.Errorf("krr: K + nνI is too ill-conditioned to solve (%w); raise nu", mat.Condition(1/inverse))
	}
	return nil
}

// passes is how often a step goes through a matrix of n² numbers: it writes it, whose pages are new, computes its norm, estimates
// the condition number by five pairs of triangular solves, as it takes on most matrices, and solves by one pair.
const passes = 2 + 1 + 5 + 1

func (*KRR) Cost(s algos.Size) algos.Cost {
	n := float64(s.N)
	return algos.Cost{KernelEvals: n * n, Flops: n*n*n/3 + 2*n*n*float64(s.Out), Reads: passes * n * n, EvalCost: n * float64(s.Evals), Bytes: 8 * n * (n + float64(s.In+s.Out))}
}
