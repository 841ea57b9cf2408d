package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var (
	_ = algos.Register[*rbcd]("r-rbcd", "randomised block coordinate descent on random features [Richtárik & Takáč 2014; dai2014 §6]", func() algos.Algorithm {
		return &RRBCD{RBCDSettings{256, 8}}
	})
	_ = algos.Register[*rbcd]("n-rbcd", "randomised block coordinate descent on Nyström features [Richtárik & Takáč 2014; dai2014 §6]", func() algos.Algorithm {
		return &NRBCD{RBCDSettings{256, 8}, parts.UsualNystrom()}
	})
)

// RBCDSettings are common to randomised block coordinate descent [Richtárik & Takáč 2014, Algorithm 2
// (UCDC) with uniform probabilities] on random and on Nyström features. The objective is the sum over
// all n training rows,
//
//	P(w) = (1/n) Σ_i l(⟨w, z(x_i)⟩, y_i) + ν/2·‖w‖²
//
// and the coordinates of w are cut into b blocks as equal as can be. Iteration t draws a block J,
// uniformly, and sets
//
//	w_J = w_J - (1/L_J) ((1/n) Σ_i l'(⟨w, z(x_i)⟩, y_i) z_J(x_i) + ν w_J),  L_J = c·λ_max(Z_JᵀZ_J)/n + ν
//
// with c the bound of the second derivative of l, so that no step increases P. This is their
// step with the constant L_J - ν for the smooth part and ν/2·‖w‖² as the separable part Ψ.
//
// An iteration evaluates all features at all n rows, O(drn), and keeps none of them [dai2014 Table 3,
// where r = n]. The table calls b the block size, but n/b coefficients changed per iteration make b the
// number of blocks. The paper does not give that number.
type RBCDSettings struct {
	Features int `toml:"features" want:"> 0" doc:"number of features r"`
	Blocks   int `toml:"blocks" want:"> 0" doc:"number of blocks b that the features are split into"`
}

// RRBCD is RBCD on the random features of RPegasos, the r-RBCD of dai2014 §6.
type RRBCD struct{ RBCDSettings }

// NRBCD is RBCD on the Nyström features of NPegasos, the n-RBCD of dai2014 §6.
type NRBCD struct {
	RBCDSettings
	parts.NystromSettings
}

type rbcd struct {
	parts.Linear
	settings *RBCDSettings
	p        *algos.Problem
	x, y     compute.Matrix
	l        []float64      // L_J
	blocks   compute.Source // of the draws of J
}

// Start implements Algorithm. It needs a kernel with random features and a smooth loss.
func (a *RRBCD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("r-rbcd", p, parts.DrawFeatures)
}

// Start implements Algorithm. It needs at least as many training rows as landmarks and a smooth loss.
func (a *NRBCD) Start(p *algos.Problem) (algos.Fit, error) {
	return a.start("n-rbcd", p, a.Draw)
}

// start starts a fit of the named method, if that solves the problem.
func (a *RBCDSettings) start(name string, p *algos.Problem, draw parts.Draw) (algos.Fit, error) {
	if math.IsInf(p.Loss.Smoothness(), 1) {
		return nil, fmt.Errorf("%w: %s needs a smooth loss, not %s", algos.ErrUnsupported, name, p.Loss.Name())
	}
	if err := parts.CheckBlocks(name, a.Blocks, a.Features); err != nil {
		return nil, err
	}
	z, err := draw(name, p, a.Features)
	if err != nil {
		return nil, err
	}
	f := &rbcd{Linear: parts.NewLinear(p, z, false), settings: a, p: p, blocks: compute.NewSource(p.Seed, "blocks")}
	f.x, f.y = p.Dense()
	for j, gram := range f.grams() {
		top, err := largestEigenvalue(p.Engine, gram)
		if err != nil {
			return nil, fmt.Errorf("%s: block %d: %w", name, j+1, err)
		}
		f.l = append(f.l, p.Loss.Smoothness()*top/float64(f.y.Rows)+p.Nu)
	}
	return f, nil
}

