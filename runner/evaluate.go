package runner

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/metrics"
	"repro/experiments"
	"repro/results/records"
)

// An evaluator measures a fit. Its exported fields are the running predictions of incremental fits,
// which a checkpoint keeps.
type evaluator struct {
	metrics []*metrics.Metric
	set     *instance
	given   *compute.Matrix // predictions of a program, in place of a fit's

	targets compute.Matrix // of the training rows, once a metric has needed them
	evaluatorState
}

type evaluatorState struct {
	At            int // step of the running predictions
	Last, Average compute.Matrix
}

func newEvaluator(names []string, set *instance) *evaluator {
	e := &evaluator{set: set}
	for _, name := range names {
		e.metrics = append(e.metrics, metrics.Lookup(name))
	}
	return e
}

// predictions returns those of the fit after the given step, bringing running ones up to date.
func (e *evaluator) predictions(fit algos.Fit, step int) algos.Predictions {
	if e.given != nil {
		return algos.Predictions{Last: *e.given}
	}
	x := e.set.data.TestX
	avg, _ := fit.(algos.Averager)
	inc, ok := fit.(algos.Incremental)
	if !ok {
		p := algos.Predictions{Last: fit.Model().Predict(x)}
		if avg != nil && avg.Average() != nil {
			p.Average = avg.Average().Predict(x)
		}
		return p
	}
	if e.Last.Rows == 0 {
		e.Last = compute.NewMatrix(x.Rows, e.set.data.TestY.Cols)
		if avg != nil && avg.Average() != nil {
			e.Average = compute.NewMatrix(x.Rows, e.set.data.TestY.Cols)
		}
	}
	p := algos.Predictions{Last: e.Last, Average: e.Average}
	inc.Advance(e.At, x, p)
	e.At = step
	return p
}

// measure evaluates every metric, of the averaged iterate too where the fit keeps one. finite is
// false if a prediction is not a finite number; all values are then null.
func (e *evaluator) measure(fit algos.Fit, step int) (values map[string]*float64, finite bool, err error) {
	p := e.predictions(fit, step)
	values = e.nothing()
	if !p.Last.Finite() || !p.Average.Finite() {
		return values, false, nil
	}
	test := e.set.evaluation()
	test.Fit = fit
	var training *metrics.Evaluation
	var atTraining algos.Predictions
	for _, m := range e.metrics {
		at, of := test, p
		if m.Training {
			if training == nil {
				if training, atTraining, err = e.atTraining(fit); err != nil {
					return nil, false, err
				}
			}
			at, of = *training, atTraining
		}
		at.F = of.Last
		v, err := m.Of(at)
		if err != nil {
			return nil, false, err
		}
		values[m.Name] = records.Value(v)
		if of.Average.Rows == 0 || m.OfFit() {
			continue
		}
		at.F = of.Average
		if v, err = m.Of(at); err != nil {
			return nil, false, err
		}
		values[m.Name+experiments.AverageSuffix] = records.Value(v)
	}
	return values, true, nil
}

// nothing are the values where there are none.
func (e *evaluator) nothing() map[string]*float64 {
	values := map[string]*float64{}
	for _, m := range e.metrics {
		values[m.Name] = nil
	}
	return values
}

// evaluation returns what metrics may know of the test rows.
func (s *instance) evaluation() metrics.Evaluation {
	return metrics.Evaluation{
		Problem: &s.problem, Y: s.data.TestY,
		Data: s.data.Name, Task: s.data.Task, Truth: s.truth, TargetUnit: s.data.TargetUnit, Groups: s.data.Groups,
		Reference: s.reference,
	}
}

// evaluations returns the rule that tells after which steps to evaluate, besides the last one: a
// pure function of the step, so that resumed runs evaluate at the same steps. stepAt turns a number of
// evaluate.at into a step.
func evaluations(e experiments.Evaluate, total int, stepAt func(at float64) int) (due func(step int) bool) {
	if len(e.At) > 0 {
		at := map[int]bool{total: true}
		for _, v := range e.At {
			at[stepAt(v)] = true
		}
		return func(step int) bool { return at[step] }
	}
	if total == 0 { // a budget in seconds: the end is unknown, so go on at a fixed ratio
		next := openEnded(e.Points)
		return func(step int) bool { return next[step] }
	}
	at := map[int]bool{total: true}
	for i := range e.Points {
		u := 1.0
		if e.Points > 1 {
			u = float64(i) / float64(e.Points-1)
		}
		step := math.Round(1 + u*float64(total-1))
		if e.Spacing == "log" {
			step = math.Round(math.Pow(float64(total), u))
		}
		at[max(1, int(step))] = true
	}
	return func(step int) bool { return at[step] }
}

// openEnded spaces evaluations by a constant ratio, points of them in the first 10⁴ steps.
func openEnded(points int) map[int]bool {
	at := map[int]bool{}
	ratio := math.Pow(1e4, 1/float64(max(points-1, 1)))
	for x := 1.0; x < 1e9; x *= ratio {
		at[int(math.Round(x))] = true
	}
	return at
}
