package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"repro/algos/compute"
	"repro/datasets/transforms"
)

// Generated reports whether the source needs no file.
func (s *Source) Generated() bool { return s.generate != nil }

// A generator makes rows. Row i of a purpose is a pure function of (seed, purpose, i).
type generator struct {
	description string // of the distribution, with a version to raise when bits change
	row         func(s *compute.Stream, x, y []float64)
	grid        func(part float64, x, y []float64) // in place of row: row i of n is at part (i + 1/2)/n, nothing is random
	outputs     int                                // targets, 0 for one
	truth       func(x []float64) float64
	domain      [][2]float64

	inAny func(d int) *generator // the same in d dimensions, nil if it has no such form
}

// generator returns the source's generator for the inputs that the options ask for.
func (s *Source) generator(o Options) *generator {
	if o.Inputs == 0 || o.Inputs == s.Dims {
		return s.generate
	}
	return s.generate.inAny(o.Inputs)
}

// draw makes a generated set.
func (s *Source) draw(ctx context.Context, o Options, seed uint64) (*Set, error) {
	n, m := s.Rows, s.TestRows
	first := 0
	if len(o.Rows) == 2 {
		first = o.Rows[0] - 1
		n = o.Rows[1] - first
		if o.Train > n {
			return nil, optionErrorf("train", "%d rows wanted, rows = %v has %d", o.Train, o.Rows, n)
		}
	}
	if o.Train > 0 {
		n = o.Train
	}
	if o.Test > 0 {
		m = o.Test
	}
	g := s.generator(o)
	set := &Set{Name: s.Name, Task: o.Task, TargetUnit: 1, Truth: g.truth, Domain: g.domain}
	train := &virtual{g, seed, "data/train", first, n}
	if o.Holdout == 0 {
		test := &virtual{g, seed, "data/test", 0, m}
		set.Files = []File{train.file(s.Name), test.file(s.Name)}
		return set, o.finish(ctx, set, train, test)
	}
	rows, held, err := o.hold(transforms.Span(0, n))
	if err != nil {
		return nil, err
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, err
	}
	set.Files = []File{train.file(s.Name)}
	return set, o.finish(ctx, set, transforms.Subset{Samples: train, Rows: rows}, transforms.Subset{Samples: train, Rows: held})
}

// file describes generated rows for the record.
func (v *virtual) file(name string) File {
	d := fmt.Sprintf("%s; stream %s, seed %d, rows %d to %d", v.description, v.purpose, v.seed, v.first+1, v.first+v.n)
	sum := sha256.Sum256([]byte(d))
	return File{Name: fmt.Sprintf("%s %s, seed %d", name, v.purpose, v.seed), SHA256: hex.EncodeToString(sum[:]), Rows: v.n}
}

// virtual are rows made on demand.
type virtual struct {
	*generator
	seed     uint64
	purpose  string
	first, n int
}

func (v *virtual) Len() int            { return v.n }
func (v *virtual) Dims() (in, out int) { return len(v.domain), max(v.outputs, 1) }

func (v *virtual) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		if i < 0 || i >= v.n {
			panic("datasets: row out of range")
		}
		if v.grid != nil {
			v.grid((float64(v.first+i)+0.5)/float64(v.first+v.n), x.Row(k), y.Row(k))
			continue
		}
		v.row(compute.NewStream(v.seed, v.purpose, uint64(v.first+i)), x.Row(k), y.Row(k))
	}
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
