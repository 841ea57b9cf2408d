package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*gd]("gd", "gradient descent with the full kernel, on all training rows in every step [ma2017 eq. (5)]", func() algos.Algorithm {
	return &GD{Subsample: 4800}
})

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
	Leap      bool               `toml:"leap" doc:"compute distant iterates by powers of the iteration matrix (1 - ην)I - ηK/n where that costs less than the steps"`
}

type gd struct {
	*parts.Iterate
	p     *algos.Problem
	gamma func(t int) float64
	leaps *leaps // nil for none
}

// Start implements Algorithm. It needs a loss without a threshold to learn; to leap, the square loss and a constant
// step.
func (a *GD) Start(p *algos.Problem) (algos.Fit, error) {
	var l *leaps
	if a.Leap {
		if p.Loss != (losses.Square{}) {
			return nil, fmt.Errorf("%w: gd leaps with the square loss alone, not %s: leave leap out", algos.ErrUnsupported, p.Loss.Name())
		}
		if _, constant := a.Step.(*schedules.Constant); !constant && a.Step != nil {
			return nil, fmt.Errorf("%w: gd leaps with a constant step alone: leave leap out, or give schedule = \"constant\"", algos.ErrUnsupported)
		}
		l = &leaps{}
	}
	i, gamma, err := parts.StartIterate("gd", p, a.Step, a.Subsample)
	if err != nil {
		return nil, err
	}
	return &gd{Iterate: i, p: p, leaps: l, gamma: gamma}, nil
}

func (f *gd) Step() (algos.Progress, error) {
	alpha, eta := f.Coefficients(), f.gamma(f.T+1)
	n := alpha.Rows
	r := compute.NewMatrix(n, alpha.Cols)
	f.Gram.K.MulTo(r, alpha)
	if !parts.Residual(f.p, r, f.Gram.Y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta/float64(n), r)
	return f.Stepped(n), nil
}

// Cost implements Coster. It assumes leaps of a curve whose points are at iterations 1, 2, 4, ...
func (a *GD) Cost(s algos.Size) algos.Cost {
	c, n := parts.GramCost(s, float64(s.N)), float64(s.N)
	parts.AddKernelSteps(&c, s, a.Step != nil, a.Subsample)
	if least := leastLeap(s.N, s.Out); a.Leap && s.Stores(n*n) && s.Steps > 2*least {
		c.Reads *= float64(2*least) / float64(s.Steps)
		c.Flops += n * n * n * math.Log2(float64(s.Steps))
		c.Bytes += 4 * 8 * n * n // M^s, the next power, M where one is made, and one that waits to be collected
	}
	return c
}
