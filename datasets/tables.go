package datasets

import (
	"context"
	"fmt"
)

// openTables loads a source that has a reader of its own.
func openTables(ctx context.Context, o Options, s *Source, inputs []*input) (*Set, error) {
	all, test, err := s.read(ctx, inputs)
	if err != nil {
		return nil, err
	}
	altered := s.altered(all, test)
	if !o.ownTest() {
		test = nil
	}
	set, err := o.setOf(ctx, s.Name, all, test)
	if err == nil {
		set.Substitute = altered
	}
	return set, err
}

// setOf splits and transforms tables, whose memory it takes over; test is nil if the test rows are among the
// others.
func (o Options) setOf(ctx context.Context, name string, all, test *table) (*Set, error) {
	set := &Set{Name: name, Task: o.Task, Files: all.files}
	rows, held, err := o.choose(all.y)
	if err != nil {
		return nil, err
	}
	if test != nil {
		set.Files = append(set.Files, test.files...)
		held = o.ofClasses(span(0, test.x.Rows), test.y)
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, err
	}
	if test != nil {
		all.find(rows)
	} else {
		all.find(rows, held)
	}
	if test != nil {
		test = test.compact(held)
	} else {
		test = &table{x: pick(all.x, held), y: pick(all.y, held)}
	}
	train := all.compact(rows)
	o.relabel(train.y, test.y)
	if err := o.scaleTargets(set, train.y, train.y, test.y); err != nil {
		return nil, err
	}
	return set, o.finish(ctx, set, matrixSamples{train.x, train.y}, matrixSamples{test.x, test.y})
}

// A tablesReader reads the files of a source, those of the training rows before the others, into a table of
// training rows and one of test rows. The latter may be nil if its files are not among those given.
type tablesReader func(ctx context.Context, files []*input) (train, test *table, err error)

// altered says how the rows that were read differ in number from those of the source, "" if they do not. It can
// happen only to files whose checksum nobody knows.
func (s *Source) altered(train, test *table) string {
	switch {
	case train.x.Rows != s.Rows:
		return fmt.Sprintf("%s has %d training rows, not %d", s.Name, train.x.Rows, s.Rows)
	case test != nil && test.x.Rows != s.TestRows:
		return fmt.Sprintf("%s has %d test rows, not %d", s.Name, test.x.Rows, s.TestRows)
	}
	return ""
}
