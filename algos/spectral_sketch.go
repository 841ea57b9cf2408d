package algos

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

var _ = register("spectral-sketch", func() Algorithm { return &SpectralSketch{Directions: 321, Decomposition: "rsvd", Sketch: 1300} })

// SpectralSketch is SpectralCutoff with the eigenvectors and eigenvalues that RSVD finds from a sketch of all rows
// of K, ma2017 App. A with M = n: for more rows than an eigendecomposition can take, in the precision asked for.
// The eigenvalues are never above those of K; four times as many columns as eigenvectors make the last of them
// right to about a hundredth where eigenvalues fall as 1/i [Halko, Martinsson & Tropp 2011, Thm 10.5]. With a
// subsample M < n it is RSVD of M rows of K, and NSVD of its M×M block with decomposition = "nystrom": what EigenPro
// takes for the eigensystem of K.
type SpectralSketch struct {
	Directions    int    `toml:"directions" want:"> 0" doc:"number of eigenvectors k, and of steps"`
	Decomposition string `toml:"decomposition,young" want:"|rsvd|nystrom" doc:"how they are found: from a random sketch of rows of the kernel matrix, or as Nyström's method does from its block of a subsample"`
	Sketch        int    `toml:"sketch" want:"> 0" doc:"columns of the sketch, more than k; of rsvd"`
	Subsample     int    `toml:"subsample,young" want:">= 0" doc:"rows M from which they are found; all if left out"`
}

// Fits implements Declarer.
func (*SpectralSketch) Fits() Fit { return cutoff{} }

// Start implements Algorithm. It needs the square loss, ν = 0 and more than k rows and columns of the sketch.
func (a *SpectralSketch) Start(p *Problem) (Fit, error) {
	const method = "spectral-sketch"
	if err := squareAlone(method, p); err != nil {
		return nil, err
	}
	if a.Decomposition != "nystrom" && a.Sketch <= a.Directions {
		return nil, fmt.Errorf("%s: a sketch of %d columns cannot find %d eigenvectors and one eigenvalue more: raise sketch, best to four times directions", method, a.Sketch, a.Directions)
	}
	f := &spectral{g: newGram(p)}
	s, err := a.eigensystem(f.g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	f.values = s.values
	n, k := s.vectors.Rows, s.vectors.Cols
	f.vectors = mat.NewDense(n, k, s.vectors.Data)
	f.targets = mat.NewDense(k, f.g.y.Cols, nil)
	f.targets.Mul(f.vectors.T(), mat.NewDense(n, f.g.y.Cols, f.g.y.Data))
	return f.cutoff(a.Directions), nil
}

// eigensystem returns the leading eigensystem of K.
func (a *SpectralSketch) eigensystem(g *gram) (eigensystem, error) {
	switch {
	case a.Decomposition == "nystrom":
		return g.nsvd(a.Directions, a.Subsample)
	case a.Subsample > 0:
		return g.eigensystem(a.Directions, a.Sketch, a.Subsample)
	}
	s, err := rsvd(g.p.Engine, g.k, a.Directions, a.Sketch, compute.NewStream(g.p.Seed, "sketch", 0))
	for i, v := range s.values {
		s.values[i] = math.Sqrt(v)
	}
	return s, err
}

// Cost implements Coster.
func (a *SpectralSketch) Cost(s Size) Cost {
	n, m, p, k := float64(s.N), float64(s.N), float64(a.Sketch), float64(a.Directions)
	if a.Subsample > 0 {
		m = min(m, float64(a.Subsample))
	}
	c := Cost{
		KernelEvals: n * n,
		EvalCost:    n * float64(s.Evals),
		Bytes:       4*n*n + 8*n*(3*p+float64(s.In+s.Out)),
	}
	if a.Decomposition == "nystrom" {
		c.KernelEvals += m * m
		c.Flops = decompositionCost(a.Decomposition, k, m, n)
		c.Bytes = 4*n*n + 16*m*m + 8*n*(2*k+float64(s.In+s.Out))
	} else {
		c.Flops = 4*m*n*p + 8*n*p*p + 10*p*p*p
	}
	return c
}
