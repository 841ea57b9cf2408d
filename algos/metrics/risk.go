package metrics

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

var (
	_ = Register(Metric{
		Name: "test-loss", Words: "mean test loss", Better: Smaller, Signed: true,
		Doc:   "mean loss on the test set",
		Value: meanLoss,
	})
	_ = Register(Metric{
		Name: "train-loss", Words: "mean training loss", Better: Smaller, Signed: true, Targets: DataTargets, Training: true,
		Doc:   "mean loss on the training set",
		Value: meanLoss,
	})
	_ = Register(Metric{
		Name: "excess-loss", Words: "absolute excess of the mean test loss", Symbol: "|R(f) - R(f*)|", Better: Smaller,
		Targets: DataTargets, Reference: true,
		Doc:   "distance |R(f) - R(f*)| of the mean loss on the test set, without the regulariser, from that of the predictions f* of the reference solver",
		Value: against(excessLoss),
	})
	_ = Register(Metric{
		Name: "objective", Words: "regularised objective", Symbol: "R(f)", Better: Smaller, Signed: true,
		Targets: DataTargets, Training: true, Needs: Can[algos.Normed](knowsNorm),
		Doc:   "regularised objective that is minimised, mean training loss + ν/2·‖f‖², with the norm of rkhs-norm",
		Value: objective,
	})
)

// meanLoss is (1/m) Σ_i l(u_i, y_i).
func meanLoss(e *Evaluation) (float64, error) {
	return meanRows(e.F, func(i int, u []float64) float64 { return e.Problem.Loss.Value(u, e.Y.Row(i)) }), nil
}

// excessLoss is |R(f) - R(f*)|, R the mean loss on the test set and f* the reference's predictions
// [dai2014 Thm 6].
func excessLoss(e *Evaluation, ref compute.Matrix) float64 {
	loss := e.Problem.Loss
	return math.Abs(meanRows(e.F, func(i int, u []float64) float64 {
		y := e.Y.Row(i)
		return loss.Value(u, y) - loss.Value(ref.Row(i), y)
	}))
}

// objective is R(f) = (1/n) Σ_i l(f(x_i), y_i) + ν/2·‖f‖² [dai2014 eq. (1)].
func objective(e *Evaluation) (float64, error) {
	loss := e.Problem.Loss
	if loss == (losses.Novelty{}) {
		return 0, fmt.Errorf("the loss %s has a threshold that does not belong to f; use train-loss and rkhs-norm", loss.Name())
	}
	risk, err := meanLoss(e)
	return risk + e.Problem.Nu/2*e.SquaredNorm(), err
}

var (
	_ = Register(Metric{
		Name: "exact-distance", Words: "squared distance to the exact solution", Symbol: "(1/m)‖u - u*‖²", Better: Smaller, Reference: true,
		Doc:   "mean squared distance on the test inputs to the predictions of the reference solver",
		Value: against(exactDistance),
	})
	_ = Register(Metric{
		Name: "exact-error", Words: "relative RMS distance to the exact solution", Symbol: "‖u - u*‖/‖u*‖", Better: Smaller, Reference: true,
		Doc:   "root mean squared distance on the test inputs to the predictions of the reference solver, relative to their root mean square: 1 for predicting zero",
		Value: against(exactError),
	})
)

// exactDistance is (1/m) Σ_i ‖u_i - u*_i‖², u the predictions and u* the reference's.
func exactDistance(e *Evaluation, ref compute.Matrix) float64 {
	return meanRows(e.F, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) })
}

// exactError is √(Σ_i ‖u_i - u*_i‖² / Σ_i ‖u*_i‖²).
func exactError(e *Evaluation, ref compute.Matrix) float64 {
	zero := make([]float64, ref.Cols)
	size := meanRows(ref, func(_ int, u []float64) float64 { return squaredDistance(u, zero) })
	return math.Sqrt(exactDistance(e, ref) / size)
}
