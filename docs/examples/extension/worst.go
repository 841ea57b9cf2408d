package smoothing

import (
	"math"

	"repro/algos/metrics"
)

var _ = metrics.Register(metrics.Metric{
	Name: "worst-error", Words: "largest test error", Symbol: "max |f(x_i) - y_i|", Better: metrics.Smaller, Targets: metrics.DataTargets,
	Doc: "largest absolute error on the test set, over rows and outputs",
	Value: func(e *metrics.Evaluation) (float64, error) {
		worst := 0.0
		for i := range e.F.Rows {
			for j, u := range e.F.Row(i) {
				worst = max(worst, math.Abs(u-e.Y.At(i, j)))
			}
		}
		return worst, nil
	},
})
