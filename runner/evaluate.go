package runner

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/experiments"
	"repro/results"
)

// A metric is a number computed from predictions at the test inputs, smaller is better.
type metric func(s *setting, f compute.Matrix) (float64, error)

// metrics computes every metric that package experiments names.
var metrics = map[string]metric{
	"l2-error": func(s *setting, f compute.Matrix) (float64, error) {
		if s.truth == nil {
			return 0, fmt.Errorf("metric l2-error: data set %s has no generating function; use test-mse", s.data.Name)
		}
		return meanRows(f, func(i int, u []float64) float64 { return (u[0] - s.truth[i]) * (u[0] - s.truth[i]) }), nil
	},
	"test-mse": func(s *setting, f compute.Matrix) (float64, error) {
		return meanRows(f, func(i int, u []float64) float64 { return squaredDistance(u, s.data.TestY.Row(i)) }), nil
	},
	"test-loss": func(s *setting, f compute.Matrix) (float64, error) {
		return meanRows(f, func(i int, u []float64) float64 { return s.problem.Loss.Value(u, s.data.TestY.Row(i)) }), nil
	},
	"test-error": func(s *setting, f compute.Matrix) (float64, error) {
		if s.data.Task != "binary" {
			return 0, fmt.Errorf("metric test-error: data set %s has a real target, not classes; use test-mse", s.data.Name)
		}
		return meanRows(f, func(i int, u []float64) float64 {
			if u[0]*s.data.TestY.At(i, 0) > 0 { // an output of zero decides nothing and counts as wrong
				return 0
			}
			return 1
		}), nil
	},
	"exact-distance": func(s *setting, f compute.Matrix) (float64, error) {
		ref, err := s.reference()
		if err != nil {
			return 0, err
		}
		return meanRows(f, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) }), nil
	},
}

func meanRows(f compute.Matrix, value func(i int, u []float64) float64) float64 {
	sum := 0.0
	for i := range f.Rows {
		sum += value(i, f.Row(i))
	}
	return sum / float64(f.Rows)
}

func squaredDistance(u, v []float64) (s float64) {
	for i, a := range u {
		s += (a - v[i]) * (a - v[i])
	}
	return s
}

// An evaluator measures a fit. Its exported fields are the running predictions of incremental fits,
// which a checkpoint keeps.
type evaluator struct {
	names []string
	set   *setting
	evaluatorState
}

type evaluatorState struct {
	At            int // step of the running predictions
	Last, Average compute.Matrix
}

func newEvaluator(names []string, set *setting) *evaluator { return &evaluator{names: names, set: set} }

// predictions returns those of the fit after the given step, bringing running ones up to date.
func (e *evaluator) predictions(fit algos.Fit, step int) algos.Predictions {
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
	for _, name := range e.names {
		v, err := metrics[name](e.set, p.Last)
		if err != nil {
			return nil, false, err
		}
		values[name] = results.Value(v)
		if p.Average.Rows == 0 {
			continue
		}
		if v, err = metrics[name](e.set, p.Average); err != nil {
			return nil, false, err
		}
		values[name+experiments.AverageSuffix] = results.Value(v)
	}
	return values, true, nil
}

// nothing are the values where there are none.
func (e *evaluator) nothing() map[string]*float64 {
	values := map[string]*float64{}
	for _, name := range e.names {
		values[name] = nil
	}
	return values
}

// evaluations returns the rule that tells after which steps to evaluate, besides the last one: a
// pure function of the step, so that resumed runs evaluate at the same steps.
func evaluations(e experiments.Evaluate, total int) (due func(step int) bool) {
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
