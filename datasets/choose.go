package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// split returns the rows, from 0 and increasing, of a file of n rows that train, and those of a test
// set among them: TestRows, a random TestPart, or the test rows of one of the published splits. The choice
// depends on nothing but n, the splits and o, so that all runs test on the same rows.
func (o Options) split(n int, splits [][]int) (train, test []int, err error) {
	for _, r := range []struct {
		key  string
		rows []int
	}{{"rows", o.Rows}, {"test_rows", o.TestRows}} {
		if len(r.rows) == 2 && r.rows[1] > n {
			return nil, nil, optionErrorf(r.key, "%v goes beyond the last row, %d", r.rows, n)
		}
	}
	lo, hi := 0, n
	if len(o.Rows) == 2 {
		lo, hi = o.Rows[0]-1, o.Rows[1]
	}
	train = transforms.Span(lo, hi)
	switch {
	case len(o.TestRows) == 2:
		test = transforms.Span(o.TestRows[0]-1, o.TestRows[1])
	case o.published(len(splits)):
		test = splits[o.Seed%uint64(len(splits))]
	}
	train = slices.DeleteFunc(train, func(i int) bool { _, tests := slices.BinarySearch(test, i); return tests })
	if len(train) == 0 {
		return nil, nil, optionErrorf("test_rows", "%v leaves no training rows", o.TestRows)
	}
	if o.TestPart > 0 {
		return o.take(train, o.TestPart, "test_part", "test part")
	}
	return train, test, nil
}

// published reports whether the test rows are those of one of a number of published splits.
func (o Options) published(splits int) bool {
	return splits > 0 && !o.Stream && len(o.TestRows) == 0 && o.TestPart == 0
}

// hold moves a random part of the training rows to the test set.
func (o Options) hold(rows []int) (train, test []int, err error) {
	return o.take(rows, o.Holdout, "holdout", "holdout")
}

// take moves a random part of rows to the test set. The key is the option that asks for it.
func (o Options) take(rows []int, fraction float64, key, purpose string) (train, test []int, err error) {
	n := len(rows)
	left, m := divide(n, fraction)
	if m < 1 || left < 1 {
		return nil, nil, optionErrorf(key, "%v of %d training rows leaves %d to train on and %d to test on: both need at least one", fraction, n, left, m)
	}
	taken := make([]bool, n)
	for _, i := range compute.NewStream(o.Seed, purpose, 0).Perm(n)[:m] {
		taken[i] = true
	}
	for i, row := range rows {
		if taken[i] {
			test = append(test, row)
		} else {
			train = append(train, row)
		}
	}
	return train, test, nil
}

// keep returns count of the given rows in their order, all of them if count is 0: the first with
// order = "file", otherwise a random subset that is the same in every run.
func (o Options) keep(rows []int, count int, key string) ([]int, error) {
	switch {
	case count > len(rows):
		return nil, optionErrorf(key, "%d rows wanted, there are %d", count, len(rows))
	case count == 0 || count == len(rows):
		return rows, nil
	case o.Order == "file":
		return rows[:count], nil
	}
	p := compute.NewStream(o.Seed, "subset/"+key, 0).Perm(len(rows))[:count]
	slices.Sort(p)
	for k, i := range p {
		p[k] = rows[i]
	}
	return p, nil
}

// chooseOf returns the rows of train that train and those that test, which are rows of test unless that is nil.
func (o Options) chooseOf(train, test *Part) (rows, held []int, err error) {
	if rows, held, err = o.choose(train); err != nil {
		return nil, nil, err
	}
	made := len(held)
	if test != nil {
		held, made = o.ofClasses(transforms.Span(0, test.Y.Rows), test.Y), 0
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, nil, err
	}
	return rows, held, cmp.Or(train.fits(len(rows), len(held)), train.accounted(len(rows)+min(made, len(held))))
}

