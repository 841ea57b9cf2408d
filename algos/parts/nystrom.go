package parts

import (
	"errors"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
)

// nystromFeatures are z(x) = Λ^(-1/2) Uᵀ k(S, x). Their base features are k(x, S).
type nystromFeatures struct {
	p    *algos.Problem
	s    compute.Matrix // landmarks
	root compute.Matrix // U Λ^(-1/2), landmarks × kept directions
}

// DrawLandmarks returns the Nyström features of r landmarks S, for the named method. The landmarks depend on the problem's
// seed only, so that all methods of a comparison share them. Eigenvectors of k(S, S) whose eigenvalue is at most jitter
// times the largest are dropped.
func DrawLandmarks(method string, p *algos.Problem, r int, jitter float64) (Features, error) {
	n := p.Train.Len()
	if n < r {
		return nil, fmt.Errorf("%w: %s draws %d landmarks from %d training rows", algos.ErrUnsupported, method, r, n)
	}
	in, out := p.Train.Dims()
	rows := compute.NewStream(p.Seed, "landmarks", 0).Perm(n)[:r]
	s, y := compute.NewMatrix(r, in), compute.NewMatrix(r, out)
	p.Train.Gather(rows, s, y)
	z, err := landmarkFeatures(p, s, jitter)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return z, nil
}

// landmarkFeatures returns the Nyström features of given landmarks.
func landmarkFeatures(p *algos.Problem, s compute.Matrix, jitter float64) (Features, error) {
	k := p.Engine.KernelMatrix(p.Kernel, s, s)
	values, u, err := Symmetric(p.Engine, k, s.Rows)
	if err != nil {
		return nil, fmt.Errorf("k(S, S): %w", err)
	}
	defer func() {
		p.Engine.Reuse(k)
		p.Engine.Reuse(u)
	}()
	kept := 0
	for kept < len(values) && values[kept] > jitter*values[0] {
		kept++
	}
	if kept == 0 {
		return nil, errors.New("k(S, S) has no positive eigenvalue")
	}
	root := compute.NewMatrix(s.Rows, kept)
	for j := range kept { // the smallest first
		i := kept - 1 - j
		for l := range s.Rows {
			root.Set(l, j, u.At(l, i)/math.Sqrt(values[i]))
		}
	}
	return nystromFeatures{p, s, root}, nil
}

func (z nystromFeatures) Width() int { return z.root.Cols }

func (z nystromFeatures) Memory() int { return len(z.s.Data) + len(z.root.Data) }

func (z nystromFeatures) At(x compute.Matrix) compute.Matrix {
	return z.p.Engine.KernelMatrix(z.p.Kernel, x, z.s)
}

func (z nystromFeatures) Explicit(base compute.Matrix) compute.Matrix {
	return z.p.Engine.Mul(base, z.root, false)
}

func (z nystromFeatures) Apply(base, w compute.Matrix) compute.Matrix {
	e := z.p.Engine
	return e.Mul(base, e.Mul(z.root, w, false), false)
}

func (z nystromFeatures) Predict(x, w compute.Matrix) compute.Matrix {
	e := z.p.Engine
	return inParts(e, z.At, x, e.Mul(z.root, w, false))
}

func (z nystromFeatures) Transpose(base, r compute.Matrix) compute.Matrix {
	return z.Block(base, r, 0, z.Width())
}

func (z nystromFeatures) Block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	e := z.p.Engine
	return e.Mul(z.root.ColRange(lo, hi), e.Mul(base, r, true), true)
}
