package parts

import (
	"math"
	"slices"

	"repro/algos"
	"repro/algos/compute"
)

// A Gram is the kernel matrix K = k(X, X) of all training rows X. It is stored if the engine has memory for it.
type Gram struct {
	p    *algos.Problem
	X, Y compute.Matrix   // training rows, n×in and n×out
	K    compute.Operator // if it is not stored, X is kept packed

	ahead  compute.Matrix   // rows given to Ahead
	aheadK compute.Operator // k(ahead, X), nil if it is not stored
}

// NewGram gathers the training rows of a problem and stores K if there is memory for it.
func NewGram(p *algos.Problem) *Gram {
	g := &Gram{p: p}
	g.X, g.Y = p.Dense()
	g.K = compute.KeepPacked(g.keep(algos.KeepTraining, g.X))
	return g
}

// NewUnstoredGram gathers the training rows of a problem and evaluates entries of K in every product.
func NewUnstoredGram(p *algos.Problem) *Gram {
	g := &Gram{p: p}
	g.X, g.Y = p.Dense()
	g.K = compute.KeepPacked(p.Engine.Kernel(p.Kernel, g.X, g.X))
	return g
}

// keep returns k(z, X), stored if there is memory for it, from the problem's cache if it has one.
func (g *Gram) keep(name string, z compute.Matrix) compute.Operator {
	store := func() compute.Operator { return g.p.Engine.Store(g.p.Engine.Kernel(g.p.Kernel, z, g.X)) }
	if g.p.Keep == nil {
		return store()
	}
	return g.p.Keep(name, store)
}

// Anticipate stores k(x, X) if K is stored. If K is not stored, every iteration needs the memory for rows of K.
func (g *Gram) Anticipate(x compute.Matrix) {
	if compute.IsStored(g.K) {
		g.Ahead(x)
	}
}

// Ahead stores k(x, X) if there is memory for it.
func (g *Gram) Ahead(x compute.Matrix) {
	if len(x.Data) == 0 {
		return
	}
	if k := g.keep(algos.KeepTest, x); compute.IsStored(k) {
		g.ahead, g.aheadK = x, k
	}
}

// At returns k(x, X).
func (g *Gram) At(x compute.Matrix) compute.Operator {
	if g.aheadK != nil && sameRows(x, g.ahead) {
		return g.aheadK
	}
	return g.p.Engine.Kernel(g.p.Kernel, x, g.X)
}

// Rows returns the given rows of K, stored if there is memory for them, so that MulTo and MulTransTo evaluate them once.
func (g *Gram) Rows(rows []int) compute.Operator { return g.p.Engine.Store(g.K.Select(rows)) }

// Kappa returns max_i k(x_i, x_i).
func (g *Gram) Kappa() float64 {
	largest := 0.0
	for i := range g.X.Rows {
		x := g.X.RowRange(i, i+1)
		largest = max(largest, g.p.Engine.KernelMatrix(g.p.Kernel, x, x).Data[0])
	}
	return largest
}

// Targets returns the targets of the given rows.
func (g *Gram) Targets(rows []int) compute.Matrix { return g.Y.Select(rows) }

// Predict returns Σ_i α_i k(x_i, ·) at the rows of x.
func (g *Gram) Predict(x, alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, alpha.Cols)
	g.At(x).MulTo(u, alpha)
	return u
}

// Fitted returns Kα.
func (g *Gram) Fitted(alpha compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(alpha.Rows, alpha.Cols)
	g.K.MulTo(u, alpha)
	return u
}

// SquaredNorms returns αᵀKα of every output.
func (g *Gram) SquaredNorms(alpha compute.Matrix) []float64 {
	return ColumnProducts(alpha, g.Fitted(alpha))
}

// Memory returns how many numbers the training rows take.
func (g *Gram) Memory() int { return len(g.X.Data) }

// Covariance returns K/n, evaluated again.
func (g *Gram) Covariance() compute.Matrix {
	k := g.p.Engine.KernelMatrix(g.p.Kernel, g.X, g.X)
	k.Scale(1 / float64(g.X.Rows))
	return k
}

// LikeTargets views coefficients as a matrix with one column per output.
func (g *Gram) LikeTargets(data []float64) compute.Matrix { return View(data, g.Y.Cols) }

// Decompose approximates the leading eigensystem of K, k eigenvectors, by the named decomposition of m of its rows.
func (g *Gram) Decompose(decomposition string, k, m int) (Eigensystem, error) {
	if decomposition == "nystrom" {
		return g.NSVD(k, m)
	}
	return g.Eigensystem(k, SketchOf(k), m)
}