// choose returns the training rows of a file, and those of its rows that test.
func (o Options) choose(p *Part) (train, test []int, err error) {
	if train, test, err = o.split(p.Y.Rows, p.Splits); err != nil {
		return nil, nil, err
	}
	train, test = o.ofClasses(train, p.Y), o.ofClasses(test, p.Y)
	if len(train) == 0 {
		return nil, nil, optionErrorf("classes", "no training row has one of %v", o.Classes)
	}
	if o.Holdout > 0 {
		if train, test, err = o.hold(train); err != nil {
			return nil, nil, err
		}
	}
	train, err = o.keep(train, o.Train, "train")
	return train, test, err
}

// ofClasses returns those of the given rows whose target is among Classes; all if none are asked for.
func (o Options) ofClasses(rows []int, y compute.Matrix) []int {
	if len(o.Classes) == 0 {
		return rows
	}
	return slices.DeleteFunc(rows, func(i int) bool { return o.class(y.At(i, 0)) < 0 })
}

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

// class returns the number of a label among Classes, -1 if it is not one of them.
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

// fit fits the transforms o asks for on training rows.
func (o Options) fit(ctx context.Context, train Samples) (steps []transforms.Transform, err error) {
	switch {
	case isAffine(o.Scale.Rule):
		scale, err := fitAffine(ctx, "scale", o.Scale.Rule, o.ScaleRange, train)
		if err != nil {
			return nil, err
		}
		steps = append(steps, scale)
	case o.Scale.Rule == "unit-norm":
		steps = append(steps, transforms.UnitNorm{})
	}
	if o.PCA == 0 {
		return steps, nil
	}
	reduce, err := transforms.FitPCA(ctx, transforms.Mapped(train, steps),
		transforms.PCAOptions{Components: o.PCA, Rows: o.PCARows, Uncentred: o.PCAUncentred, Seed: o.Seed})
	return append(steps, reduce), unfit("pca", err)
}

// finish fits the transforms on the training rows and puts the transformed training and test rows into the set. Rows in
// memory are transformed in place; others when they are used, unless in_memory is set. Test rows are kept in memory.
func (o Options) finish(ctx context.Context, set *Set, train, test Samples) error {
	steps, err := o.fit(ctx, train)
	if err != nil {
		return err
	}
	t, err := transforms.Load(ctx, test, steps, set.bound())
	if err != nil {
		return err
	}
	set.TestX, set.TestY = t.X, t.Y
	if _, here := train.(transforms.InMemory); here || o.InMemory {
		set.Train, err = transforms.Load(ctx, train, steps, set.bound())
		return err
	}
	set.Train = transforms.Mapped(train, steps)
	return nil
}

// isAffine reports whether a rule of scaling is an affine map, which is fitted.
func isAffine(rule string) bool { return rule == "zscore" || rule == "minmax" }

// fitAffine fits zscore, or minmax with a range that is [0, 1] if it is left out, for the option key.
func fitAffine(ctx context.Context, key, rule string, ends [2]float64, s Samples) (a transforms.Affine, err error) {
	if ends == [2]float64{} {
		ends[1] = 1
	}
	if rule == "zscore" {
		a, err = transforms.ZScore(ctx, s)
	} else {
		a, err = transforms.MinMax(ctx, s, ends[0], ends[1])
	}
	return a, unfit(key, err)
}

// scaleTargets fits the scaling of targets that o asks for on train, applies it to train and test in place, and sets TargetUnit.
func (o Options) scaleTargets(ctx context.Context, set *Set, train, test compute.Matrix) error {
	set.TargetUnit = 1
	if !isAffine(o.TargetScale) {
		return nil
	}
	a, err := fitAffine(ctx, "target_scale", o.TargetScale, o.TargetRange, transforms.InMemory{X: train})
	if err != nil {
		return err
	}
	set.TargetUnit = a.Unit(0)
	a.Apply(train, train, nil)
	a.Apply(test, test, nil)
	return nil
}

// unfit returns an *OptionError for the option key if err says that a transform cannot be fitted, else err.
func unfit(key string, err error) error {
	var wrong *transforms.FitError
	if errors.As(err, &wrong) {
		return optionErrorf(key, "%s", wrong.Text)
	}
	return err
}
