package generators

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
)

// Small problems on which the best prediction is known, one for each kind of loss of dai2014 §4. The
// paper prints the losses and shows no experiment with most of them; these are made for that. Rows are
// the same bits on every platform, as those of dai2014-synthetic are.

const lossCitation = "made for this program, to show the losses of Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Sec. 4"

// The regression problems share a curve, f(x) = cos(0.5πx)·exp(-0.1πx) on [0, 6].
const curveEnd = 6

// wave-outliers has noise of standard deviation 0.2 and moves one target in ten up by 4. With a share
// p = 1/10 moved far beyond δ and ε, the minimisers at x lie above f(x) by a constant: for the square
// loss 4p, for Huber's δp/(1-p), for the absolute value the noise's quantile 0.5/(1-p).
var _ = register(datasets.Source{
	Name:     "wave-outliers",
	Title:    "a wave with noise of standard deviation 0.2, and one target in ten moved up by 4",
	Citation: lossCitation,
	Notes:    "the generating function is the wave without noise and outliers",
	Task:     "regression", Dims: 1, Rows: 1 << 14, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "wave-outliers version 1: x uniform on [0,6], y = cos(0.5 pi x) exp(-0.1 pi x) + 0.2 e + 4 b, e ~ N(0,1), b = 1 with probability 0.1, else 0",
		Row: func(s *compute.Stream, x, y []float64) {
			x[0] = float64(curveEnd * s.Float64())
			e, u := s.Normal(), s.Float64()
			y[0] = radialWave(x[0]) + float64(0.2*e)
			if u < 0.1 {
				y[0] += 4
			}
		},
		Truth:  func(x []float64) float64 { return radialWave(x[0]) },
		Domain: [][2]float64{{0, curveEnd}},
	},
})

// wave-spread has noise whose standard deviation grows from 0.1 to 0.5, so that quantiles are no
// shifted copies of each other: the τ-quantile at x is f(x) + (0.1 + 0.4x/6)·Φ⁻¹(τ).
var _ = register(datasets.Source{
	Name:     "wave-spread",
	Title:    "a wave with noise that grows with x",
	Citation: lossCitation,
	Notes:    "the generating function is the conditional median",
	Task:     "regression", Dims: 1, Rows: 1 << 14, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "wave-spread version 1: x uniform on [0,6], y = cos(0.5 pi x) exp(-0.1 pi x) + (0.1 + 0.4 x/6) e, e ~ N(0,1)",
		Row: func(s *compute.Stream, x, y []float64) {
			u := s.Float64()
			x[0] = float64(curveEnd * u)
			y[0] = radialWave(x[0]) + float64((0.1+float64(0.4*u))*s.Normal())
		},
		Truth:  func(x []float64) float64 { return radialWave(x[0]) },
		Domain: [][2]float64{{0, curveEnd}},
	},
})

// two-samples draws its label first: 1 for a point of p(x) = (1 + 0.8 cos(0.5πx))/4, -1 for one of the
// uniform q(x) = 1/4, both on [0, 4]. The log odds, and with equal shares the log ratio of the
// densities, are log(1 + 0.8 cos(0.5πx)).
var _ = register(datasets.Source{
	Name:     "two-samples",
	Title:    "points of two densities on a line, labelled by which they are from",
	Citation: lossCitation,
	Notes:    "the generating function is log(p/q)",
	Task:     "binary", Dims: 1, Rows: 1 << 14, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "two-samples version 1: y = 1 or -1 with probability 1/2; x on [0,4] from the density (1 + 0.8 cos(0.5 pi x))/4 if y = 1, uniform if y = -1",
		Row: func(s *compute.Stream, x, y []float64) {
			y[0] = -1
			if s.Float64() < 0.5 {
				y[0] = 1
			}
			for {
				x[0] = float64(4 * s.Float64())
				if y[0] < 0 || float64(1.8*s.Float64()) < 1+float64(0.8*exact.CosQuarters(x[0])) {
					return
				}
			}
		},
		Truth:  func(x []float64) float64 { return exact.Log(1 + 0.8*exact.CosQuarters(x[0])) },
		Domain: [][2]float64{{0, 4}},
	},
})

