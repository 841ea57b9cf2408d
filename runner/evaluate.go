package runner

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/experiments"
	"repro/results/records"
)

// A metric is a number computed from predictions at the test inputs.
type metric func(s *setting, f compute.Matrix) (float64, error)

// metrics computes every metric that package experiments names.
var metrics = map[string]metric{
	"l2-error": func(s *setting, f compute.Matrix) (float64, error) {
		if s.truth == nil {
			return 0, fmt.Errorf("metric l2-error: data set %s has no generating function; use test-mse", s.data.Name)
		}
		if s.data.Task == losses.Multiclass {
			return 0, fmt.Errorf("metric l2-error: the outputs for data set %s are one a class; use test-error or test-loss", s.data.Name)
		}
		return meanRows(f, func(i int, u []float64) float64 { return (u[0] - s.truth[i]) * (u[0] - s.truth[i]) }), nil
	},
	"test-mae": absoluteError,
	"test-mse": func(s *setting, f compute.Matrix) (float64, error) {
		sum := meanRows(f, func(i int, u []float64) float64 { return squaredDistance(u, s.data.TestY.Row(i)) })
		return sum / float64(max(f.Cols, 1)), nil
	},
	"test-loss": func(s *setting, f compute.Matrix) (float64, error) {
		return meanRows(f, func(i int, u []float64) float64 { return s.problem.Loss.Value(u, s.data.TestY.Row(i)) }), nil
	},
	"test-error": func(s *setting, f compute.Matrix) (float64, error) {
		switch s.data.Task {
		case losses.Binary:
			return meanRows(f, func(i int, u []float64) float64 { return wrongSigns(u, s.data.TestY.Row(i)) }), nil
		case losses.Multiclass:
			return meanRows(f, func(i int, u []float64) float64 { return share(!sameClass(u, s.data.TestY.Row(i))) }), nil
		}
		return 0, fmt.Errorf("metric test-error: data set %s has a real target, not classes; use test-mse", s.data.Name)
	},
	"test-below": func(s *setting, f compute.Matrix) (float64, error) {
		if s.data.Task != losses.Regression {
			return 0, fmt.Errorf("metric test-below: data set %s has no real target; use test-error", s.data.Name)
		}
		return meanRows(f, func(i int, u []float64) float64 { return share(s.data.TestY.At(i, 0) < u[0]) }), nil
	},
	"test-novel": func(s *setting, f compute.Matrix) (float64, error) {
		if s.problem.Loss != (losses.Novelty{}) {
			return 0, fmt.Errorf("metric test-novel: the loss %s calls nothing novel; use test-loss", s.problem.Loss.Name())
		}
		return meanRows(f, func(_ int, u []float64) float64 { return share(u[0] < 0) }), nil
	},
	"exact-distance": func(s *setting, f compute.Matrix) (float64, error) {
		ref, err := s.reference()
		if err != nil {
			return 0, err
		}
		return meanRows(f, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) }), nil
	},
	"exact-error":    exactError,
	"excess-loss":    excessLoss,
	"variance-error": varianceError,
}

// excessLoss is |R(f) - R(f*)|, R the mean loss on the test set and f* the reference's predictions
// [dai2014 Thm 6].
func excessLoss(s *setting, f compute.Matrix) (float64, error) {
	ref, err := s.reference()
	if err != nil {
		return 0, err
	}
	loss := s.problem.Loss
	return math.Abs(meanRows(f, func(i int, u []float64) float64 {
		y := s.data.TestY.Row(i)
		return loss.Value(u, y) - loss.Value(ref.Row(i), y)
	})), nil
}

