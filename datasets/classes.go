package datasets

import (
	"fmt"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
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
	labels := transforms.Labels(set.Train)
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
	wide.Classes = o.ownLabels(classes)
	wide.Train = transforms.OneHot{Samples: set.Train, Classes: classes, Off: off}
	wide.TestY = compute.NewMatrix(set.TestY.Rows, len(classes))
	for i := range set.TestY.Rows {
		c, known := slices.BinarySearch(classes, set.TestY.At(i, 0))
		if !known {
			return nil, formats.Faultf(formats.ErrFormat, "%s: test row %d has the label %v, which no training row has; those have %s",
				set.Name, i+1, set.TestY.At(i, 0), listed(classes))
		}
		transforms.SetClass(wide.TestY.Row(i), c, off)
	}
	return &wide, nil
}

// ownLabels returns the labels that the file has for some classes, which are numbers among Classes if the spec chose some.
func (o Options) ownLabels(classes []float64) []float64 {
	if len(o.Classes) == 0 {
		return classes
	}
	own := make([]float64, len(classes))
	for i, c := range classes {
		own[i] = float64(o.Classes[int(c)])
	}
	return own
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

// class returns the number of a label among Classes, -1 if it is none of them.
func (o Options) class(label float64) int {
	return slices.IndexFunc(o.Classes, func(c int) bool { return float64(c) == label })
}

// relabel replaces labels by the numbers of their classes, or in a binary task by 1 for the first
// class and -1 for the second.
func (o Options) relabel(targets ...compute.Matrix) {
	if len(o.Classes) == 0 {
		return
	}
	for _, y := range targets {
		for i := range y.Rows {
			v := float64(o.class(y.At(i, 0)))
			if o.Task == taskBinary {
				v = 1 - 2*v
			}
			y.Set(i, 0, v)
		}
	}
}
