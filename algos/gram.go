package algos

import "repro/algos/compute"

// A gram is the kernel matrix K = k(X, X) of all training rows X, in memory if the engine has room for it.
type gram struct {
	p    *Problem
	x, y compute.Matrix // training rows, n×in and n×out
	k    compute.Operator

	ahead  compute.Matrix   // rows at which predictions were announced
	aheadK compute.Operator // k(ahead, X), nil if it is not stored
}

// newGram gathers the training rows of a problem and stores K if it fits.
func newGram(p *Problem) *gram {
	g := &gram{p: p}
	g.x, g.y = p.Dense()
	g.k = g.keep(KeepTraining, g.x)
	return g
}

// keep stores k(z, X) if it fits, or finds it kept.
func (g *gram) keep(name string, z compute.Matrix) compute.Operator {
	store := func() compute.Operator { return g.p.Engine.Store(g.p.Engine.Kernel(g.p.Kernel, z, g.x)) }
	if g.p.Keep == nil {
		return store()
	}
	return g.p.Keep(name, store)
}

// anticipate stores k(x, X) where K is stored: elsewhere every iteration needs the memory for rows of K.
func (g *gram) anticipate(x compute.Matrix) {
	if !compute.IsStored(g.k) || len(x.Data) == 0 {
		return
	}
	if k := g.keep(KeepTest, x); compute.IsStored(k) {
		g.ahead, g.aheadK = x, k
	}
}

// at returns k(x, X).
func (g *gram) at(x compute.Matrix) compute.Operator {
	if g.aheadK != nil && len(x.Data) > 0 && &x.Data[0] == &g.ahead.Data[0] && x.Rows == g.ahead.Rows {
		return g.aheadK
	}
	return g.p.Engine.Kernel(g.p.Kernel, x, g.x)
}

// rows returns the given rows of K, which a product of both kinds evaluates at most once if there is memory for them.
func (g *gram) rows(rows []int) compute.Operator {
	return g.p.Engine.Store(g.k.(compute.Selectable).Select(rows))
}

// kappa returns max_i k(x_i, x_i).
func (g *gram) kappa() float64 {
	largest := 0.0
	for i := range g.x.Rows {
		x := g.x.RowRange(i, i+1)
		largest = max(largest, g.p.Engine.KernelMatrix(g.p.Kernel, x, x).Data[0])
	}
	return largest
}

// targets returns the targets of the given rows.
func (g *gram) targets(rows []int) compute.Matrix { return g.y.Select(rows) }

// predict returns Σ_i α_i k(x_i, ·) at the rows of x.
func (g *gram) predict(x, alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, alpha.Cols)
	g.at(x).MulTo(u, alpha)
	return u
}

// fitted returns Kα.
func (g *gram) fitted(alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(alpha.Rows, alpha.Cols)
	g.k.MulTo(u, alpha)
	return u
}

// centred is the part of a fit f = Σ_i α_i k(x_i, ·) that does not depend on how α comes about.
type centred struct {
	g     *gram
	alpha func() compute.Matrix // α, one row a training row and one column an output
}

func newCentred(p *Problem, alpha func() compute.Matrix) centred { return centred{newGram(p), alpha} }

// Model implements Fit.
func (f centred) Model() Model { return f }

// Predict implements Model.
func (f centred) Predict(x compute.Matrix) compute.Matrix { return f.g.predict(x, f.alpha()) }

// Fitted implements Fitter.
func (f centred) Fitted() compute.Matrix { return f.g.fitted(f.alpha()) }

// Anticipate implements Anticipator.
func (f centred) Anticipate(x compute.Matrix) { f.g.anticipate(x) }

// SquaredNorms implements Normed.
func (f centred) SquaredNorms() []float64 { return columnProducts(f.alpha(), f.Fitted()) }

// Coefficients implements Expansion.
func (f centred) Coefficients() compute.Matrix { return f.alpha() }

// likeTargets views coefficients as a matrix with one column an output.
func (g *gram) likeTargets(data []float64) compute.Matrix {
	out := g.y.Cols
	return compute.Matrix{Rows: len(data) / out, Cols: out, Stride: out, Data: data}
}