// Eigensystem approximates the leading eigensystem of K from m of its rows and a sketch of p columns. The right singular
// vectors of K(X_M, X) stand for those of K, its singular values times √(n/m) for the singular values of K [ma2017 App. A].
func (g *Gram) Eigensystem(k, p, m int) (Eigensystem, error) {
	n := g.X.Rows
	rows := g.Subsample(m)
	a := g.Rows(rows)
	defer g.p.Engine.Release(a)
	s, err := RSVD(g.p.Engine, a, k, p, compute.NewStream(g.p.Seed, "sketch", 0))
	for i, v := range s.Values {
		s.Values[i] = math.Sqrt(v * float64(n) / float64(len(rows)))
	}
	return s, err
}

// Sketch approximates the leading eigensystem of K, k eigenvectors, from a sketch of p columns of all its rows.
func (g *Gram) Sketch(k, p int) (Eigensystem, error) {
	s, err := RSVD(g.p.Engine, g.K, k, p, compute.NewStream(g.p.Seed, "sketch", 0))
	for i, v := range s.Values {
		s.Values[i] = math.Sqrt(v)
	}
	return s, err
}

// Leading returns the k largest eigenvalues of K in descending order and their eigenvectors, to rounding errors, by block
// Lanczos, whose products evaluate K if it is not stored. ok is false where only a whole decomposition finds them.
func (g *Gram) Leading(k int) (values []float64, vectors compute.Matrix, ok bool) {
	return krylov(g.p.Engine, g.X.Rows, g.K.MulTo, k, compute.NewStream(0, "krylov", 0))
}

// NSVD approximates the leading eigensystem of K from k(X_M, X_M) of m rows, whose eigenvalues times n/m stand for those
// of K: NSVD of ma2017 App. A as in the authors' TensorFlow code, which uses it for 1e5 rows and more.
func (g *Gram) NSVD(k, m int) (Eigensystem, error) {
	rows := g.Subsample(m)
	x := g.X.Select(rows)
	s, err := NSVD(g.p.Engine, g.p.Engine.KernelMatrix(g.p.Kernel, x, x), g.K.Select(rows), k, 1e-7)
	for i := range s.Values {
		s.Values[i] *= float64(g.X.Rows) / float64(len(rows))
	}
	return s, err
}

// Subsample draws m rows without replacement. If m is 0 or larger than n it returns all rows, in random order.
func (g *Gram) Subsample(m int) []int { return Subsample(g.p, m) }

// Subsample draws m training rows without replacement. If m is 0 or larger than n it returns all rows, in random order.
func Subsample(p *algos.Problem, m int) []int {
	n := p.Train.Len()
	if m == 0 {
		m = n
	}
	return compute.NewStream(p.Seed, "subsample", 0).Perm(n)[:min(m, n)]
}

// Inputs returns the inputs of training rows.
func Inputs(p *algos.Problem, rows []int) compute.Matrix {
	in, out := p.Train.Dims()
	x := compute.NewMatrix(len(rows), in)
	p.Train.Gather(rows, x, compute.NewMatrix(len(rows), out))
	return x
}

// Centres caches the inputs of some training rows. Of gathers only the new rows if the list grew, and all rows if it
// changed in another way.
type Centres struct {
	rows  []int
	x     compute.Matrix
	y     Scratch // of Of
	place []int   // of each training row in rows, -1 if it is not there; nil before the first Find
}

// Of returns the inputs of rows.
func (c *Centres) Of(p *algos.Problem, rows []int) compute.Matrix {
	have := len(c.rows)
	if have > len(rows) || !slices.Equal(c.rows, rows[:have]) {
		have, c.place = 0, nil
	}
	in, out := p.Train.Dims()
	add := rows[have:]
	if len(add) > 0 {
		c.x.Data = c.x.Data[:have*in]
		p.Train.Gather(add, View(Grown(&c.x.Data, len(add)*in), in), c.y.Matrix(len(add), out))
	}
	c.x.Rows, c.x.Cols, c.x.Stride = len(rows), in, in
	c.rows = append(c.rows[:have], add...)
	if c.place != nil {
		for i, r := range add {
			c.place[r] = have + i
		}
	}
	return c.x
}

// Find returns the index of a training row in the rows of the last call of Of, -1 if it is not there. n is the number of training rows.
func (c *Centres) Find(row, n int) int {
	if c.place == nil {
		c.place = make([]int, n)
		for i := range c.place {
			c.place[i] = -1
		}
		for i, r := range c.rows {
			c.place[r] = i
		}
	}
	return c.place[row]
}
