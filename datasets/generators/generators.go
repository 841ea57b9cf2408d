// Package generators registers the data sets whose rows are drawn. Programs import it for that: it exports nothing.
//
// A row has the same bits on every platform. It takes additions, multiplications, square roots and functions of package
// exact, and explicit conversions keep compilers from fusing them.
package generators

import (
	"fmt"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
)

func register(s datasets.Source) struct{} {
	s.Licence = "generated, no licence needed"
	datasets.Register(s)
	return struct{}{}
}

// cube returns [lo, hi]^d.
func cube(d int, lo, hi float64) [][2]float64 {
	box := make([][2]float64, d)
	for j := range box {
		box[j] = [2]float64{lo, hi}
	}
	return box
}

// uniform draws inputs on [-1, 1].
func uniform(s *compute.Stream, x []float64) {
	for j := range x {
		x[j] = float64(2*s.Float64()) - 1
	}
}

// Streams for the regret bounds of jezequel2019, which hold for every sequence with targets in [-B, B]; B = 1 here. The
// inputs of both generators are uniform on [-1, 1]^d, and their function is
//
//	f(x) = 0.7 (exp(-‖x - a‖²/2) - exp(-‖x + a‖²/2)),  a = (0.5, …, 0.5),
//
// which lies in the RKHS of the Gaussian kernel with σ = 1.
//
// Row i has the same bits on every platform. It uses only additions, multiplications and the exponential of package exact, and
// explicit conversions keep compilers from fusing them.

// two-bumps has independent rows y = f(x) + 0.3 e with e uniform on [-1, 1].
var _ = register(datasets.Source{
	Name:     "two-bumps",
	Title:    "regression on two Gaussian bumps of opposite signs, with uniform noise; targets in [-1, 1]",
	Citation: citeJezequel,
	Task:     "regression", Dims: 2, Rows: 2000, TestRows: 1000,
	Generate: bumpsIn(2),
})

// two-bumps-switching has the targets y = ±(0.3 + f(x)), whose sign switches every 50 rows: no function predicts many of
// them, and what is learnt is wrong after the next switch.
var _ = register(datasets.Source{
	Name:     "two-bumps-switching",
	Title:    "regression on two Gaussian bumps whose sign switches every 50 rows; targets in [-1, 1]",
	Citation: citeJezequel,
	Task:     "regression", Dims: 2, Rows: 2000, TestRows: 1000,
	Generate: switchingIn(2),
})

// adversary is the greedy adversary of jezequel2019 Sec. 5. Package runner chooses its rows, in [-1, 1]^d × [-1, 1].
var _ = register(datasets.Source{
	Name:     "adversary",
	Title:    "a greedy adversary, which chooses each example of a stream against the method that learns it",
	Citation: citeJezequel + ", Sec. 5",
	Notes:    "every method has other rows; they are written to predictions/<experiment>/<cell>.stream.csv",
	Task:     "regression", Dims: 5, Rows: 80,
	Generate: adversaryIn(5),
})

const citeJezequel = "Jézéquel, Gaillard & Rudi, Efficient online learning with kernels for adversarial large scale problems, 2019"

// bumpsIn returns the generator of two-bumps in d dimensions.
func bumpsIn(d int) *datasets.Generator {
	return &datasets.Generator{
		Description: fmt.Sprintf("two-bumps version 1: x uniform on [-1,1]^%d, y = f(x) + 0.3 e, e uniform on [-1,1], f(x) = 0.7 (exp(-|x-a|^2/2) - exp(-|x+a|^2/2)), a = 0.5 in every input", d),
		Row: func(s *compute.Stream, x, y []float64) {
			uniform(s, x)
			y[0] = twoBumps(x) + float64(0.3*(float64(2*s.Float64())-1))
		},
		Truth:  twoBumps,
		Domain: cube(d, -1, 1),
		In:     bumpsIn,
	}
}

// switchEvery is the number of rows after which the sign of two-bumps-switching changes.
const switchEvery = 50

// switchingIn returns the generator of two-bumps-switching in d dimensions.
func switchingIn(d int) *datasets.Generator {
	return &datasets.Generator{
		Description: fmt.Sprintf("two-bumps-switching version 1: x uniform on [-1,1]^%d, y = 0.3 + f(x) with f of two-bumps, times -1 in every other block of %d rows", d, switchEvery),
		Drift: func(s *compute.Stream, i int, x, y []float64) {
			uniform(s, x)
			y[0] = 0.3 + twoBumps(x)
			if i/switchEvery%2 == 1 {
				y[0] = -y[0]
			}
		},
		Domain: cube(d, -1, 1),
		In:     switchingIn,
	}
}

// adversaryIn returns the generator of an adversary in d dimensions.
func adversaryIn(d int) *datasets.Generator {
	return &datasets.Generator{
		Description: fmt.Sprintf("adversary version 1: rows in [-1,1]^%d x [-1,1], chosen against the method that learns them", d),
		Adversarial: true,
		In:          adversaryIn,
	}
}

// twoBumps returns f(x).
func twoBumps(x []float64) float64 {
	near, far := 0.0, 0.0
	for _, v := range x {
		near += float64((v - 0.5) * (v - 0.5))
		far += float64((v + 0.5) * (v + 0.5))
	}
	return float64(0.7 * (exact.ExpNegative(near/2) - exact.ExpNegative(far/2)))
}
