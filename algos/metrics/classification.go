package metrics

import (
	"fmt"
	"slices"

	"repro/algos/losses"
)

var (
	_ = Register(Metric{
		Name: "test-error", Words: "test error", Unit: Fraction, Better: Smaller, Targets: DataTargets, Labels: true, Tasks: classes,
		Doc:   "fraction of the test set misclassified, of labels 1 and -1 the mean over outputs; an output of zero counts as wrong",
		Value: misclassified,
	})
	_ = Register(Metric{
		Name: "train-error", Words: "training error", Unit: Fraction, Better: Smaller, Targets: DataTargets, Training: true, Labels: true, Tasks: classes,
		Doc:   "fraction of the training set misclassified, as test-error",
		Value: misclassified,
	})
	_ = Register(Metric{
		Name: "test-novel", Words: "share of test inputs called novel", Unit: Fraction, Better: Neither, Targets: DataTargets,
		Doc:   "fraction of the test inputs with a negative prediction, which the loss novelty calls novel",
		Value: novel,
	})
)

// classes are the tasks whose targets are classes.
var classes = []string{losses.Binary, losses.Multiclass}

// misclassified is the share of wrong signs or of wrong classes.
func misclassified(e *Evaluation) (float64, error) {
	if e.Task == losses.Binary {
		return meanRows(e.F, func(i int, u []float64) float64 { return wrongSigns(u, e.Y.Row(i)) }), nil
	}
	return meanRows(e.F, func(i int, u []float64) float64 { return share(!sameClass(u, e.Y.Row(i))) }), nil
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

// novel is the share of rows with u_i < 0.
func novel(e *Evaluation) (float64, error) {
	if e.Problem.Loss != (losses.Novelty{}) {
		return 0, fmt.Errorf("the loss %s calls nothing novel; use test-loss", e.Problem.Loss.Name())
	}
	return meanRows(e.F, func(_ int, u []float64) float64 { return share(u[0] < 0) }), nil
}

// share is what one row adds to a count.
func share(counts bool) float64 {
	if counts {
		return 1
	}
	return 0
}
