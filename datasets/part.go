package datasets

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// A Loader reads the files of a source, those of the training rows before the others, which may be missing. Of a stream, train
// has the rows of all files; test is nil then, and where its files are not among those given.
type Loader func(ctx context.Context, files []*Input, o Options) (train, test *Part, err error)

// A Part is the training rows or the test rows of files, before the spec chooses among them.
type Part struct {
	X     compute.Matrix // the inputs, if they are in memory
	Y     compute.Matrix // the targets, a row of them for each row or, of copies, for each unit
	Files []File         // what was read

	// Take returns the given rows, whose targets are y by now; they are test rows if test is set. It is nil if X has the rows.
	Take func(rows []int, y compute.Matrix, test bool) Samples
	// Fit is given the training rows before any are taken; nil if none of the rows depends on which are chosen.
	Fit func(rows []int)

	// Splits are the test rows of each split that is published with the rows; nil if there are none.
	Splits [][]int

	in    int      // inputs, where Take is of rows of files
	names []string // of the columns, nil if the file does not say
	first *pack    // of the files of rows, and how it was read; nil if there are none
	input *Input
}

// Append adds the rows of u, which has the columns of p and is in memory as p is, and what u was read from.
func (p *Part) Append(u *Part) {
	for _, m := range []struct {
		to   *compute.Matrix
		from compute.Matrix
	}{{&p.X, u.X}, {&p.Y, u.Y}} {
		both := compute.NewMatrix(m.to.Rows+m.from.Rows, m.to.Cols)
		both.RowRange(0, m.to.Rows).CopyFrom(*m.to)
		both.RowRange(m.to.Rows, both.Rows).CopyFrom(m.from)
		*m.to = both
	}
	p.Files = append(p.Files, u.Files...)
}

// matches checks that test rows have the columns of training rows.
func (p *Part) matches(in *Input, train *Part) error {
	switch {
	case p.in != train.in:
		return formats.Faultf(formats.ErrFormat, "%s: %d inputs, the training rows have %d", in.Path, p.in, train.in)
	case !slices.Equal(p.names, train.names):
		return formats.Faultf(formats.ErrFormat, "%s:1: the columns %s are not those of the training file", in.Path, strings.Join(p.names, ", "))
	}
	return nil
}

// Divide returns the first n rows of p, which are those of a file, and the others.
func (p *Part) Divide(n int) (first, rest *Part) {
	head, tail := *p, *p
	head.Y, tail.Y, tail.Files = p.Y.RowRange(0, n), p.Y.RowRange(n, p.Y.Rows), nil
	tail.Take = func(rows []int, y compute.Matrix, test bool) Samples {
		all := slices.Clone(rows)
		for k := range all {
			all[k] += n
		}
		return p.Take(all, y, test)
	}
	return &head, &tail
}

// take returns the given rows, which increase, with the targets y. Nobody needs other rows of p any more if last is set: then
// they move to the top of X, unless that would keep more than twice as much memory as is used.
func (p *Part) take(rows []int, y compute.Matrix, test, last bool) Samples {
	if p.Take != nil {
		return p.Take(rows, y, test)
	}
	if !last || 2*len(rows) < p.X.Rows {
		return transforms.InMemory{X: p.X.Select(rows), Y: y}
	}
	for k, i := range rows {
		if k != i {
			copy(p.X.Row(k), p.X.Row(i))
		}
	}
	return transforms.InMemory{X: p.X.RowRange(0, len(rows)), Y: y}
}

