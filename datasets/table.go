package datasets

import (
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// A table is one file in memory.
type table struct {
	x, y  compute.Matrix
	kept  []int    // numbers of the rows that x has, increasing; nil if it has those of all targets
	names []string // of the columns, nil if the file does not say
	files []File   // what it was read from
}

// matches checks that test rows t have the columns of training rows.
func (t *table) matches(in *input, train *table) error {
	switch {
	case t.x.Cols != train.x.Cols:
		return formats.Faultf(formats.ErrFormat, "%s: %d inputs, the training rows have %d", in.path, t.x.Cols, train.x.Cols)
	case !slices.Equal(t.names, train.names):
		return formats.Faultf(formats.ErrFormat, "%s:1: the columns %s are not those of the training file", in.path, strings.Join(t.names, ", "))
	}
	return nil
}

// append adds the rows of u, which has the columns of t, and what u was read from.
func (t *table) append(u *table) {
	for _, m := range []struct {
		to   *compute.Matrix
		from compute.Matrix
	}{{&t.x, u.x}, {&t.y, u.y}} {
		both := compute.NewMatrix(m.to.Rows+m.from.Rows, m.to.Cols)
		both.RowRange(0, m.to.Rows).CopyFrom(*m.to)
		both.RowRange(m.to.Rows, both.Rows).CopyFrom(m.from)
		*m.to = both
	}
	t.files = append(t.files, u.files...)
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
	t.y, t.kept = transforms.Pick(t.y, t.kept), nil
}

// compact returns the given rows, which increase: moved to the top of t, in its memory, or copied where that would
// keep more than twice as much of it as is used.
func (t *table) compact(rows []int) *table {
	if 2*len(rows) < t.x.Rows {
		return &table{x: transforms.Pick(t.x, rows), y: transforms.Pick(t.y, rows)}
	}
	for k, i := range rows {
		if k != i {
			copy(t.x.Row(k), t.x.Row(i))
			copy(t.y.Row(k), t.y.Row(i))
		}
	}
	return &table{x: t.x.RowRange(0, len(rows)), y: t.y.RowRange(0, len(rows))}
}
