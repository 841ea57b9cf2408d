package kernels

import (
	"math"

	dsp "gonum.org/v1/gonum/dsp/fourier"

	"repro/algos/compute"
)

// tensorSketch is FFT⁻¹(FFT(C_1 y) ⊙ … ⊙ FFT(C_p y)) with y = [x/σ, √c] [Pham and Pagh, KDD 2013, Algorithm 1;
// dai2014 Table 1]. C_i y is a count sketch: component l is added, with a random sign, to a random one of
// D places. A block is one sketch of D = width features times √D, because here the mean of products
// of features is k, and there it is their sum. A block takes O(p(d + D log D)) operations a point if D is a
// product of small primes.
type tensorSketch struct {
	blocks
	scale, offset float64 // 1/σ and √c
	degree        int     // p
}

// A countSketch adds component l, times sign[l], to place[l].
type countSketch struct {
	place []int
	sign  []float64
}

// draw returns the count sketches of block i for y of d components.
func (f tensorSketch) draw(i, d int) []countSketch {
	stream, sketches := f.stream(i), make([]countSketch, f.degree)
	for k := range sketches {
		c := countSketch{make([]int, d), make([]float64, d)}
		for l := range d {
			c.place[l] = stream.IntN(f.width)
		}
		toss := coin{stream: stream}
		for l := range d {
			c.sign[l] = toss.sign()
		}
		sketches[k] = c
	}
	return sketches
}

func (f tensorSketch) Evaluate(i int, x, phi compute.Matrix) {
	sketches := f.draw(i, x.Cols+1)
	fft, space := dsp.NewFFT(f.width), make([]float64, f.width)
	product, factor := make([]complex128, f.width/2+1), make([]complex128, f.width/2+1)
	unit := 1 / math.Sqrt(float64(f.width)) // √D, over D for FFT⁻¹
	for r := range x.Rows {
		for k, c := range sketches {
			clear(space)
			for l, v := range x.Row(r) {
				space[c.place[l]] += float64(c.sign[l] * f.scale * v)
			}
			space[c.place[x.Cols]] += c.sign[x.Cols] * f.offset
			if k == 0 {
				fft.Coefficients(product, space)
				continue
			}
			for q, v := range fft.Coefficients(factor, space) {
				product[q] *= v
			}
		}
		for j, v := range fft.Sequence(space, product) {
			phi.Set(r, j, unit*v)
		}
	}
}
