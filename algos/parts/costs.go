package parts

import "repro/algos"

// LeadingCost is the arithmetic of the k largest eigenvalues of a p×p matrix and their eigenvectors. Spaces of krylov
// have four times as many columns on matrices of smooth kernels.
func LeadingCost(p, k float64) float64 {
	if fewOf(int(p), int(k)) {
		return 2*p*p*(4*k) + 6*p*(4*k)*(4*k) + 20*(4*k)*(4*k)*(4*k)
	}
	return 10 * p * p * p
}

// DecompositionCost is the arithmetic of the named decomposition of m rows of d columns.
func DecompositionCost(decomposition string, k, m, d float64) float64 {
	if decomposition == "nystrom" {
		return LeadingCost(m, k+1) + 2*m*d*k + 4*d*k*k
	}
	return 8*m*d*(k+1) + 12*d*(k+1)*(k+1)
}

// GramCost is that of steps that multiply so many rows of K, which is evaluated once if there is memory for it, and
// else the rows of every step.
func GramCost(s algos.Size, rows float64) algos.Cost {
	n := float64(s.N)
	c := algos.Cost{EvalCost: n * float64(s.Evals), Bytes: 8 * n * float64(s.In+2*s.Out)}
	if s.Stores(n * n) {
		c.KernelEvals, c.Bytes = n*n, c.Bytes+4*n*n
		c.Reads = rows * n * float64(s.Steps)
	} else {
		c.KernelEvals = rows * n * float64(s.Steps)
	}
	return c
}

// AdditiveCost is the number of term evaluations of steps that each see batch examples and add
// block terms, and of one test point's incremental predictions over the whole curve.
func AdditiveCost(s algos.Size, batch, block int) (train, eval float64) {
	t, b := float64(s.Steps), float64(batch)
	return b * float64(block) * t * (t - 1) / 2, float64(block) * t
}
