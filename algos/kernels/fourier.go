package kernels

import (
	"math"

	"repro/algos/compute"
)

// fourier is φ_ω(x) = √2·cos(ω·x + b) [dai2014 §2], ω from a spectrum, with frequencies and phases in
// turns.
type fourier struct {
	seed     uint64
	source   compute.Source
	spectrum compute.Spectrum // in turns
	width    int
	cosine
}

// turns returns a spectrum of radians in turns.
func turns(s compute.Spectrum) compute.Spectrum {
	s.Scale /= 2 * math.Pi
	return s
}

// newFourier returns the features of a spectrum in radians.
func newFourier(seed uint64, width int, s compute.Spectrum) fourier {
	return fourier{seed, compute.NewSource(seed, "features"), turns(s), width, cosine{}}
}

func (f fourier) Width() int { return f.width }

func (f fourier) Stream() any { return [...]any{f.seed, f.spectrum} }

func (f fourier) Spectrum() (compute.Spectrum, compute.Source) { return f.spectrum, f.source }

func (f fourier) Draw(i int, omega compute.Matrix, phase []float64) {
	s := f.source.Stream(uint64(i))
	w := make([]float64, omega.Rows)
	for j := range phase {
		phase[j] = f.spectrum.Row(s, j, w)
		for l, v := range w {
			omega.Set(l, j, v)
		}
	}
}

// cosine is the activation √2·cos of arguments in turns.
type cosine struct{}

func (cosine) Activation() compute.Step { return compute.CosStep(math.Sqrt2) }
