package datasets

import (
	"slices"

	"repro/algos/compute"
)

// span returns lo ≤ i < hi.
func span(lo, hi int) []int {
	s := make([]int, hi-lo)
	for k := range s {
		s[k] = lo + k
	}
	return s
}

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
	train = span(lo, hi)
	if len(o.TestRows) == 2 {
		test = span(o.TestRows[0]-1, o.TestRows[1])
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

// find replaces numbers of rows by where they are in t, and its targets by those of the rows that are there.
func (t *table) find(rows ...[]int) {
	if t.kept == nil {
		return
	}
	for _, r := range rows {
		for k, i := range r {
			r[k], _ = slices.BinarySearch(t.kept, i)
		}
	}
	t.y, t.kept = pick(t.y, t.kept), nil
}

// compact returns the given rows, which increase: moved to the top of t, in its memory, or copied where that would
// keep more than twice as much of it as is used.
func (t *table) compact(rows []int) *table {
	if 2*len(rows) < t.x.Rows {
		return &table{x: pick(t.x, rows), y: pick(t.y, rows)}
	}
	for k, i := range rows {
		if k != i {
			copy(t.x.Row(k), t.x.Row(i))
			copy(t.y.Row(k), t.y.Row(i))
		}
	}
	return &table{x: t.x.RowRange(0, len(rows)), y: t.y.RowRange(0, len(rows))}
}

// pick returns a copy of the given rows of m.
func pick(m compute.Matrix, rows []int) compute.Matrix {
	p := compute.NewMatrix(len(rows), m.Cols)
	for k, i := range rows {
		copy(p.Row(k), m.Row(i))
	}
	return p
}
