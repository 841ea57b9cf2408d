package datasets

import (
	"slices"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// split returns the rows, from 0 and increasing, of a file of n rows that train, and those of a test
// set among them: TestRows, or a random TestPart. The choice depends on nothing but n and o, so that
// all runs test on the same rows.
func (o Options) split(n int) (train, test []int, err error) {
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
	if len(o.TestRows) == 2 {
		test = transforms.Span(o.TestRows[0]-1, o.TestRows[1])
		train = slices.DeleteFunc(train, func(i int) bool { return i >= test[0] && i <= test[len(test)-1] })
	}
	if len(train) == 0 {
		return nil, nil, optionErrorf("test_rows", "%v leaves no training rows", o.TestRows)
	}
	if o.TestPart > 0 {
		return o.take(train, o.TestPart, "test_part", "test part")
	}
	return train, test, nil
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

// used returns the rows, increasing, of a file with targets y that are trained on, or tested on if there is no
// other file; nil if all are.
func (o Options) used(y compute.Matrix, alone bool) ([]int, error) {
	train, test, err := o.choose(y)
	if err != nil {
		return nil, err
	}
	if alone {
		if test, err = o.keep(test, o.Test, "test"); err != nil {
			return nil, err
		}
	}
	rows := slices.Concat(train, test)
	slices.Sort(rows)
	if len(rows) == y.Rows {
		return nil, nil
	}
	return rows, nil
}

// choose returns the training rows of a file with targets y, and those of its rows that test.
func (o Options) choose(y compute.Matrix) (train, test []int, err error) {
	if train, test, err = o.split(y.Rows); err != nil {
		return nil, nil, err
	}
	train, test = o.ofClasses(train, y), o.ofClasses(test, y)
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
