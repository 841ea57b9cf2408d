package parts

import "repro/algos"

// AddLeading adds the cost of the k largest eigenvalues of a p×p matrix and their eigenvectors. The subspaces of
// block Lanczos have four times as many columns on matrices of smooth kernels; their small eigenproblems double in
// cost from one to the next.
func AddLeading(c *algos.Cost, p, k float64) {
	if !fewOf(int(p), int(k)) {
		c.Eigen += p * p * p
		return
	}
	space := 4 * k
	c.Flops += 2*p*p*space + 6*p*space*space
	c.Eigen += 2 * space * space * space
}

// AddDecomposition adds the arithmetic of the named decomposition of m rows of d columns, for k eigenvectors.
func AddDecomposition(c *algos.Cost, decomposition string, k, m, d float64) {
	if decomposition == "nystrom" {
		AddLeading(c, m, k+1)
		c.Flops += 2*m*d*k + 4*d*k*k
		return
	}
	AddSketch(c, k, 2*(k+1), m, d)
}

// AddSketch adds the arithmetic of RSVD of m rows of d columns from a sketch of p columns.
func AddSketch(c *algos.Cost, k, p, m, d float64) {
	p = min(p, m, d)
	c.Flops += 4*m*d*p + 4*m*p*p + d*p*p + 2*d*p*k
	AddLeading(c, p, k+1)
}

// GramCost is that of steps that multiply so many rows of K, which is evaluated once if there is memory for it, and
// else the rows of every step. All coefficients change: at every evaluation the test rows meet all training rows.
func GramCost(s algos.Size, rows float64) algos.Cost {
	n := float64(s.N)
	c := algos.Cost{EvalCost: n * float64(s.Evals), Bytes: 8*n*float64(s.In+2*s.Out) + s.StoredBytes(n*n)}
	if both := n * (n + float64(s.Test)); s.Stores(both) {
		c.Bytes += s.StoredBytes(n * float64(s.Test))
	}
	if s.Stores(n * n) {
		c.KernelEvals, c.Reads = n*n, rows*n*float64(s.Steps)
		return c
	}
	c.KernelEvals, c.Together = rows*n*float64(s.Steps), int(rows)
	return c
}

// AddRowsOfK adds the evaluations of m rows of K for products with them and their transpose, which a K that is kept
// in memory does not need.
func AddRowsOfK(c *algos.Cost, s algos.Size, m float64) {
	if n := float64(s.N); !s.Stores(n * n) {
		c.KernelEvals += s.Evaluated(min(m, n)*n, 2)
	}
}

// AddKernelSteps adds the cost of KernelSteps: nothing if the steps are given, else an estimate of λ_1 from m rows of K.
func AddKernelSteps(c *algos.Cost, s algos.Size, given bool, m int) {
	if given {
		return
	}
	rows := float64(min(m, s.N))
	AddRowsOfK(c, s, rows)
	AddSketch(c, 0, SketchOfOne, rows, float64(s.N))
}

// AdditiveCost is that of a sum of terms of which every step evaluates all there are at batch examples and adds block
// of them.
func AdditiveCost(s algos.Size, batch, block int) (train, eval float64) {
	t, b := float64(s.Steps), float64(batch)
	return b * float64(block) * t * (t - 1) / 2, float64(block) * t
}
