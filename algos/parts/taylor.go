package parts

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute/exact"
)

// Taylor are the functions of the Taylor expansion of the Gaussian kernel up to order M [jezequel2019 §4],
//
//	g_k(x) = Π_i x_i^{k_i}/(σ^{k_i} √(k_i!)) e^{-x_i²/(2σ²)},  |k| = k_1 + … + k_d ≤ M,
//
// which are orthonormal in the RKHS of the kernel (Lemma 4.2), so that φ̃ = g. There are C(M+d, d) of them. The authors' code has one for
// each ordered product of inputs instead, with the weight 1/(σ^|k| √(|k|!)): the duplicates of a k sum to the same kernel.
type Taylor struct {
	in    int
	sigma float64
	terms []taylorTerm // in the order of |k|; the first is |k| = 0
}

// A taylorTerm is g_k = g_parent · x_input · scale, where scale is 1/(σ√k_input).
type taylorTerm struct {
	parent, input int32
	scale         float64
}

// TaylorFunctions returns C(order+in, in), the number of functions of |k| ≤ order, +Inf if float64 has no such number.
func TaylorFunctions(in, order int) float64 {
	n := 1.0
	for j := 1; j <= order; j++ {
		n = n * float64(in+j) / float64(j)
	}
	return math.Round(n)
}

// maxTaylor bounds the number of functions: a triangle of numbers for all pairs of them takes 17 GB then.
const maxTaylor = 1 << 16

// NewTaylor returns the functions of that order for inputs of the given number and the bandwidth σ. The error says that
// there are too many; it wraps algos.ErrUnsupported.
func NewTaylor(in, order int, sigma float64) (*Taylor, error) {
	r := TaylorFunctions(in, order)
	if r > maxTaylor {
		return nil, fmt.Errorf("%w: %d inputs have %.3g Taylor functions of order %d, more than %d: choose a smaller order", algos.ErrUnsupported, in, r, order, maxTaylor)
	}
	t := &Taylor{in: in, sigma: sigma, terms: make([]taylorTerm, 1, int(r))}
	// Every k ≠ 0 is made once, from the k with one less of its last input: first are the terms of |k| - 1 whose last input
	// is input or an earlier one.
	type last struct{ input, power int }
	lasts := []last{{0, 0}}
	for from, m := 0, 1; m <= order; m++ {
		to := len(t.terms)
		for parent := from; parent < to; parent++ {
			for input := lasts[parent].input; input < in; input++ {
				power := 1
				if input == lasts[parent].input {
					power = lasts[parent].power + 1
				}
				t.terms = append(t.terms, taylorTerm{int32(parent), int32(input), 1 / (sigma * math.Sqrt(float64(power)))})
				lasts = append(lasts, last{input, power})
			}
		}
		from = to
	}
	return t, nil
}

// Len returns the number of functions.
func (t *Taylor) Len() int { return len(t.terms) }

// At writes the first len(v) of g(x) to v, at least one.
func (t *Taylor) At(v, x []float64) {
	square := 0.0
	for _, a := range x {
		square += a * a
	}
	v[0] = exact.Exp(-square / (2 * t.sigma * t.sigma))
	for k, term := range t.terms[1:len(v)] {
		v[k+1] = v[term.parent] * (x[term.input] * term.scale)
	}
}
