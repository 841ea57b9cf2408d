package runner

import (
	"errors"
	"math"
	"slices"
	"sync"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/metrics"
	"repro/algos/online"
	"repro/experiments"
	"repro/results/records"
)

// An evaluator measures a fit. A checkpoint stores its evaluatorState: the running predictions of incremental fits.
type evaluator struct {
	metrics  []*metrics.Metric
	instance *instance
	problem  algos.Problem // the instance's, with the engine of the cell

	tally   *algos.Tally      // of the predictions before learning
	past    *online.Hindsight // nil unless a metric or an adversary compares with it
	targets compute.Matrix    // of the training rows; read when a metric first needs them
	evaluatorState
}

type evaluatorState struct {
	Test, Training running
}

// A running holds predictions of an incremental fit at fixed inputs from one evaluation to the next.
type running struct {
	At            int // the step they are of
	Last, Average compute.Matrix
}

// begin allocates predictions at n inputs, zero before the first step, if there are none yet.
func (r *running) begin(fit *fit, n, out int) {
	if r.Last.Rows > 0 {
		return
	}
	r.Last = compute.NewMatrix(n, out)
	if fit.average() != nil {
		r.Average = compute.NewMatrix(n, out)
	}
}

// rows returns the predictions at the inputs lo ≤ i < hi, which share their memory.
func (r *running) rows(lo, hi int) algos.Predictions {
	p := algos.Predictions{Last: r.Last.RowRange(lo, hi)}
	if r.Average.Rows > 0 {
		p.Average = r.Average.RowRange(lo, hi)
	}
	return p
}

func newEvaluator(all []*metrics.Metric, inst *instance, engine *compute.Engine) *evaluator {
	e := &evaluator{metrics: all, tally: new(algos.Tally), instance: inst, problem: inst.problem}
	e.problem.Engine = engine
	return e
}

// progressive reports whether a metric is of the predictions before learning.
func (e *evaluator) progressive() bool {
	return slices.ContainsFunc(e.metrics, func(m *metrics.Metric) bool { return m.Progressive })
}

// predictions returns the predictions of the fit at the test inputs after the given step. It advances the running
// predictions of incremental fits to that step.
func (e *evaluator) predictions(fit *fit, step int) algos.Predictions {
	x := e.instance.data.TestX
	if x.Cols == 0 { // the method has a problem of its own
		return algos.Predictions{}
	}
	if fit.incremental == nil {
		model, average := fit.Model(), fit.average()
		if model == nil {
			return algos.Predictions{}
		}
		if both, ok := fit.Fit.(algos.Both); ok && average != nil {
			return both.Both(x)
		}
		p := algos.Predictions{Last: model.Predict(x)}
		if average != nil {
			p.Average = average.Predict(x)
		}
		return p
	}
	e.Test.begin(fit, x.Rows, e.instance.data.TestY.Cols)
	p := e.Test.rows(0, x.Rows)
	fit.incremental.Advance(e.Test.At, x, p)
	e.Test.At = step
	return p
}

// measure evaluates every metric at the iterate and, if the fit has one, at the averaged iterate. If a prediction or a number that
// the fit reports is not finite, diverged says which, and all values are null. Else a value that is infinite is null, and a metric that is NaN does
// not apply here and has no value, so that nobody takes it for one of a run that diverged.
func (e *evaluator) measure(fit *fit, step int) (values map[string]*float64, diverged string, err error) {
	p := e.predictions(fit, step)
	if err := algos.Err(fit.Fit); err != nil {
		return nil, "", err
	}
	if !p.Last.Finite() || !p.Average.Finite() {
		return e.nothing(), "a test prediction", nil
	}
	values = map[string]*float64{}
	set := func(name string, v float64) {
		if !math.IsNaN(v) {
			values[name] = records.Value(v)
		}
	}
	test := e.evaluation()
	test.Fit, test.Tally = fit.Fit, *e.tally
	if slices.ContainsFunc(e.metrics, func(m *metrics.Metric) bool { return m.Reported }) {
		test.Report = fit.report()
		if err := algos.Err(fit.Fit); err != nil {
			return nil, "", err
		}
	}
	if e.past != nil {
		test.Hindsight = sync.OnceValue(func() algos.Hindsight { return e.past.Follow(e.tally.Rounds).Hindsight() })
	}
	var training *metrics.Evaluation
	var atTraining algos.Predictions
	for _, m := range e.metrics {
		at, of := test, p
		if m.Training {
			if training == nil {
				if training, atTraining, err = e.atTraining(fit, step); err != nil {
					return nil, "", err
				}
			}
			at, of = *training, atTraining
		}
		at.F = of.Last
		v, err := m.Of(at)
		if err != nil {
			return nil, "", err
		}
		if m.Reported && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return e.nothing(), m.Name, nil
		}
		set(m.Name, v)
		if of.Average.Rows == 0 || m.OfFit() {
			continue
		}
		at.F = of.Average
		if v, err = m.Of(at); err != nil {
			return nil, "", err
		}
		set(m.Name+experiments.AverageSuffix, v)
	}
	return values, "", nil
}

// nothing returns a null value for every metric.
func (e *evaluator) nothing() map[string]*float64 {
	values := map[string]*float64{}
	for _, m := range e.metrics {
		values[m.Name] = nil
	}
	return values
}

// evaluation returns what metrics need of the test rows.
func (e *evaluator) evaluation() metrics.Evaluation {
	i := e.instance
	return metrics.Evaluation{
		Problem: &e.problem, X: i.data.TestX, Y: i.data.TestY,
		Data: i.data.Name, Task: i.data.Task, Truth: i.truth, TargetUnit: i.data.TargetUnit, Groups: i.data.Groups,
		Reference: i.reference,
	}
}

// tooLong returns an error if a metric compares with a regression on too many examples.
func tooLong(c *experiments.Cell, rows int) error {
	if why := c.TooLong(rows); why != "" {
		return errors.New("evaluate.metrics: " + why)
	}
	return nil
}

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
