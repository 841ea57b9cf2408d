package methods

import (
	mathbits "math/bits"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

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

func (f *gd) Leap(n int) (int, algos.Progress, error) {
	rows := f.Gram.X.Rows
	if f.leaps == nil || n < 2 || !compute.IsStored(f.Gram.K) || !leapPays(n, rows, f.Gram.Y.Cols) {
		p, err := f.Step()
		return 1, p, err
	}
	alpha := f.Coefficients()
	var next compute.Matrix
	f.p.Engine.InDouble(func() {
		f.leapTo(n)
		next = f.leaps.v.Clone()
		f.p.Engine.Gemm(next, 1, f.leaps.m, false, alpha, false, 1)
	})
	if !next.Finite() {
		return n, algos.Progress{}, parts.Diverged(f.T + n)
	}
	alpha.CopyFrom(next)
	f.T += n
	f.Seen += int64(n) * int64(rows)
	return n, algos.Progress{Seen: n * rows}, nil
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
		f.p.Engine.Gemm(l.v, 1, l.m, false, l.v.Clone(), false, 1)
		f.p.Engine.Syrk(l.spare, 1, l.m, false, 0)
		l.m, l.spare, l.s = l.spare, l.m, 2*l.s
		if l.s <= odd && odd>>(mathbits.Len(uint(odd))-mathbits.Len(uint(l.s)))&1 == 1 {
			f.p.Engine.Gemm(l.spare, 1, l.m, false, f.stepMap(), false, 0)
			l.m, l.spare, l.s, l.v = l.spare, l.m, l.s+1, f.afterOne(l.v)
		}
	}
}

// stepMap returns M.
func (f *gd) stepMap() compute.Matrix {
	m := compute.Entries(f.Gram.K)
	eta := f.gamma(1)
	m.Scale(-eta / float64(m.Rows))
	for i := range m.Rows {
		m.Set(i, i, m.At(i, i)+(1-eta*f.p.Nu))
	}
	return m
}

// afterOne returns α after one more iteration, without changing the fit.
func (f *gd) afterOne(alpha compute.Matrix) compute.Matrix {
	eta := f.gamma(1)
	next := compute.NewMatrix(alpha.Rows, alpha.Cols)
	f.Gram.K.MulTo(next, alpha)
	next.AddScaled(-1, f.Gram.Y)
	next.Scale(-eta / float64(next.Rows))
	next.AddScaled(1-eta*f.p.Nu, alpha)
	return next
}
