package runner

import (
	"errors"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/metrics"
)

// trainingRows is the number of training rows predicted in one go.
const trainingRows = 4096

// atTraining predicts at all training rows, at once where the fit knows how, else some at a time, and returns what
// metrics may know of these rows.
func (e *evaluator) atTraining(fit algos.Fit) (*metrics.Evaluation, algos.Predictions, error) {
	var p algos.Predictions
	if fit == nil {
		return nil, p, errors.New("a program predicts test rows alone: remove the metrics of the training set")
	}
	train := e.set.data.Train
	n := train.Len()
	_, out := train.Dims()
	known := e.targets.Rows > 0
	if !known {
		e.targets = compute.NewMatrix(n, out)
	}
	models := map[*compute.Matrix]algos.Model{}
	if f, ok := fit.(algos.Fitter); ok {
		p.Last = f.Fitted()
	} else {
		p.Last = compute.NewMatrix(n, out)
		models[&p.Last] = fit.Model()
	}
	if a, ok := fit.(algos.Averager); ok && a.Average() != nil {
		p.Average = compute.NewMatrix(n, out)
		models[&p.Average] = a.Average()
	}
	for lo := 0; lo < n && (len(models) > 0 || !known); lo += trainingRows {
		hi := min(lo+trainingRows, n)
		x, y := rowsBetween(train, lo, hi)
		e.targets.RowRange(lo, hi).CopyFrom(y)
		for to, m := range models {
			to.RowRange(lo, hi).CopyFrom(m.Predict(x))
		}
	}
	at := e.set.evaluation()
	at.Fit, at.Y = fit, e.targets
	at.Truth, at.Groups, at.Reference = nil, nil, nil // of the test rows
	return &at, p, nil
}
