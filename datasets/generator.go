package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// Generated reports whether the source needs no file.
func (s *Source) Generated() bool { return s.Generate != nil }

// Adversarial reports whether the rows of the source are chosen against the method that learns them.
func (s *Source) Adversarial() bool { return s.Generated() && s.Generate.Adversarial }

// A Generator makes the rows of a data set when they are used. Training row i is a function of (seed, "data/train", i),
// test row i of (seed, "data/test", i). Functions of package exact make it the same bits on every platform.
type Generator struct {
	// Description says what the distribution is, with a version to raise when the bits of a row change. Its digest is
	// part of every record.
	Description string
	// Row draws one row from the stream: the inputs to x and the targets to y. It may be called concurrently.
	Row func(s *compute.Stream, x, y []float64)
	// Grid takes the place of Row for rows that are not random: row i of n is at part (i + 1/2)/n.
	Grid func(part float64, x, y []float64)
	// TestGrid is the Grid of the test rows of a generator whose training rows are random; nil if test rows are made as
	// training rows are.
	TestGrid func(part float64, x, y []float64)
	// Drift takes the place of Row for rows whose distribution changes along a stream: row i, from 0.
	Drift func(s *compute.Stream, i int, x, y []float64)
	// Adversarial takes the place of Row for rows that the runner chooses against the method that learns them.
	Adversarial bool
	// Outputs is the number of targets, 0 for one: of a multi-class task the number of classes, each with a target of
	// 1 or 0.
	Outputs int
	// Truth is the noise-free function, as in Set; nil if unknown.
	Truth func(x []float64) float64
	// Domain is the box of the inputs, one [low, high] an input, as in Set; nil if unknown.
	Domain [][2]float64
	// In returns the generator with d inputs, for the option inputs; nil if there is no such form.
	In func(d int) *Generator
	// Out returns the generator with m targets, for the option outputs; nil if there is no such form.
	Out func(m int) *Generator
	// Of returns the generator with capacity exponent α and source condition r, for the options capacity and regularity;
	// nil if there is no such form.
	Of func(capacity, regularity float64) *Generator
}

// tests returns the generator of the test rows.
func (g *Generator) tests() *Generator {
	if g.TestGrid == nil {
		return g
	}
	t := *g
	t.Row, t.Grid = nil, g.TestGrid
	return &t
}

// check returns an error if the generator cannot make the rows of s.
func (g *Generator) check(s *Source) error {
	switch {
	case g.Description == "":
		return errors.New("a generator needs a Description of its distribution, with a version")
	case g.ways() != 1:
		return errors.New("a generator needs one of Row, Grid, Drift and Adversarial")
	case g.Domain != nil && len(g.Domain) != s.Dims:
		return fmt.Errorf("its Domain has %d inputs, and Dims is %d", len(g.Domain), s.Dims)
	case s.Task == taskMulticlass && g.Outputs < 2:
		return errors.New("the Outputs of a multiclass task is the number of classes, at least 2")
	}
	return nil
}

// ways returns the number of ways in which the generator would make a row.
func (g *Generator) ways() (n int) {
	for _, way := range []bool{g.Row != nil, g.Grid != nil, g.Drift != nil, g.Adversarial} {
		if way {
			n++
		}
	}
	return n
}

// inputs returns the number of inputs that the options ask for.
func (s *Source) inputs(o Options) int { return cmp.Or(o.Inputs, s.Dims) }

// generator returns the source's generator for the inputs, the targets or the exponents that the options ask for.
func (s *Source) generator(o Options) *Generator {
	g := s.Generate
	if g.Of != nil {
		return g.Of(o.Capacity, o.Regularity)
	}
	if o.Inputs > 0 && o.Inputs != s.Dims {
		g = g.In(o.Inputs)
	}
	if o.Outputs > 0 && o.Outputs != max(g.Outputs, 1) {
		g = g.Out(o.Outputs)
	}
	return g
}

// draw makes a generated set.
func (s *Source) draw(ctx context.Context, o Options, seed uint64, memory int64) (*Set, error) {
	whole := o
	whole.Holdout = 0
	n, m := whole.drawn(s)
	first := 0
	if len(o.Rows) == 2 {
		first = o.Rows[0] - 1
		if all := o.Rows[1] - first; o.Train > all {
			return nil, optionErrorf("train", "%d rows wanted, rows = %v has %d", o.Train, o.Rows, all)
		}
	}
	g := s.generator(o)
	set := &Set{Name: s.Name, Task: o.Task, TargetUnit: 1, Truth: g.Truth, Adversarial: g.Adversarial, Domain: g.Domain, memory: memory}
	train := newVirtual(g, s.inputs(o), o.Coding == codingSigns, seed, "data/train", first, n)
	if o.Holdout == 0 {
		test := newVirtual(g.tests(), s.inputs(o), o.Coding == codingSigns, seed, "data/test", 0, m)
		if set.Files = []File{train.file(s.Name)}; !o.Stream {
			set.Files = append(set.Files, test.file(s.Name))
		}
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
	d := fmt.Sprintf("%s; stream %s, seed %d, rows %d to %d", v.Description, v.purpose, v.seed, v.first+1, v.first+v.n)
	return File{Name: fmt.Sprintf("%s %s, seed %d", name, v.purpose, v.seed), SHA256: digest(d), Rows: v.n}
}

// digest returns the sha256 of a description in hexadecimal.
func digest(description string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(description))) }

// virtual rows are made when they are gathered.
type virtual struct {
	*Generator
	inputs   int
	signs    bool // targets 1 and 0 become 1 and -1
	seed     uint64
	purpose  string
	source   compute.Source // of streams with this seed and purpose
	first, n int
}

func newVirtual(g *Generator, inputs int, signs bool, seed uint64, purpose string, first, n int) *virtual {
	return &virtual{g, inputs, signs, seed, purpose, compute.NewSource(seed, purpose), first, n}
}

func (v *virtual) Len() int            { return v.n }
func (v *virtual) Dims() (in, out int) { return v.inputs, max(v.Outputs, 1) }

func (v *virtual) Gather(rows []int, x, y compute.Matrix) {
	var stream compute.Stream
	for k, i := range rows {
		if i < 0 || i >= v.n {
			panic("datasets: row out of range")
		}
		switch {
		case v.Grid != nil:
			v.Grid((float64(v.first+i)+0.5)/float64(v.first+v.n), x.Row(k), y.Row(k))
		case v.Drift != nil:
			stream = *v.source.Stream(uint64(v.first + i))
			v.Drift(&stream, v.first+i, x.Row(k), y.Row(k))
		case v.Adversarial:
			panic("datasets: an adversary chooses its rows while a method learns them")
		default:
			stream = *v.source.Stream(uint64(v.first + i))
			v.Row(&stream, x.Row(k), y.Row(k))
		}
		if v.signs {
			for c, t := range y.Row(k) {
				y.Set(k, c, 2*t-1)
			}
		}
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