func (f *rbcd) Step() (algos.Progress, error) {
	n := f.x.Rows
	j := f.blocks.Stream(uint64(f.T)).IntN(f.settings.Blocks)
	lo, hi := f.block(j)
	w := f.Weights(f.W)

	gradient, finite := compute.NewMatrix(hi-lo, w.Cols), true
	f.chunks(func(base, y compute.Matrix) {
		r := f.Z.Apply(base, w)
		finite = parts.Residual(f.p, r, y) && finite
		gradient.AddScaled(1/float64(n), f.Z.Block(base, r, lo, hi))
	})
	if !finite {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	part := w.RowRange(lo, hi)
	part.Scale(1 - f.p.Nu/f.l[j])
	part.AddScaled(-1/f.l[j], gradient)
	return f.Stepped(n), nil
}

// Traits implements Described. A batch is all training rows, whatever their number.
func (a *RBCDSettings) Traits() algos.Traits { return algos.Traits{Batch: math.MaxInt32} }

// chunkRows is the number of training rows whose features are in memory at a time.
const chunkRows = 1024

// chunks calls do with the base features and targets of all training rows, chunkRows at a time.
func (f *rbcd) chunks(do func(base, y compute.Matrix)) {
	for lo := 0; lo < f.x.Rows; lo += chunkRows {
		hi := min(lo+chunkRows, f.x.Rows)
		base := f.Z.At(f.x.RowRange(lo, hi))
		do(base, f.y.RowRange(lo, hi))
		f.p.Engine.Reuse(base)
	}
}

// block returns the coordinates lo ≤ i < hi of block j.
func (f *rbcd) block(j int) (lo, hi int) { return parts.Cut(f.Z.Width(), f.settings.Blocks, j) }

// grams returns Z_JᵀZ_J of every block.
func (f *rbcd) grams() []compute.Matrix {
	grams := make([]compute.Matrix, f.settings.Blocks)
	for j := range grams {
		lo, hi := f.block(j)
		grams[j] = compute.NewMatrix(hi-lo, hi-lo)
	}
	f.chunks(func(base, _ compute.Matrix) {
		z := f.Z.Explicit(base)
		for j, g := range grams {
			lo, hi := f.block(j)
			f.p.Engine.Syrk(g, 1, z.ColRange(lo, hi), true, 1)
		}
		if &z.Data[0] != &base.Data[0] {
			f.p.Engine.Reuse(z)
		}
	})
	return grams
}

// largestEigenvalue returns the largest eigenvalue of a symmetric positive semidefinite matrix, 0 if it has no rows. It
// overwrites a.
func largestEigenvalue(e *compute.Engine, a compute.Matrix) (float64, error) {
	if a.Rows == 0 {
		return 0, nil
	}
	values, _, err := parts.Symmetric(e, a, 0)
	if err != nil {
		return 0, fmt.Errorf("ZᵀZ: %w", err)
	}
	return values[0], nil
}

// Cost implements Coster: r features at n rows for the L_J and in every step.
func (a *RRBCD) Cost(s algos.Size) algos.Cost {
	r, b := float64(a.Features), float64(a.Blocks)
	c := parts.DrawnCost(s, r, float64(s.N)*float64(s.Steps+1), min(chunkRows, s.N))
	c.Together, c.Flops, c.Eigen = 0, a.flops(s), r*r/b*r/b/valuesAlone
	c.Bytes += 8 * r * r / b
	return c
}

// Cost implements Coster: r kernel values at n rows for the L_J and in every step, and one
// eigendecomposition.
func (a *NRBCD) Cost(s algos.Size) algos.Cost {
	r, n := float64(a.Features), float64(s.N)
	c := a.FeaturesCost(s, r, n*float64(s.Steps+1), 2*min(chunkRows, s.N))
	c.Together, c.Flops = 0, c.Flops+a.flops(s)+2*n*r*r
	c.Bytes += 8 * r * r / float64(a.Blocks)
	return c
}

// valuesAlone is how many times faster eigenvalues are than an eigendecomposition.
const valuesAlone = 3

// flops returns the operations of the products with features.
func (a *RBCDSettings) flops(s algos.Size) float64 {
	r, n, block := float64(a.Features), float64(s.N), float64(a.Features)/float64(a.Blocks)
	return n*r*block + 2*n*float64(s.Out)*(r+block)*float64(s.Steps)
}
