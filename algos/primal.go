package algos

import (
	"fmt"
	"math"

	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

var (
	_ = register("gd", func() Algorithm { return &GD{Subsample: 4800} })
	_ = register("pegasos", func() Algorithm { return &Pegasos{Batch: 256, Subsample: 4800} })
)

// GD is gradient descent on the whole training sample in the RKHS, the Richardson iteration of ma2017
// eq. (5). In the coefficients of f = Σ_i α_i k(x_i, ·), ma2017 Sec. 3.2 without its preconditioner,
//
//	α ← (1 - ην) α - η (1/n) l'(Kα, y)
//
// with l' = Kα - y for the square loss. The step is η = 1.5/(2λ_1) unless the spec gives one, λ_1 the
// largest eigenvalue of K/n, from RSVD with a subsample, as in the authors' released code.
//
// Iterates that lie far apart need not be made one by one. A step is the map α ← Mα + (η/n)y, M = (1 - ην)I - (η/n)K,
// and from α = 0, with leap, iterates t + s follow from t by
//
//	α_(t+s) = M^s α_t + α_s,  M^(2s) = (M^s)²,  α_(2s) = M^s α_s + α_s
//
// where the products are less work: the same iterates, up to rounding.
//
// Departures. The paper's H and b have a factor 2, which it leaves out in its Tables 1 and 2 and in its
// code, and which η makes up for. It has no ν and the square loss only.
type GD struct {
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
	Leap      bool               `toml:"leap,young" doc:"reach far iterates by powers of I - ηK/n where that costs less"`
}

// Pegasos is what ma2017 calls so: stochastic gradient descent in the RKHS with a constant step, whose
// centres are all training rows. Iteration t draws m rows of K and sets the coefficients of these rows,
// ma2017 Table 2 without its preconditioner,
//
//	g_m ← (1/m) l'(K_m α, y_m),  α ← (1 - ην) α,  α_m ← α_m - η g_m
//
// The step is that of GD unless the spec gives one.
//
// Departures. Rows are drawn without replacement within an epoch. The paper has no ν, no projection and
// the square loss only.
type Pegasos struct {
	Batch     int                `toml:"batch" want:"> 0" doc:"examples per iteration m"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

// primalState is the coefficients of f = Σ_i α_i k(x_i, ·), one row a training row and one column an output.
type primalState struct {
	T     int
	Seen  int64
	Alpha []float64
}

type primal struct {
	primalState
	centred
	p     *Problem
	order order
	batch int // 0 for all rows
	gamma func(t int) float64
	leaps *leaps // nil for none
}

// Fits implements Declarer.
func (*GD) Fits() Fit { return (*primal)(nil) }

// Start implements Algorithm. It needs a loss without a threshold to learn; to leap, the square loss and a constant
// step.
func (a *GD) Start(p *Problem) (Fit, error) {
	var l *leaps
	if a.Leap {
		if p.Loss != (losses.Square{}) {
			return nil, fmt.Errorf("%w: gd leaps with the square loss alone, not %s: leave leap out", ErrUnsupported, p.Loss.Name())
		}
		if _, constant := a.Step.(*schedules.Constant); !constant && a.Step != nil {
			return nil, fmt.Errorf("%w: gd leaps with a constant step alone: leave leap out, or give schedule = \"constant\"", ErrUnsupported)
		}
		l = &leaps{}
	}
	return startPrimal("gd", p, 0, a.Step, a.Subsample, l)
}

// Fits implements Declarer.
func (*Pegasos) Fits() Fit { return (*primal)(nil) }

// Start implements Algorithm. It needs a loss without a threshold to learn.
func (a *Pegasos) Start(p *Problem) (Fit, error) {
	return startPrimal("pegasos", p, a.Batch, a.Step, a.Subsample, nil)
}

func startPrimal(method string, p *Problem, batch int, step schedules.Schedule, subsample int, l *leaps) (Fit, error) {
	if p.learnsThreshold() {
		return nil, fmt.Errorf("%w: %s learns no threshold, which the loss %s needs", ErrUnsupported, method, p.Loss.Name())
	}
	f := &primal{p: p, order: order{p: p}, batch: batch, leaps: l}
	f.centred = newCentred(p, func() compute.Matrix { return f.g.likeTargets(f.Alpha) })
	f.Alpha = make([]float64, len(f.g.y.Data))
	if step != nil {
		f.gamma = step.Gamma
		return f, nil
	}
	var err error
	f.gamma, err = ownStep(method, p, func() (float64, error) {
		s, err := f.g.eigensystem(0, sketchOfOne, subsample)
		return s.first() / float64(f.g.x.Rows), err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ownStep returns the constant step size 0.75/(λ_1 L + ν) of the named method, λ_1 the largest eigenvalue of the
// covariance and L the bound of the second derivative of l, 1 for the square loss.
func ownStep(method string, p *Problem, largest func() (float64, error)) (func(t int) float64, error) {
	smooth := p.Loss.Smoothness()
	if math.IsInf(smooth, 1) {
		return nil, fmt.Errorf("%w: %s has a step size of its own for smooth losses alone: give one for the loss %s", ErrUnsupported, method, p.Loss.Name())
	}
	first, err := largest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	eta := 0.75 / (first*smooth + p.Nu)
	return func(int) float64 { return eta }, nil
}

// Step implements Fit.
func (f *primal) Step() (Progress, error) {
	alpha, gamma := f.alpha(), f.gamma(f.T+1)
	var rows []int // nil for all
	k, y := f.g.k, f.g.y
	if f.batch > 0 {
		rows = f.order.rows(f.Seen, f.batch)
		k, y = f.g.k.(compute.Selectable).Select(rows), f.g.targets(rows)
	}
	r := compute.NewMatrix(y.Rows, alpha.Cols)
	k.MulTo(r, alpha)
	if !f.p.residual(r, y) {
		return Progress{}, diverged(f.T + 1)
	}
	if shrink := 1 - gamma*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	if rows == nil {
		alpha.AddScaled(-gamma/float64(r.Rows), r)
	} else {
		addRows(alpha, rows, -gamma/float64(r.Rows), r)
	}
	f.T++
	f.Seen += int64(r.Rows)
	return Progress{Seen: r.Rows}, nil
}

// addRows adds s times row i of m to row rows[i] of dst.
func addRows(dst compute.Matrix, rows []int, s float64, m compute.Matrix) {
	for i, r := range rows {
		to := dst.Row(r)
		for j, v := range m.Row(i) {
			to[j] += s * v
		}
	}
}

// State implements Fit.
func (f *primal) State() any { return &f.primalState }

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *primal) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.g.x.Data)) }

// BatchSize implements Batcher.
func (a *Pegasos) BatchSize() int { return a.Batch }

// Cost implements Coster. Leaps count as those of a curve whose points are at doubling iterations.
func (a *GD) Cost(s Size) Cost {
	c, n := gramCost(s, float64(s.N)), float64(s.N)
	if least := leastLeap(s.N, s.Out); a.Leap && s.stores(n*n) && s.Steps > 2*least {
		c.Reads *= float64(2*least) / float64(s.Steps)
		c.Flops += n * n * n * math.Log2(float64(s.Steps))
		c.Bytes += 3 * 8 * n * n
	}
	return c
}

// Cost implements Coster.
func (a *Pegasos) Cost(s Size) Cost { return gramCost(s, float64(a.Batch)) }

// stores says whether a kernel matrix with so many entries is kept in memory.
func (s Size) stores(entries float64) bool { return s.Stored == 0 || entries <= float64(s.Stored) }

// gramCost is that of steps that multiply so many rows of K, which is evaluated once if there is memory for it, and
// else the rows of every step.
func gramCost(s Size, rows float64) Cost {
	n := float64(s.N)
	c := Cost{EvalCost: n * float64(s.Evals), Bytes: 8 * n * float64(s.In+2*s.Out)}
	if s.stores(n * n) {
		c.KernelEvals, c.Bytes = n*n, c.Bytes+4*n*n
		c.Reads = rows * n * float64(s.Steps)
	} else {
		c.KernelEvals = rows * n * float64(s.Steps)
	}
	return c
}
