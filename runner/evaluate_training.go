package runner

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/metrics"
)

// trainingRows is the number of training rows that are predicted at a time.
const trainingRows = 4096

// atTraining returns the predictions at all training rows after the given step, and what metrics need of these rows. A fit that
// is a Fitter returns all predictions at once; others predict trainingRows rows at a time, and incremental
// fits advance their running predictions to that step.
func (e *evaluator) atTraining(fit *fit, step int) (*metrics.Evaluation, algos.Predictions, error) {
	train := e.instance.data.Train
	n := train.Len()
	_, out := train.Dims()
	known := e.targets.Rows > 0
	if !known {
		e.targets = compute.NewMatrix(n, out)
	}
	p, predict := e.trainingPredictions(fit, n, out)
	for lo := 0; lo < n && (predict != nil || !known); lo += trainingRows {
		hi := min(lo+trainingRows, n)
		x, y := algos.Between(train, lo, hi)
		e.targets.RowRange(lo, hi).CopyFrom(y)
		if predict != nil {
			predict(lo, hi, x)
		}
	}
	if err := algos.Err(fit.Fit); err != nil {
		return nil, p, err
	}
	e.Training.At = step
	at := e.evaluation()
	at.Fit, at.Y = fit.Fit, e.targets
	at.Truth, at.Groups, at.Reference = nil, nil, nil // these are of the test rows
	return &at, p, nil
}

// trainingPredictions returns predictions at n training rows, and the function that sets them for the inputs x of the rows
// lo ≤ i < hi; nil if they are set.
func (e *evaluator) trainingPredictions(fit *fit, n, out int) (p algos.Predictions, predict func(lo, hi int, x compute.Matrix)) {
	if fit.incremental != nil {
		e.Training.begin(fit, n, out)
		return e.Training.rows(0, n), func(lo, hi int, x compute.Matrix) { fit.incremental.Advance(e.Training.At, x, e.Training.rows(lo, hi)) }
	}
	models := map[*compute.Matrix]algos.Model{}
	if fit.fitter != nil {
		p.Last = fit.fitter.Fitted()
	} else {
		p.Last = compute.NewMatrix(n, out)
		models[&p.Last] = fit.Model()
	}
	if average := fit.average(); average != nil {
		p.Average = compute.NewMatrix(n, out)
		models[&p.Average] = average
	}
	if len(models) == 0 {
		return p, nil
	}
	return p, func(lo, hi int, x compute.Matrix) {
		for to, m := range models {
			to.RowRange(lo, hi).CopyFrom(m.Predict(x))
		}
	}
}
