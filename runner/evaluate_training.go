package runner

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/metrics"
)

// trainingRows is the number of training rows that are predicted at a time.
const trainingRows = 4096

// atTraining returns the predictions at all training rows and what metrics need of these rows. A fit that is a Fitter
// returns all predictions at once, as a program does; others predict trainingRows rows at a time.
func (e *evaluator) atTraining(fit algos.Fit) (*metrics.Evaluation, algos.Predictions, error) {
	var p algos.Predictions
	train := e.instance.data.Train
	n := train.Len()
	_, out := train.Dims()
	known := e.targets.Rows > 0
	if !known {
		e.targets = compute.NewMatrix(n, out)
	}
	models := map[*compute.Matrix]algos.Model{}
	if e.given != nil {
		p.Last = e.given.train
	} else if f, ok := fit.(algos.Fitter); ok {
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
	at := e.instance.evaluation()
	at.Fit, at.Y = fit, e.targets
	at.Truth, at.Groups, at.Reference = nil, nil, nil // these are of the test rows
	return &at, p, nil
}
