package methods

import (
	"fmt"
	"math"
	mathbits "math/bits"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*gd]("gd", "gradient descent with the full kernel, on all training rows in every step [ma2017 eq. (5)]",
	func() algos.Algorithm { return &GD{Subsample: 4800} },
	algos.Known("relative-gradient", (*gd).RelativeGradient), algos.Computed("contraction", (*gd).contraction))

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
	parts.Iterate
	gamma func(t int) float64
	leaps *leaps // nil for none
	bound parts.Contraction
}

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
	return &gd{Iterate: i, leaps: l, gamma: gamma}, err
}

func (f *gd) Step() (algos.Progress, error) {
	alpha, eta := f.Coefficients(), f.gamma(f.T+1)
	n := alpha.Rows
	r := compute.NewMatrix(n, alpha.Cols)
	f.Gram.K.MulTo(r, alpha)
	if !parts.Residual(f.P, r, f.Gram.Y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	if shrink := 1 - eta*f.P.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta/float64(n), r)
	return f.Stepped(n), nil
}

// contraction returns the bound of parts.Contraction, with the eigenvalues of K/n.
func (f *gd) contraction() (float64, error) {
	return f.bound.OfSteps(f.P, f.gamma, f.Gram.Covariance)
}

// Cost implements Coster. It assumes leaps of a curve whose points are at iterations 1, 2, 4, ...
func (a *GD) Cost(s algos.Size) algos.Cost {
	c, n := parts.GramCost(s, float64(s.N)), float64(s.N)
	parts.AddKernelSteps(&c, s, a.Step != nil, a.Subsample)
	if least := leastLeap(s.N, s.Out); a.Leap && s.Stores(n*n) && s.Steps > 2*least {
		c.Calls = algos.StepCalls * float64(s.Evals)
		c.Reads *= float64(2*least) / float64(s.Steps)
		c.Flops += n * n * n * math.Log2(float64(s.Steps))
		c.Bytes += 4 * 8 * n * n // M^s, the next power, M where one is made, and one that waits to be collected
	}
	return c
}

// leaps is the latest power M^s of the map of a gradient step that a fit computed.
type leaps struct {
	s     int            // iterations; 0 before the first leap
	m     compute.Matrix // M^s, n×n
	v     compute.Matrix // α_s, n×out
	spare compute.Matrix // for the next power
}

// leapAdvantage says how many times the flops of the iterations that it replaces the first leap may cost. Products of
// square matrices are up to twice as fast as products with few columns. If the points of a curve are at iterations s, 2s,
// 4s, ..., each further leap costs only one squaring.
const leapAdvantage = 3

// leapPays says whether s iterations of n rows cost more than computing M^s. A squaring costs half a product, as M^s is
// symmetric; each further factor M of the odd part of s costs a whole product. Powers that are computed already do not
// count, because a restored fit, which has none, must decide in the same way.
func leapPays(s, n, out int) bool {
	odd := s >> mathbits.TrailingZeros(uint(s))
	halves := mathbits.Len(uint(s)) - 1 + 2*(mathbits.OnesCount(uint(odd))-1)
	return float64(n)*float64(halves)/2 <= leapAdvantage*float64(s)*float64(out)
}

// leastLeap returns the smallest power of two for which a leap pays.
func leastLeap(n, out int) int {
	s := 2
	for !leapPays(s, n, out) {
		s *= 2
	}
	return s
}

func (f *gd) Leap(n int, _ ...algos.Fit) []algos.Iterations {
	rows := f.Gram.X.Rows
	if f.leaps == nil || n < 2 || !compute.IsStored(f.Gram.K) || !leapPays(n, rows, f.Gram.Y.Cols) {
		return []algos.Iterations{algos.Step(f)}
	}
	alpha := f.Coefficients()
	var next compute.Matrix
	f.P.Engine.InDouble(func() {
		f.leapTo(n)
		next = f.leaps.v.Clone()
		f.P.Engine.Gemm(next, 1, f.leaps.m, false, alpha, false, 1)
	})
	if !next.Finite() {
		return []algos.Iterations{{Made: n, Err: parts.Diverged(f.T + n)}}
	}
	alpha.CopyFrom(next)
	f.T += n
	f.Seen += int64(n) * int64(rows)
	return []algos.Iterations{{Made: n, Progress: algos.Progress{Seen: n * rows}}}
}

// leapTo computes M^s and α_s, from the highest bit of s to the lowest. The result has the same bits whether or not it
// continues from a power that is there.
func (f *gd) leapTo(s int) {
	l := f.leaps
	if have := l.s; have == 0 || s%have != 0 || mathbits.OnesCount(uint(s/have)) != 1 {
		n, out := f.Gram.Y.Rows, f.Gram.Y.Cols
		*l = leaps{s: 1, m: f.stepMap(), v: f.afterOne(compute.NewMatrix(n, out)), spare: compute.NewMatrix(n, n)}
	}
	odd := s >> mathbits.TrailingZeros(uint(s))
	for l.s < s {
		f.P.Engine.Gemm(l.v, 1, l.m, false, l.v.Clone(), false, 1)
		f.P.Engine.Syrk(l.spare, 1, l.m, false, 0)
		l.m, l.spare, l.s = l.spare, l.m, 2*l.s
		if l.s <= odd && odd>>(mathbits.Len(uint(odd))-mathbits.Len(uint(l.s)))&1 == 1 {
			f.P.Engine.Gemm(l.spare, 1, l.m, false, f.stepMap(), false, 0)
			l.m, l.spare, l.s, l.v = l.spare, l.m, l.s+1, f.afterOne(l.v)
		}
	}
}

// stepMap returns M.
func (f *gd) stepMap() compute.Matrix {
	m := compute.Entries(f.Gram.K)
	eta := f.gamma(1)
	m.Scale(-eta / float64(m.Rows))
	m.AddToDiagonal(1 - eta*f.P.Nu)
	return m
}

// afterOne returns α after one more iteration, without changing the fit.
func (f *gd) afterOne(alpha compute.Matrix) compute.Matrix {
	eta := f.gamma(1)
	next := compute.NewMatrix(alpha.Rows, alpha.Cols)
	f.Gram.K.MulTo(next, alpha)
	next.AddScaled(-1, f.Gram.Y)
	next.Scale(-eta / float64(next.Rows))
	next.AddScaled(1-eta*f.P.Nu, alpha)
	return next
}
