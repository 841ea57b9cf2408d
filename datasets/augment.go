package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// An augmentation turns every unit of a source, an image or a molecule, into several rows: copies
// that differ by a random change which the target does not depend on. Rows are made when they are
// asked for and never stored.
type augmentation struct {
	description        string // of the change, with a version to raise when bits change
	copies, testCopies int
	load               func(ctx context.Context, inputs []*input, o Options) (*population, error)
}

// A population is all units of a source.
type population struct {
	y           compute.Matrix // a row a unit
	train, test []int          // units; those of a test set of its own may be missing
	files       []File

	// prepare returns what makes the rows; it may be fitted, on the training units only.
	prepare func(train []int) transforms.Maker
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
	set := &Set{Name: s.Name, Task: o.Task, Files: files, Substitute: s.Substitute, memory: l.memory()}
	if err := o.scaleTargets(set, transforms.Pick(p.y, train), p.y); err != nil {
		return nil, err
	}
	m := p.prepare(train)
	rows := Samples(&transforms.Copies{Maker: m, Units: train, Count: s.augment.copies, Y: p.y})
	if o.Train > 0 {
		keep, err := o.keep(transforms.Span(0, rows.Len()), o.Train, "train")
		if err != nil {
			return nil, err
		}
		rows = transforms.Subset{Samples: rows, Rows: keep}
	}
	tested := &transforms.Copies{Maker: m, Units: test, Count: s.augment.testCopies, Y: p.y}
	return set, o.finish(ctx, set, rows, grouped(set, tested))
}

// file describes the rows that are made; records list it.
func (a *augmentation) file(s *Source, seed uint64) File {
	d := fmt.Sprintf("%s; seed %d, %d copies of units and %d of test units", a.description, seed, a.copies, a.testCopies)
	sum := sha256.Sum256([]byte(d))
	return File{Name: fmt.Sprintf("%s copies, seed %d", s.Name, seed), SHA256: hex.EncodeToString(sum[:]), Rows: s.Rows}
}

// grouped returns the rows of a with the copies of a unit one after another, and notes in the set
// which belong together.
func grouped(set *Set, a *transforms.Copies) Samples {
	n := len(a.Units)
	order := make([]int, 0, a.Len())
	for u := range n {
		for k := range a.Count {
			order = append(order, k*n+u)
		}
	}
	if a.Count > 1 {
		set.Groups = make([]int, len(order))
		for r := range set.Groups {
			set.Groups[r] = r / a.Count
		}
	}
	return transforms.Subset{Samples: a, Rows: order}
}

// check returns an *OptionError for what makes no sense of rows that are made of units.
func (a *augmentation) check(o Options) error {
	for _, k := range []struct {
		key string
		set bool
	}{
		{"rows", len(o.Rows) > 0}, {"test_rows", len(o.TestRows) > 0},
		{"test_part", o.TestPart > 0}, {"classes", len(o.Classes) > 0}, {"stream", o.Stream},
	} {
		if k.set {
			return optionErrorf(k.key, "the rows of %s are made when they are used and have a test set of their own: remove it", o.Name)
		}
	}
	return nil
}
