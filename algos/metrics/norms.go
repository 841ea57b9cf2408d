package metrics

import (
	"math"

	"repro/algos"
)

const knowsNorm = "knows the norm of f"

var (
	_ = Register(Metric{
		Name: "rkhs-norm", Words: "RKHS norm of f", Symbol: "‖f‖_H", Better: Neither, Needs: Can[algos.Normed](knowsNorm),
		Doc:   "‖f‖ in the RKHS of the kernel, over all outputs; of f = ⟨w, z(x)⟩ in random features z, ‖w‖, the norm in the RKHS of their kernel",
		Value: func(e *Evaluation) (float64, error) { return math.Sqrt(e.SquaredNorm()), nil },
	})
	_ = Register(Metric{
		Name: "coefficient-norm", Words: "norm of the coefficients", Symbol: "‖α‖_{2}", Better: Neither,
		Needs: Can[algos.Expansion]("keeps coefficients of training rows"),
		Doc:   "‖α‖₂ of the coefficients of f = Σ α_i k(x_i, ·), over all outputs",
		Value: coefficientNorm,
	})
)

// SquaredNorm is ‖f‖², summed over the outputs that the metric is of.
func (e *Evaluation) SquaredNorm() float64 {
	sum := 0.0
	for _, s := range e.Fit.(algos.Normed).SquaredNorms()[e.outputs[0]:e.outputs[1]] {
		sum += s
	}
	return max(sum, 0) // αᵀKα of a singular K may round to a negative number
}

// coefficientNorm is the square root of the sum of the squares of all coefficients.
func coefficientNorm(e *Evaluation) (float64, error) {
	alpha, sum := e.Columns(e.Fit.(algos.Expansion).Coefficients()), 0.0
	for i := range alpha.Rows {
		for _, v := range alpha.Row(i) {
			sum += v * v
		}
	}
	return math.Sqrt(sum), nil
}
