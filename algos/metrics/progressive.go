package metrics

import "math"

var (
	_ = Register(Metric{
		Name: "progressive-mse", Words: "average square loss so far", Better: Smaller, Progressive: true,
		Doc:   "(1/t) Σ_{s≤t} ‖u_s - y_s‖² over the examples so far, each predicted before its target was known",
		Value: func(e *Evaluation) (float64, error) { return e.Tally.MeanSquare(), nil },
	})
	_ = Register(Metric{
		Name: "progressive-rmse", Words: "root average square loss so far", Better: Smaller, Progressive: true, Targets: DataTargets,
		Doc:   "√((1/t) Σ_{s≤t} ‖u_s - y_s‖²) over the examples so far, each predicted before its target was known, in the units of the data even where target_scale changed them",
		Value: func(e *Evaluation) (float64, error) { return e.unit() * math.Sqrt(e.Tally.MeanSquare()), nil },
	})
	_ = Register(Metric{
		Name: "cumulative-loss", Words: "cumulative square loss", Better: Smaller, Progressive: true,
		Doc:   "Σ_{s≤t} ‖u_s - y_s‖² over the examples so far, each predicted before its target was known",
		Value: func(e *Evaluation) (float64, error) { return e.Tally.Squares, nil },
	})
	_ = Register(Metric{
		Name: "progressive-error", Words: "error so far", Unit: Fraction, Better: Smaller, Progressive: true, Tasks: classes,
		Doc:   "share of the examples so far whose label was predicted wrongly before it was known, the mean over outputs; an output of zero counts as wrong",
		Value: func(e *Evaluation) (float64, error) { return share64(e.Tally.Wrong+e.Tally.Ties, e.Tally.Outputs), nil },
	})
	_ = Register(Metric{
		Name: "progressive-coin-error", Words: "error so far, a coin for ties", Unit: Fraction, Better: Smaller, Progressive: true, Tasks: classes,
		Doc: "progressive-error with a coin for an output of zero: half of them count as wrong, the expectation over the coin",
		Value: func(e *Evaluation) (float64, error) {
			return share64(2*e.Tally.Wrong+e.Tally.Ties, 2*e.Tally.Outputs), nil
		},
	})
	_ = Register(Metric{
		Name: "progressive-ties", Words: "ties so far", Unit: Fraction, Better: Neither, Progressive: true, Tasks: classes,
		Doc:   "share of the examples so far whose prediction was zero before their label was known",
		Value: func(e *Evaluation) (float64, error) { return share64(e.Tally.Ties, e.Tally.Outputs), nil },
	})
)

// share64 is part of all, NaN if there are none.
func share64(part, all int64) float64 {
	if all == 0 {
		return math.NaN()
	}
	return float64(part) / float64(all)
}
