package datasets

import (
	"fmt"
	"slices"
	"strings"

	"repro/algos/compute"
)

// maxClasses bounds the classes of a multi-class target: more different numbers are a real target.
const maxClasses = 1024

// multiclass returns a set whose single column of labels has become one column a class, in the order
// of the labels: 1 in that of the row's class and 0, or with coding "signs" -1, elsewhere. The classes are
// those of the training rows. Other sets it returns as they are.
func (o Options) multiclass(set *Set, err error) (*Set, error) {
	if err != nil || set.Task != taskMulticlass {
		return set, err
	}
	off := 0.0
	if o.Coding == codingSigns {
		off = -1
	}
	labels := labelsOf(set.Train)
	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	switch {
	case len(classes) < 2:
		return nil, optionErrorf("task", "all training rows have the label %v: a multiclass target needs two classes and more", classes[0])
	case len(classes) > maxClasses:
		return nil, optionErrorf("task", "the target has %d different values, more than the %d classes allowed: is it a regression target?", len(classes), maxClasses)
	}
	wide := *set
	wide.Train = oneHot{set.Train, classes, off}
	wide.TestY = compute.NewMatrix(set.TestY.Rows, len(classes))
	for i := range set.TestY.Rows {
		c, known := slices.BinarySearch(classes, set.TestY.At(i, 0))
		if !known {
			return nil, faultf(ErrFormat, "%s: test row %d has the label %v, which no training row has; those have %s",
				set.Name, i+1, set.TestY.At(i, 0), listed(classes))
		}
		setClass(wide.TestY.Row(i), c, off)
	}
	return &wide, nil
}

// listed writes the first of some numbers.
func listed(v []float64) string {
	const most = 12
	var s []string
	for _, x := range v[:min(len(v), most)] {
		s = append(s, fmt.Sprint(x))
	}
	if len(v) > most {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

// oneHot are samples with a column a class in place of one column of labels.
type oneHot struct {
	Samples
	classes []float64 // increasing
	off     float64   // what stands in the columns of other classes
}

// setClass writes the targets of a row of class c.
func setClass(row []float64, c int, off float64) {
	for i := range row {
		row[i] = off
	}
	row[c] = 1
}

func (s oneHot) Dims() (in, out int) {
	in, _ = s.Samples.Dims()
	return in, len(s.classes)
}

func (s oneHot) Gather(rows []int, x, y compute.Matrix) {
	labels := compute.NewMatrix(len(rows), 1)
	s.Samples.Gather(rows, x, labels)
	for i := range rows {
		c, known := slices.BinarySearch(s.classes, labels.At(i, 0))
		if !known {
			panic("datasets: a label came after the classes were counted")
		}
		setClass(y.Row(i), c, s.off)
	}
}

// labelled are samples that know their targets without making the inputs.
type labelled interface{ labels() []float64 }

func (s matrixSamples) labels() []float64 {
	labels := make([]float64, s.y.Rows)
	for i := range labels {
		labels[i] = s.y.At(i, 0)
	}
	return labels
}

// labelsOf returns the first target of every row.
func labelsOf(s Samples) []float64 {
	if l, ok := s.(labelled); ok {
		return l.labels()
	}
	if c, ok := s.(chosen); ok {
		if l, ok := c.Samples.(labelled); ok {
			return at(l.labels(), c.rows)
		}
	}
	const tile = 1024
	var labels []float64
	for lo := 0; lo < s.Len(); lo += tile {
		_, y := dense(s, span(lo, min(lo+tile, s.Len())))
		labels = append(labels, matrixSamples{y: y}.labels()...)
	}
	return labels
}

func at(v []float64, rows []int) []float64 {
	some := make([]float64, len(rows))
	for k, i := range rows {
		some[k] = v[i]
	}
	return some
}

// suits says whether the target that a generated source draws will do for a task: labels will for a
// regression on them, and anything will where the target is not looked at.
func (s *Source) suits(task string) bool {
	switch task {
	case "", taskNone, s.Task:
		return true
	case taskRegression:
		return s.Task != taskMulticlass
	}
	return false
}