// arrange chooses training and test rows, whose memory it takes over, labels and scales them, and puts them into the set; test
// is nil if the test rows are among the others. Of copies, train counts rows and the other numbers count units.
func (o Options) arrange(ctx context.Context, set *Set, train, test *Part, copies *Copies) error {
	set.Files = train.Files
	units := o
	if copies != nil {
		units.Train = 0
	}
	rows, held, err := units.chooseOf(train, test)
	if err != nil {
		return err
	}
	tested := train
	if test != nil {
		tested, set.Files = test, append(set.Files, test.Files...)
	}
	y, heldY := train.Y.Select(rows), tested.Y.Select(held)
	o.relabel(y, heldY)
	labels := y
	if o.Order == "file" { // a stream in the order of a file may begin with many rows of one class
		labels = train.Y
	}
	if first := y.At(0, 0); o.Task == taskBinary && y.Cols == 1 && y.Rows > 1 && oneLabel(labels) {
		return optionErrorf("task", "all %d training rows of %s have the label %v: a binary target needs 1 and -1; choose other rows, or set task", y.Rows, set.Name, first)
	}
	if err := o.scaleTargets(ctx, set, y, heldY); err != nil {
		return err
	}
	if train.Fit != nil {
		train.Fit(rows)
	}
	heldRows := tested.take(held, heldY, true, test != nil)
	taken := train.take(rows, y, false, true)
	if in, _ := taken.Dims(); train.first != nil && stay(len(rows), in, set.bound()) == nil {
		if taken, err = transforms.Load(ctx, taken, nil, set.bound()); err != nil {
			return err
		}
	}
	if copies == nil {
		return o.finish(ctx, set, taken, heldRows)
	}
	if o.Train > 0 {
		keep, err := o.keep(transforms.Span(0, taken.Len()), o.Train, "train")
		if err != nil {
			return err
		}
		taken = transforms.Subset{Samples: taken, Rows: keep}
	}
	if copies.Test > 1 {
		set.Groups = make([]int, heldRows.Len())
		for r := range set.Groups {
			set.Groups[r] = r / copies.Test
		}
	}
	return o.finish(ctx, set, taken, heldRows)
}

// Copies turn every unit of a source, an image or a molecule, into several rows, which differ by a random change that the target
// does not depend on. Rows are made when they are asked for and never stored. Held out are whole units, tested as the test
// set's are.
type Copies struct {
	Change      string // a description of it, with a version to raise when bits change
	Train, Test int    // rows made of a training unit and of a test unit
}

// Units are all units of a source.
type Units struct {
	Y           compute.Matrix // a row a unit
	Train, Test []int          // units; those of a test set of its own may be missing
	Files       []File

	// Maker returns what makes the rows; it may be fitted, on the given training units only.
	Maker func(train []int) transforms.Maker
}

// Of returns the copies of units.
func (c *Copies) Of(u Units) (train, test *Part) {
	var maker transforms.Maker
	part := func(units []int) *Part {
		of := func(rows []int) []int { return transforms.At(units, rows) }
		return &Part{
			Y:   u.Y.Select(units),
			Fit: func(rows []int) { maker = u.Maker(of(rows)) },
			Take: func(rows []int, y compute.Matrix, test bool) Samples {
				if test {
					return grouped(&transforms.Copies{Maker: maker, Units: of(rows), Count: c.Test, Y: y})
				}
				return &transforms.Copies{Maker: maker, Units: of(rows), Count: c.Train, Y: y}
			},
		}
	}
	train, test = part(u.Train), part(u.Test)
	train.Files = u.Files
	return train, test
}

// file describes the rows that are made; records list it.
func (c *Copies) file(s *Source, seed uint64) File {
	d := fmt.Sprintf("%s; seed %d, %d copies of units and %d of test units", c.Change, seed, c.Train, c.Test)
	return File{Name: fmt.Sprintf("%s copies, seed %d", s.Name, seed), SHA256: digest(d), Rows: s.Rows}
}

// grouped returns the rows of a with the copies of a unit one after another.
func grouped(a *transforms.Copies) Samples {
	n := len(a.Units)
	order := make([]int, 0, a.Len())
	for u := range n {
		for k := range a.Count {
			order = append(order, k*n+u)
		}
	}
	return transforms.Subset{Samples: a, Rows: order}
}

// oneLabel reports whether all labels are the same.
func oneLabel(y compute.Matrix) bool {
	return !slices.ContainsFunc(y.Data, func(v float64) bool { return v != y.Data[0] })
}
