package algos

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// A featurizer turns points into products with a fixed feature matrix Z (one row z(x) a point).
type featurizer interface {
	// at returns the base features of x, from which the others follow.
	at(x compute.Matrix) compute.Matrix
	explicit(base compute.Matrix) compute.Matrix     // Z
	apply(base, w compute.Matrix) compute.Matrix     // Z·w
	transpose(base, r compute.Matrix) compute.Matrix // Zᵀ·r
	// block returns rows lo ≤ j < hi of Zᵀ·r.
	block(base, r compute.Matrix, lo, hi int) compute.Matrix
	width() int
	memory() int // floats kept besides w
}

// randomFeatures are z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), their own base features.
type randomFeatures struct {
	e *compute.Engine
	f compute.FeatureMap
	r int
}

// newRandomFeatures returns the r random features that all methods with the problem's seed share, for
// the named method.
func newRandomFeatures(method string, p *Problem, r int) (randomFeatures, error) {
	k, ok := p.Kernel.(kernels.Featured)
	if !ok {
		return randomFeatures{}, fmt.Errorf("%w: %s needs a kernel with random features, not %s", ErrUnsupported, method, p.Kernel.Name())
	}
	in, _ := p.Train.Dims()
	return randomFeatures{p.Engine, k.Features(p.Seed, in, r), r}, nil
}

func (z randomFeatures) width() int  { return z.r }
func (z randomFeatures) memory() int { return 0 }

func (z randomFeatures) at(x compute.Matrix) compute.Matrix {
	phi := z.e.FeatureMatrix(z.f, x, compute.Range{Lo: 0, Hi: 1})
	phi.Scale(1 / math.Sqrt(float64(z.r)))
	return phi
}

func (z randomFeatures) explicit(base compute.Matrix) compute.Matrix { return base }
func (z randomFeatures) apply(base, w compute.Matrix) compute.Matrix { return z.e.Mul(base, w, false) }
func (z randomFeatures) transpose(base, r compute.Matrix) compute.Matrix {
	return z.e.Mul(base, r, true)
}
func (z randomFeatures) block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	return z.e.Mul(base.ColRange(lo, hi), r, true)
}

// nystrom are z(x) = Λ^(-1/2) Uᵀ k(S, x); its base features are k(x, S).
type nystrom struct {
	p    *Problem
	s    compute.Matrix // landmarks
	root compute.Matrix // U Λ^(-1/2), landmarks × kept directions
}

// newNystromFeatures draws the r landmarks that all methods with the problem's seed share, for the
// named method.
func newNystromFeatures(method string, p *Problem, r int, jitter float64) (nystrom, error) {
	n := p.Train.Len()
	if n < r {
		return nystrom{}, fmt.Errorf("%w: %s draws %d landmarks from %d training rows", ErrUnsupported, method, r, n)
	}
	in, out := p.Train.Dims()
	rows := compute.NewStream(p.Seed, "landmarks", 0).Perm(n)[:r]
	s, y := compute.NewMatrix(r, in), compute.NewMatrix(r, out)
	p.Train.Gather(rows, s, y)
	z, err := newNystrom(p, s, jitter)
	if err != nil {
		return nystrom{}, fmt.Errorf("%s: %w", method, err)
	}
	return z, nil
}

// newNystrom returns the features of landmarks s without the directions of eigenvalues up to jitter
// times the largest.
func newNystrom(p *Problem, s compute.Matrix, jitter float64) (nystrom, error) {
	k := p.Engine.KernelMatrix(p.Kernel, s, s)
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(s.Rows, k.Data), true) {
		return nystrom{}, fmt.Errorf("the eigendecomposition of k(S, S), %d×%d, did not converge", s.Rows, s.Rows)
	}
	values := e.Values(nil) // ascending
	var u mat.Dense
	e.VectorsTo(&u)
	top := values[len(values)-1]
	var root compute.Matrix
	for i := range values {
		if values[i] <= jitter*top {
			continue
		}
		if root.Rows == 0 {
			root = compute.NewMatrix(s.Rows, len(values)-i)
		}
		j := root.Cols - (len(values) - i)
		for l := range s.Rows {
			root.Set(l, j, u.At(l, i)/math.Sqrt(values[i]))
		}
	}
	if root.Rows == 0 {
		return nystrom{}, errors.New("k(S, S) has no positive eigenvalue")
	}
	return nystrom{p, s, root}, nil
}

func (z nystrom) width() int  { return z.root.Cols }
func (z nystrom) memory() int { return len(z.s.Data) + len(z.root.Data) }

func (z nystrom) at(x compute.Matrix) compute.Matrix {
	return z.p.Engine.KernelMatrix(z.p.Kernel, x, z.s)
}

func (z nystrom) explicit(base compute.Matrix) compute.Matrix {
	return z.p.Engine.Mul(base, z.root, false)
}

func (z nystrom) apply(base, w compute.Matrix) compute.Matrix {
	e := z.p.Engine
	return e.Mul(base, e.Mul(z.root, w, false), false)
}

func (z nystrom) transpose(base, r compute.Matrix) compute.Matrix {
	return z.block(base, r, 0, z.width())
}

func (z nystrom) block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	e := z.p.Engine
	return e.Mul(z.root.ColRange(lo, hi), e.Mul(base, r, true), true)
}
