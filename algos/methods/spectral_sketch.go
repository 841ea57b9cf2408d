package methods

import (
	"fmt"

	"repro/algos"
	"repro/algos/parts"
)

var _ = algos.Register[cutoff]("spectral-sketch", "spectral-cutoff with eigenvectors from a random sketch of K, for more rows [ma2017 App. A]", func() algos.Algorithm {
	return &SpectralSketch{Directions: 321, Decomposition: "rsvd", Sketch: 1300}
})

// SpectralSketch is SpectralCutoff with the eigenvectors and eigenvalues that RSVD finds from a sketch of all rows
// of K, ma2017 App. A with M = n. It computes in the precision of the spec. The eigenvalues are never above those of K
// [Halko, Martinsson & Tropp 2011], and the later ones are too small: with four times as many columns as eigenvectors the
// last one of a Gaussian kernel of MNIST by two hundredths with 2,500 rows and by five with 20,000, where SpectralCutoff
// is exact. With a subsample M < n it is what EigenPro uses as the eigensystem of K: RSVD of M rows, or with
// decomposition = "nystrom" NSVD of the M×M block.
type SpectralSketch struct {
	Directions    int    `toml:"directions" want:"> 0" doc:"number of eigenvectors k, which is also the number of steps"`
	Decomposition string `toml:"decomposition" want:"|rsvd|nystrom" doc:"how the eigenvectors are computed: rsvd, from a random sketch of M rows of K; nystrom, from its M×M block [ma2017 App. A]"`
	Sketch        int    `toml:"sketch" want:"> 0" doc:"columns of the sketch, more than k; only with rsvd"`
	Subsample     int    `toml:"subsample" want:">= 0" doc:"rows M from which the eigenvectors are computed; all if left out"`
}

// Start implements Algorithm. It needs the square loss, ν = 0 and more than k rows and columns of the sketch.
func (a *SpectralSketch) Start(p *algos.Problem) (algos.Fit, error) {
	const method = "spectral-sketch"
	if err := squareAlone(method, p); err != nil {
		return nil, err
	}
	if a.Decomposition != "nystrom" && a.Sketch <= a.Directions {
		return nil, fmt.Errorf("%s: a sketch of %d columns cannot find %d eigenvectors and one eigenvalue more: raise sketch, best to four times directions", method, a.Sketch, a.Directions)
	}
	f := &spectral{g: parts.NewGram(p)}
	s, err := a.eigensystem(f.g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	f.values = s.Values
	f.project(s.Vectors)
	return f.cutoff(a.Directions), nil
}

// eigensystem returns the leading eigensystem of K.
func (a *SpectralSketch) eigensystem(g *parts.Gram) (parts.Eigensystem, error) {
	switch {
	case a.Decomposition == "nystrom":
		return g.NSVD(a.Directions, a.Subsample)
	case a.Subsample > 0:
		return g.Eigensystem(a.Directions, a.Sketch, a.Subsample)
	}
	return g.Sketch(a.Directions, a.Sketch)
}

// Cost implements Coster. K is evaluated once if it is stored, else the rows of the sketch for each of its two products.
// Nyström's method evaluates its block separately.
func (a *SpectralSketch) Cost(s algos.Size) algos.Cost {
	n, m, p, k := float64(s.N), float64(s.N), float64(a.Sketch), float64(a.Directions)
	if a.Subsample > 0 {
		m = min(m, float64(a.Subsample))
	}
	c := algos.Cost{
		EvalCost:  n * float64(s.Evals),
		EvalFlops: 2 * n * k * float64(s.Out) * float64(s.Evals),
		Bytes:     s.StoredBytes(n*n) + parts.AheadBytes(s) + 8*n*float64(s.In+s.Out),
	}
	if s.Stores(n * n) {
		c.KernelEvals = n * n
	}
	switch {
	case a.Decomposition == "nystrom":
		c.KernelEvals += m * m
		if !s.Stores(n * n) {
			c.KernelEvals += m * n
		}
		c.Bytes += 16*m*m + 16*n*k
		parts.AddDecomposition(&c, a.Decomposition, k, m, n)
	default:
		if a.Subsample > 0 {
			parts.AddRowsOfK(&c, s, m)
		} else if !s.Stores(n * n) {
			c.KernelEvals = 2 * n * n
		}
		c.Bytes += 24*n*min(p, n) + 32*min(p, n)*min(p, n)
		parts.AddSketch(&c, k, p, m, n)
	}
	return c
}
