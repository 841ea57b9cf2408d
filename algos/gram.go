package algos

import "repro/algos/compute"

// A gram is the kernel matrix K = k(X, X) of all training rows X, in memory if the engine has room for it.
type gram struct {
	p    *Problem
	x, y compute.Matrix // training rows, n×in and n×out
	k    compute.Operator
}

// newGram gathers the training rows of a problem and stores K if it fits.
func newGram(p *Problem) *gram {
	g := &gram{p: p}
	g.x, g.y = p.Dense()
	store := func() compute.Operator { return p.Engine.Store(p.Engine.Kernel(p.Kernel, g.x, g.x)) }
	if p.Keep != nil {
		g.k = p.Keep(store)
	} else {
		g.k = store()
	}
	return g
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
	g.p.Engine.Kernel(g.p.Kernel, x, g.x).MulTo(u, alpha)
	return u
}

// fitted returns Kα.
func (g *gram) fitted(alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(alpha.Rows, alpha.Cols)
	g.k.MulTo(u, alpha)
	return u
}
