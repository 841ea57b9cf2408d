package runner

import (
	"errors"

	"repro/algos"
	"repro/algos/compute"
)

// atRows are predictions at the training inputs and the instance that judges them: the training rows in
// place of the test set.
type atRows struct {
	algos.Predictions
	set *instance
}

// trainingRows is the number of training rows predicted in one go.
const trainingRows = 4096

// atTraining predicts at all training rows: at once where the fit knows how, else some at a time.
func (e *evaluator) atTraining(fit algos.Fit) (*atRows, error) {
	if fit == nil {
		return nil, errors.New("a program predicts test rows alone: remove the metrics of the training set")
	}
	train := e.set.data.Train
	n := train.Len()
	_, out := train.Dims()
	known := e.targets.Rows > 0
	if !known {
		e.targets = compute.NewMatrix(n, out)
	}
	t := &atRows{}
	models := map[*compute.Matrix]algos.Model{}
	if f, ok := fit.(algos.Fitter); ok {
		t.Last = f.Fitted()
	} else {
		t.Last = compute.NewMatrix(n, out)
		models[&t.Last] = fit.Model()
	}
	if a, ok := fit.(algos.Averager); ok && a.Average() != nil {
		t.Average = compute.NewMatrix(n, out)
		models[&t.Average] = a.Average()
	}
	for lo := 0; lo < n && (len(models) > 0 || !known); lo += trainingRows {
		hi := min(lo+trainingRows, n)
		x, y := rowsBetween(train, lo, hi)
		e.targets.RowRange(lo, hi).CopyFrom(y)
		for to, m := range models {
			to.RowRange(lo, hi).CopyFrom(m.Predict(x))
		}
	}
	set, data := *e.set, *e.set.data
	data.TestY, data.Groups = e.targets, nil
	set.data = &data
	t.set = &set
	return t, nil
}
