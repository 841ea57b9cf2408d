package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"repro/algos/compute"
)

// An augmentation turns every unit of a source, an image or a molecule, into several rows: copies
// that differ by a random change which the target does not depend on. Rows are made when they are
// asked for and never stored.
type augmentation struct {
	description        string // of the change, with a version to raise when bits change
	copies, testCopies int
	load               func(ctx context.Context, inputs []*input, o Options) (*population, error)
}

// A maker makes rows. It may be called concurrently.
type maker interface {
	// inputs is the length of a row.
	inputs() int
	// put writes copy k of unit u to x, a pure function of (seed, u, k).
	put(u, k int, x []float64)
}

// copyStream is the stream that decides copy k of unit u, however many units and copies there are.
func copyStream(s compute.Source, u, k int) *compute.Stream {
	return s.Stream(uint64(k)<<32 | uint64(u))
}

// A population is all units of a source.
type population struct {
	y           compute.Matrix // a row a unit
	train, test []int          // units; those of a test set of its own may be missing
	files       []File

	// prepare returns what makes rows, of whose settings some may be fitted, on training units alone.
	prepare func(train []int) maker
}

// augmented are rows made on demand: row k·n + i is copy k of unit i of the n chosen.
type augmented struct {
	maker
	units  []int
	copies int
	y      compute.Matrix // of all units
}

func (a *augmented) Len() int            { return a.copies * len(a.units) }
func (a *augmented) Dims() (in, out int) { return a.inputs(), a.y.Cols }

func (a *augmented) Gather(rows []int, x, y compute.Matrix) {
	for r, i := range rows {
		if i < 0 || i >= a.Len() {
			panic("datasets: row out of range")
		}
		u := a.units[i%len(a.units)]
		a.put(u, i/len(a.units), x.Row(r))
		copy(y.Row(r), a.y.Row(u))
	}
}

// openAugmented makes the set of a source whose rows are made of its units. Held out are whole units,
// tested as the test set's are.
func (l *Library) openAugmented(ctx context.Context, o Options, s *Source, inputs []*input) (*Set, error) {
	p, err := s.augment.load(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	train, test := p.train, p.test
	if o.Holdout > 0 {
		if train, test, err = o.hold(train); err != nil {
			return nil, err
		}
	}
	if test, err = o.keep(test, o.Test, "test"); err != nil {
		return nil, err
	}
	files := append(p.files, s.augment.file(s, o.Seed))
	set := &Set{Name: s.Name, Task: o.Task, Files: files, Substitute: s.substitute}
	if err := o.scaleTargets(set, pick(p.y, train), p.y); err != nil {
		return nil, err
	}
	m := p.prepare(train)
	rows := Samples(&augmented{m, train, s.augment.copies, p.y})
	if o.Train > 0 {
		keep, err := o.keep(span(0, rows.Len()), o.Train, "train")
		if err != nil {
			return nil, err
		}
		rows = chosen{rows, keep}
	}
	tested := &augmented{m, test, s.augment.testCopies, p.y}
	return set, o.finish(ctx, set, rows, grouped(set, tested))
}

// file describes the rows that are made, for the record.
func (a *augmentation) file(s *Source, seed uint64) File {
	d := fmt.Sprintf("%s; seed %d, %d copies of units and %d of test units", a.description, seed, a.copies, a.testCopies)
	sum := sha256.Sum256([]byte(d))
	return File{Name: fmt.Sprintf("%s copies, seed %d", s.Name, seed), SHA256: hex.EncodeToString(sum[:]), Rows: s.Rows}
}

func (a *augmented) labels() []float64 {
	labels := make([]float64, 0, a.Len())
	for range a.copies {
		for _, u := range a.units {
			labels = append(labels, a.y.At(u, 0))
		}
	}
	return labels
}

// grouped returns the rows of a with the copies of a unit one after another, and notes in the set
// which belong together.
func grouped(set *Set, a *augmented) Samples {
	n := len(a.units)
	order := make([]int, 0, a.Len())
	for u := range n {
		for k := range a.copies {
			order = append(order, k*n+u)
		}
	}
	if a.copies > 1 {
		set.Groups = make([]int, len(order))
		for r := range set.Groups {
			set.Groups[r] = r / a.copies
		}
	}
	return chosen{a, order}
}

// check returns an *OptionError for what makes no sense of rows that are made of units.
func (a *augmentation) check(o Options) error {
	for _, k := range []struct {
		key string
		set bool
	}{
		{"rows", len(o.Rows) > 0}, {"test_rows", len(o.TestRows) > 0},
		{"test_part", o.TestPart > 0}, {"classes", len(o.Classes) > 0},
	} {
		if k.set {
			return optionErrorf(k.key, "the rows of %s are made when they are used and have a test set of their own: remove it", o.Name)
		}
	}
	return nil
}