// ofFits computes the metrics that are of a fit itself instead of its predictions.
var ofFits = map[string]func(fit algos.Fit) (float64, error){
	"kernel-error": func(fit algos.Fit) (float64, error) {
		rms, _, err := kernelErrors(fit)
		return rms, err
	},
	"eigenvalue": func(fit algos.Fit) (float64, error) {
		f, err := spectrum(fit)
		if err != nil {
			return 0, err
		}
		now, _ := f.Eigenvalue()
		return now, nil
	},
	"eigenvalue-ratio": func(fit algos.Fit) (float64, error) {
		f, err := spectrum(fit)
		if err != nil {
			return 0, err
		}
		now, first := f.Eigenvalue()
		return first / now, nil
	},
	"eigen-residual": func(fit algos.Fit) (float64, error) {
		f, err := spectrum(fit)
		if err != nil {
			return 0, err
		}
		return f.Residual(), nil
	},
	"coefficient-norm": func(fit algos.Fit) (float64, error) {
		e, ok := fit.(algos.Expansion)
		if !ok {
			return 0, errors.New("metric coefficient-norm: the method keeps no coefficients of training rows; gd, pegasos and eigenpro do")
		}
		return norm(e.Coefficients()), nil
	},
	"kernel-max-error": func(fit algos.Fit) (float64, error) {
		_, largest, err := kernelErrors(fit)
		return largest, err
	},
}

// ofTraining are the metrics of predictions at the training inputs, with those of the test inputs they are like.
var ofTraining = map[string]string{"train-error": "test-error", "train-loss": "test-loss", "train-mse": "test-mse"}

// spectrum returns a fit that goes through its spectrum as such.
func spectrum(fit algos.Fit) (algos.SpectrumFit, error) {
	f, ok := fit.(algos.SpectrumFit)
	if !ok {
		return nil, errors.New("metrics eigenvalue, eigenvalue-ratio and eigen-residual: the method does not go through a spectrum; algorithms spectral-cutoff and spectral-sketch do")
	}
	return f, nil
}

// norm is the square root of the sum of the squares of all entries.
func norm(m compute.Matrix) float64 {
	sum := 0.0
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			sum += v * v
		}
	}
	return math.Sqrt(sum)
}

// kernelErrors are those of a fit that estimates the kernel.
func kernelErrors(fit algos.Fit) (rms, largest float64, err error) {
	e, ok := fit.(algos.KernelEstimator)
	if !ok {
		return 0, 0, errors.New("metrics kernel-error and kernel-max-error: the method does not estimate the kernel; algorithm random-features does")
	}
	rms, largest = e.KernelErrors()
	return rms, largest, nil
}

// wrongSigns is the part of the outputs without the sign of their labels. One of zero decides nothing and is wrong.
func wrongSigns(u, y []float64) float64 {
	wrong := 0.0
	for c, v := range u {
		wrong += share(!(v*y[c] > 0))
	}
	return wrong / float64(len(u))
}

// sameClass says whether the output of the row's class is larger than every other.
func sameClass(u, y []float64) bool {
	c := slices.Index(y, 1)
	for d, v := range u {
		if d != c && !(u[c] > v) {
			return false
		}
	}
	return true
}

// share is what one row adds to a count.
func share(counts bool) float64 {
	if counts {
		return 1
	}
	return 0
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
	given *compute.Matrix // predictions of a program, in place of a fit's

	targets compute.Matrix // of the training rows, once a metric has needed them
	evaluatorState
}

type evaluatorState struct {
	At            int // step of the running predictions
	Last, Average compute.Matrix
}

func newEvaluator(names []string, set *setting) *evaluator { return &evaluator{names: names, set: set} }

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
	var training *atRows
	for _, name := range e.names {
		if own, ok := ofFits[name]; ok {
			v, err := own(fit)
			if err != nil {
				return nil, false, err
			}
			values[name] = records.Value(v)
			continue
		}
		set, like, of := e.set, name, p
		if test, ok := ofTraining[name]; ok {
			if training == nil {
				if training, err = e.atTraining(fit); err != nil {
					return nil, false, err
				}
			}
			set, like, of = training.set, test, training.Predictions
		}
		v, err := metrics[like](set, set.judged(like, of.Last))
		if err != nil {
			return nil, false, err
		}
		values[name] = records.Value(v)
		if of.Average.Rows == 0 {
			continue
		}
		if v, err = metrics[like](set, set.judged(like, of.Average)); err != nil {
			return nil, false, err
		}
		values[name+experiments.AverageSuffix] = records.Value(v)
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
