package parts

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
)

// AddLeading adds the cost of Leading: the k largest eigenvalues of a p×p matrix and their eigenvectors. On matrices of
// smooth kernels block Lanczos needs about 4k columns. The cost of its small eigenproblems doubles from one to the next.
func AddLeading(c *algos.Cost, p, k float64) {
	if !FewOf(int(p), int(k)) {
		c.Eigen += algos.EigenWork(p)
		return
	}
	space := 4 * k
	c.Flops += 2*p*p*space + 6*p*space*space
	c.Eigen += 2 * algos.EigenWork(space)
}

// AddLeadingOfK adds the cost of Leading of a Gram where FewOf holds. Only if K is stored is the number of kernel
// evaluations known beforehand: else it is that of as many products as block Lanczos usually needs.
func AddLeadingOfK(c *algos.Cost, s algos.Size, k int) {
	n, space := float64(s.N), 4*float64(k)
	AddLeading(c, n, float64(k))
	c.KernelEvals += s.Evaluated(n*n, math.Ceil(space/krylovBlock))
	c.Bytes += s.StoredBytes(n*n) + 8*n*(space+float64(k))
}

// AddDecomposition adds the arithmetic and the memory of the named decomposition of an m×d matrix, for k eigenvectors and from a sketch of
// p columns.
func AddDecomposition(c *algos.Cost, decomposition string, k, p, m, d float64) {
	if decomposition != "nystrom" {
		AddSketch(c, k, p, m, d)
		return
	}
	AddLeading(c, m, k+1)
	c.Flops += 2*m*d*k + 4*d*k*k
	c.Bytes += 16 * m * m
}

// AddDecompositionOfK adds the cost of the decomposition of m rows of K. Nyström's method evaluates its block again, and the others only if
// K is not stored.
func AddDecompositionOfK(c *algos.Cost, s algos.Size, decomposition string, k, p, m float64) {
	n := float64(s.N)
	AddDecomposition(c, decomposition, k, p, m, n)
	if decomposition != "nystrom" {
		AddRowsOfK(c, s, m)
		return
	}
	c.KernelEvals += m * m
	if !s.Stores(n * n) {
		c.KernelEvals += m * n
	}
}

// AddSketch adds the arithmetic and the memory of RSVD of an m×d matrix from a sketch of p columns, for k eigenvectors: the sketch, the
// product with it twice, once packed, what Orthonormal takes, and an eigendecomposition of p×p.
func AddSketch(c *algos.Cost, k, p, m, d float64) {
	p = min(p, m, d)
	c.Flops += 4*m*d*p + 4*m*p*p + d*p*p + 2*d*p*k
	c.Bytes += 8 * (d*p + 5*m*p + 6*p*p)
	AddLeading(c, p, k+1)
}

// GramCost returns the cost of all steps, each of which multiplies with the given number of rows of K. K is evaluated once if it is
// stored, and so are then k at all pairs of test and training rows; else every step and every evaluation of the curve evaluates its rows.
func GramCost(s algos.Size, rows float64) algos.Cost {
	n := float64(s.N)
	c := algos.Cost{EvalCost: n * float64(s.Evals), Bytes: 8*n*float64(s.In+2*s.Out) + s.StoredBytes(n*n)}
	if s.Stores(n * n) {
		AddPredictions(&c, s)
		c.KernelEvals, c.Reads = n*n, rows*n*float64(s.Steps)
		return c
	}
	if packed := s.StoredBytes(n * float64(s.In+1)); packed <= compute.MostPacked {
		c.Bytes += packed
	}
	c.KernelEvals, c.Together = rows*n*float64(s.Steps), int(rows)
	return c
}

// AddPredictions adds the cost of predictions from k at all pairs of test and training rows: they are evaluated once, kept and read at
// every evaluation of the curve, if there is memory for them; else they are evaluated every time.
func AddPredictions(c *algos.Cost, s algos.Size) {
	n, evals := float64(s.N), float64(s.Evals)
	c.EvalCost = n * evals
	if kept := aheadBytes(s); kept > 0 {
		c.EvalCost, c.EvalReads = n, n*evals
		c.Bytes += kept
	}
}

