package algos

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

var _ = register("spectral-sketch", func() Algorithm { return &SpectralSketch{Directions: 321, Sketch: 1300} })

// SpectralSketch is SpectralCutoff with the eigenvectors and eigenvalues that RSVD finds from a sketch of all rows
// of K, ma2017 App. A with M = n: for more rows than an eigendecomposition can take, in the precision asked for.
// The eigenvalues are never above those of K; four times as many columns as eigenvectors make the last of them
// right to about a hundredth where eigenvalues fall as 1/i [Halko, Martinsson & Tropp 2011, Thm 10.5].
type SpectralSketch struct {
	Directions int `toml:"directions" want:"> 0" doc:"number of eigenvectors k, and of steps"`
	Sketch     int `toml:"sketch" want:"> 0" doc:"columns of the sketch, more than k"`
}

// Start implements Algorithm. It needs the square loss, ν = 0 and more than k rows and columns of the sketch.
func (a *SpectralSketch) Start(p *Problem) (Fit, error) {
	const method = "spectral-sketch"
	if err := squareAlone(method, p); err != nil {
		return nil, err
	}
	if a.Sketch <= a.Directions {
		return nil, fmt.Errorf("%s: a sketch of %d columns cannot find %d eigenvectors and one eigenvalue more: raise sketch, best to four times directions", method, a.Sketch, a.Directions)
	}
	f := &spectral{g: newGram(p)}
	s, err := rsvd(p.Engine, f.g.k, a.Directions, a.Sketch, compute.NewStream(p.Seed, "sketch", 0))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	for _, v := range s.values {
		f.values = append(f.values, math.Sqrt(v))
	}
	n, k := s.vectors.Rows, s.vectors.Cols
	f.vectors = mat.NewDense(n, k, s.vectors.Data)
	f.targets = mat.NewDense(k, f.g.y.Cols, nil)
	f.targets.Mul(f.vectors.T(), mat.NewDense(n, f.g.y.Cols, f.g.y.Data))
	return f.cutoff(a.Directions), nil
}

// Cost implements Coster.
func (a *SpectralSketch) Cost(s Size) Cost {
	n, p := float64(s.N), float64(a.Sketch)
	return Cost{
		KernelEvals: n * n,
		Flops:       4*n*n*p + 8*n*p*p + 10*p*p*p,
		EvalCost:    n * float64(s.Evals),
		Bytes:       4*n*n + 8*n*(3*p+float64(s.In+s.Out)),
	}
}
