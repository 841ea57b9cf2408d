package kernels

import (
	"math"

	"repro/algos/compute"
)

// Gaussian is k(x, z) = exp(-‖x - z‖²/(2σ²)) [dai2014 §2].
type Gaussian struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Gaussian) Name() string      { return "gaussian" }
func (Gaussian) Diagonal() float64 { return 1 }

// Apply implements compute.KernelFunc.
func (g Gaussian) Apply(d2 []float64) { compute.Exp2(d2, -math.Log2E/(2*g.Sigma*g.Sigma)) }

// Features returns the random Fourier features φ_ω(x) = √2·cos(ω·x + b), ω ~ N(0, σ⁻²I),
// b ~ U[0, 2π) [dai2014 §2, Thm 2].
func (g Gaussian) Features(seed uint64, d, width int) compute.FeatureMap {
	return fourier{gaussianStream{seed, g.Sigma}, width}
}

// gaussianStream names one sequence of Gaussian frequencies.
type gaussianStream struct {
	seed  uint64
	sigma float64
}

// fourier is φ_ω(x) = √2·cos(ω·x + b) with frequencies and phases in turns.
type fourier struct {
	stream gaussianStream
	width  int
}

func (f fourier) Width() int  { return f.width }
func (f fourier) Stream() any { return f.stream }

func (f fourier) Draw(i int, omega compute.Matrix, phase []float64) {
	s := compute.NewStream(f.stream.seed, "features", uint64(i))
	scale := 1 / (2 * math.Pi * f.stream.sigma)
	w := make([]float64, omega.Rows)
	for j := range phase {
		phase[j] = s.Row(j, w)
		for l, v := range w {
			omega.Set(l, j, scale*v)
		}
	}
}

func (f fourier) Activate(z []float64) { compute.CosTurns(z, math.Sqrt2) }