// aheadBytes returns the memory of k at all pairs of test and training rows, 0 if there is none for it beside K, where K is stored.
func aheadBytes(s algos.Size) float64 {
	n := float64(s.N)
	test, all := n*float64(s.Test), n*float64(s.Test)
	if s.Stores(n * n) {
		all += n * n
	}
	if !s.Stores(all) {
		return 0
	}
	return s.StoredBytes(test)
}

// AddRowsOfK adds the kernel evaluations of a product with m rows of K and of one with their transpose: none if K is stored.
func AddRowsOfK(c *algos.Cost, s algos.Size, m float64) {
	if n := float64(s.N); !s.Stores(n * n) {
		c.KernelEvals += s.Evaluated(min(m, n)*n, 2)
	}
}

// AddKernelSteps adds the cost of the step sizes of StartIterate: that of estimating λ_1 from m rows of K, or nothing if the spec gives the
// step sizes.
func AddKernelSteps(c *algos.Cost, s algos.Size, given bool, m int) {
	if given {
		return
	}
	rows := float64(min(m, s.N))
	AddRowsOfK(c, s, rows)
	AddSketch(c, 0, SketchOfOne, rows, float64(s.N))
}

// Iterates returns how many iterates a fit keeps.
func Iterates(average bool) float64 {
	if average {
		return 2
	}
	return 1
}

// AdditiveCost returns the evaluations of an Additive in training, and per test point over the whole curve. Every step
// evaluates all terms at batch examples and adds block terms.
func AdditiveCost(s algos.Size, batch, block int) (train, eval float64) {
	t, b := float64(s.Steps), float64(batch)
	return b * float64(block) * t * (t - 1) / 2, float64(block) * t
}

// featurePasses is how often a step goes through the features of its batch: it writes and scales them, and multiplies with
// them and with their transpose. A prediction takes as long: its features are in no cache when it writes them.
const featurePasses = 4

// baseCost returns the memory and the cost of predictions of a method with r base features at a time for a batch. Memory holds the
// features of the batch or, where that is more, of the least rows at which a prediction takes them, and w with what a step makes of it.
// Features of the test rows are evaluated once, kept and read at every evaluation of the curve, if there is memory for them; else they
// are evaluated every time.
func baseCost(s algos.Size, r float64, batch int) algos.Cost {
	every, numbers, rows := r*float64(s.Evals), r*float64(s.Test), float64(max(min(batch, s.N), predictedRows))
	c := algos.Cost{Together: batch, EvalCost: every, Bytes: 8 * r * (rows + 3*float64(s.Out))}
	single := 1.0
	if s.Number == 4 {
		single = 2 // the memory is for so many numbers of half the size
	}
	if s.Test > 0 && s.Stores(single*numbers) {
		c.EvalCost, c.EvalReads = r, every
		c.Bytes += 8 * numbers
	}
	if r*predictedRows > partNumbers {
		c.EvalReads += featurePasses * c.EvalCost
	}
	return c
}

// FeaturesCost implements Drawing. It counts as reads what goes through features that no cache holds.
func (RandomFeatures) FeaturesCost(s algos.Size, r, examples float64, batch int) algos.Cost {
	c := baseCost(s, r, batch)
	c.FeatureEvals = r * examples
	if r*float64(batch) > partNumbers {
		c.Reads = featurePasses * c.FeatureEvals
	}
	return c
}

// FeaturesCost implements Drawing: r kernel values in place of random features, k(S, S) with its eigenvectors, the space of its
// eigendecomposition and what is made of them, and the selection of the landmarks.
func (a NystromSettings) FeaturesCost(s algos.Size, r, examples float64, batch int) algos.Cost {
	c := baseCost(s, r, batch)
	c.KernelEvals, c.Eigen, c.Bytes = r*examples+r*r, algos.EigenWork(r), c.Bytes+8*r*(4*r+float64(s.In))
	AddSelection(&c, s, a.Selection, r)
	return c
}

// Growth is how many times the memory of numbers that become more and more is taken while they move: to room for twice as many.
const Growth = 3
