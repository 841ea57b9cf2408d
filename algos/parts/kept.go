package parts

import (
	"maps"
	"slices"

	"repro/algos"
	"repro/algos/compute"
)

// KeptState is the state of an Additive whose predictions at training rows are kept.
type KeptState struct {
	AdditiveState
	At   []float64 // prediction at each training row as it was made last
	Step []int     // step after which it was made
}

// Kept makes predictions at training rows from those that it made there before.
type Kept struct {
	*KeptState
	of         *Additive
	some, last Scratch
}

// NewKept returns the predictions of a at n training rows, which are 0 before the first step. It takes over the state of a.
func NewKept(a *Additive, n int) *Kept {
	s := &KeptState{AdditiveState: *a.AdditiveState, At: make([]float64, n*a.Out), Step: make([]int, n)}
	a.AdditiveState = &s.AdditiveState
	return &Kept{KeptState: s, of: a}
}

// keptTogether bounds the rows that Predict brings up to date at a time.
const keptTogether = 4096

// Predict returns the predictions of the Additive at the training rows with inputs x. It evaluates only the terms of the steps since a row
// was there last, so that each term is evaluated at most once at each row, however many epochs there are.
func (k *Kept) Predict(rows []int, x compute.Matrix) compute.Matrix {
	since := map[int][]int{} // places in rows by the step after which the row was there
	for i, row := range rows {
		since[k.Step[row]] = append(since[k.Step[row]], i)
	}
	f, at := k.of.engine.Zeroed(x.Rows, k.of.Out), View(k.At, k.of.Out)
	for _, step := range slices.Sorted(maps.Keys(since)) {
		for places := range slices.Chunk(since[step], keptTogether) {
			some, last := k.some.Matrix(len(places), x.Cols), k.last.Matrix(len(places), k.of.Out)
			for i, place := range places {
				copy(some.Row(i), x.Row(place))
				copy(last.Row(i), at.Row(rows[place]))
			}
			k.of.Advance(step, some, algos.Predictions{Last: last})
			for i, place := range places {
				copy(f.Row(place), last.Row(i))
				copy(at.Row(rows[place]), last.Row(i))
				k.Step[rows[place]] = k.T
			}
		}
	}
	return f
}
