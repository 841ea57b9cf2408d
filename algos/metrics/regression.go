package metrics

import (
	"errors"
	"fmt"
	"math"

	"repro/algos/losses"
)

var (
	_ = Register(Metric{
		Name: "l2-error", Words: "squared L_{2} distance to f", Symbol: "‖f - f*‖²", Better: Smaller, Targets: DataTargets,
		Doc:   "mean squared distance on the test inputs to the function that generated the data",
		Value: truthError,
	})
	_ = Register(Metric{
		Name: "test-mse", Words: "test mean squared error", Better: Smaller,
		Doc:   "mean squared error on the test set, the mean over outputs",
		Value: squaredError,
	})
	_ = Register(Metric{
		Name: "train-mse", Words: "training mean squared error", Better: Smaller, Targets: DataTargets, Training: true,
		Doc:   "mean squared error on the training set, the mean over outputs",
		Value: squaredError,
	})
	_ = Register(Metric{
		Name: "test-rmse", Words: "test root mean squared error", Better: Smaller, Targets: DataTargets,
		Doc: "root mean squared error on the test set, in the units of the data even where target_scale changed them",
		Value: func(e *Evaluation) (float64, error) {
			mse, err := squaredError(e)
			return e.unit() * math.Sqrt(mse), err
		},
	})
	_ = Register(Metric{
		Name: "test-mae", Words: "test mean absolute error", Better: Smaller, Targets: DataTargets,
		Doc:   "mean absolute error on the test set, summed over outputs, in the units of the data even where target_scale changed them",
		Value: absoluteError,
	})
	_ = Register(Metric{
		Name: "test-below", Words: "share of test targets below f", Unit: Fraction, Better: Neither, Targets: DataTargets,
		Doc:   "fraction of the test targets below the prediction: τ for the quantile τ",
		Value: below,
	})
)

// truthError is (1/m) Σ_i (u_i - f*(x_i))², f* the function that generated the data.
func truthError(e *Evaluation) (float64, error) {
	if e.Truth == nil {
		return 0, fmt.Errorf("data set %s has no generating function; use test-mse", e.Data)
	}
	if e.Task == losses.Multiclass {
		return 0, fmt.Errorf("the outputs for data set %s are one a class; use test-error or test-loss", e.Data)
	}
	return meanRows(e.F, func(i int, u []float64) float64 { return (u[0] - e.Truth[i]) * (u[0] - e.Truth[i]) }), nil
}

// squaredError is (1/(mc)) Σ_i ‖u_i - y_i‖², c the number of outputs.
func squaredError(e *Evaluation) (float64, error) {
	sum := meanRows(e.F, func(i int, u []float64) float64 { return squaredDistance(u, e.Y.Row(i)) })
	return sum / float64(max(e.F.Cols, 1)), nil
}

// absoluteError is (1/m) Σ_i ‖u_i - y_i‖_1 in the units of the data.
func absoluteError(e *Evaluation) (float64, error) {
	return e.unit() * meanRows(e.F, func(i int, u []float64) (s float64) {
		for c, v := range u {
			s += math.Abs(v - e.Y.At(i, c))
		}
		return s
	}), nil
}

// unit is what a difference of 1 between targets is in the units of the data.
func (e *Evaluation) unit() float64 {
	if e.TargetUnit == 0 {
		return 1
	}
	return e.TargetUnit
}

// below is the share of rows with y_i < u_i.
func below(e *Evaluation) (float64, error) {
	if e.Task != losses.Regression {
		return 0, errors.New("data set " + e.Data + " has no real target; use test-error")
	}
	return meanRows(e.F, func(i int, u []float64) float64 { return share(e.Y.At(i, 0) < u[0]) }), nil
}