// two-classes has log odds 6·w with w = ‖x‖² - 1/2 - x₁/2: two classes inside and outside a circle that
// overlap near it.
var _ = register(datasets.Source{
	Name:     "two-classes",
	Title:    "two overlapping classes, inside and outside a circle",
	Citation: lossCitation,
	Notes:    "the generating function is the log odds of the class outside",
	Task:     "binary", Dims: 2, Rows: 1 << 14, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "two-classes version 1: x uniform on [-1,1]^2, y = 1 with log odds 6 (|x|^2 - 1/2 - x1/2), else -1",
		Row: func(s *compute.Stream, x, y []float64) {
			uniform(s, x)
			// P(y = 1) = exp(g)/(1 + exp(g)), with the larger of the two terms divided out.
			g, u := circleOdds(x), s.Float64()
			y[0] = -1
			if g > 0 && float64(u*(1+exact.ExpNegative(g))) < 1 || g <= 0 && float64(u*(1+exact.ExpNegative(-g))) < exact.ExpNegative(-g) {
				y[0] = 1
			}
		},
		Truth:  circleOdds,
		Domain: cube(2, -1, 1),
	},
})

func circleOdds(x []float64) float64 {
	r2 := float64(x[0]*x[0]) + float64(x[1]*x[1])
	return 6 * (r2 - 0.5 - float64(0.5*x[0]))
}

// three-classes has P(y = c) proportional to exp(g_c(x)), g_1 = 4x₁, g_2 = 4x₂, g_3 = 3 - 6‖x‖².
var _ = register(datasets.Source{
	Name:     "three-classes",
	Title:    "three overlapping classes in a square",
	Citation: lossCitation,
	Notes:    "the generating function is the number of the likeliest class",
	Task:     "multiclass", Dims: 2, Rows: 1 << 14, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "three-classes version 1: x uniform on [-1,1]^2, class c with probability proportional to exp(g_c), g = (4 x1, 4 x2, 3 - 6 |x|^2)",
		Row: func(s *compute.Stream, x, y []float64) {
			uniform(s, x)
			g := classScores(x)
			largest, sum := max(g[0], g[1], g[2]), 0.0
			for c, v := range g {
				g[c] = exact.ExpNegative(largest - v)
				sum += g[c]
			}
			u := float64(s.Float64() * sum)
			clear(y)
			switch {
			case u < g[0]:
				y[0] = 1
			case u < g[0]+g[1]:
				y[1] = 1
			default:
				y[2] = 1
			}
		},
		Outputs: 3,
		Truth: func(x []float64) float64 {
			g := classScores(x)
			switch {
			case g[0] >= g[1] && g[0] >= g[2]:
				return 1
			case g[1] >= g[2]:
				return 2
			}
			return 3
		},
		Domain: cube(2, -1, 1),
	},
})

func classScores(x []float64) [3]float64 {
	r2 := float64(x[0]*x[0]) + float64(x[1]*x[1])
	return [3]float64{4 * x[0], 4 * x[1], 3 - float64(6*r2)}
}

// ring-and-spot has three points in four on a ring about the origin, of radius 1 give or take 0.2, and
// the others in a disc of radius 0.2 about (0.1, 0): usual points, between which nothing should be.
var _ = register(datasets.Source{
	Name:     "ring-and-spot",
	Title:    "points on a ring and on a spot inside it",
	Citation: lossCitation,
	Notes:    "the target is 0 everywhere",
	Task:     "none", Dims: 2, Rows: 1 << 13, TestRows: 4096,
	Generate: &datasets.Generator{
		Description: "ring-and-spot version 1: with probability 3/4 a point at radius 1 + 0.2 (u + v - 1), otherwise at radius 0.2 sqrt(u) about (0.1, 0), at a uniform angle; u, v uniform on [0,1]",
		Row: func(s *compute.Stream, x, y []float64) {
			turn, u, v := float64(4*s.Float64()), s.Float64(), s.Float64()
			r, centre := 1+float64(0.2*(u+v-1)), 0.0
			if s.Float64() >= 0.75 {
				r, centre = float64(0.2*math.Sqrt(u)), 0.1
			}
			x[0] = centre + float64(r*exact.CosQuarters(turn))
			x[1] = float64(r * exact.CosQuarters(turn+3)) // the sine
			y[0] = 0
		},
		Domain: cube(2, -1.5, 1.5),
	},
})
