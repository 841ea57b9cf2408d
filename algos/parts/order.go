package parts

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
)

// An Order chooses the examples of every step. It visits every training row once per epoch or, if rows are drawn with
// replacement, draws each of them uniformly and independently of the others. Methods with the same seed, sampling and batch
// size see the same examples at the same step.
type Order struct {
	p       *algos.Problem
	replace bool
	perm    []int // rows of an epoch or, with replacement, of drawnTogether examples
	epoch   int64 // number of perm
	rows    []int
	x, y    Scratch // of Batch
}

// NewOrder returns the order in which all methods visit the training rows of p, each once per epoch.
func NewOrder(p *algos.Problem) Order { return Order{p: p} }

// NewSampling returns the order of the named method: rows drawn with replacement, or that of NewOrder. Rows to visit in
// the order of a file cannot be drawn, which gives an error that wraps algos.ErrUnsupported.
func NewSampling(method string, p *algos.Problem, replace bool) (Order, error) {
	if replace && p.FileOrder {
		return Order{}, fmt.Errorf("%w: %s draws rows with replacement, which contradicts the order of the file", algos.ErrUnsupported, method)
	}
	return Order{p: p, replace: replace}, nil
}

// drawnTogether is how many draws with replacement one stream gives.
const drawnTogether = 4096

// Rows returns the next b training rows after the first seen ones, until the next call. At the end of an epoch it returns
// fewer; with replacement there are no epochs.
func (o *Order) Rows(seen int64, b int) []int {
	if o.replace {
		o.rows = o.rows[:0]
		for len(o.rows) < b {
			o.rows = append(o.rows, o.from(seen+int64(len(o.rows)), b-len(o.rows), drawnTogether)...)
		}
		return o.rows
	}
	return o.from(seen, b, o.p.Train.Len())
}

// from returns the rows after the first seen ones, at most b, of the permutation or the draws that they belong to, each of size numbers.
func (o *Order) from(seen int64, b, size int) []int {
	epoch, at := seen/int64(size), int(seen%int64(size))
	if o.perm == nil || o.epoch != epoch {
		if o.epoch = epoch; o.replace {
			o.perm = o.draws(epoch)
		} else {
			o.perm = o.permutation(epoch, size)
		}
	}
	return o.perm[at:min(at+b, size)]
}

// Ahead returns the rows of the next batches of b after the first seen ones, and how many there are up to the end of each. They are at
// least one batch, and no more than n batches or most rows.
func (o *Order) Ahead(seen int64, b, n, most int) (rows, ends []int) {
	for len(ends) == 0 || len(ends) < n && len(rows)+b <= most {
		rows = append(rows, o.Rows(seen+int64(len(rows)), b)...)
		ends = append(ends, len(rows))
	}
	return rows, ends
}

// Batch returns Rows with their inputs and targets, until the next call.
func (o *Order) Batch(seen int64, b int) (rows []int, x, y compute.Matrix) {
	rows = o.Rows(seen, b)
	in, out := o.p.Train.Dims()
	x, y = o.x.Matrix(len(rows), in), o.y.Matrix(len(rows), out)
	o.p.Train.Gather(rows, x, y)
	return rows, x, y
}

func (o *Order) permutation(epoch int64, n int) []int {
	if !o.p.FileOrder {
		return compute.NewStream(o.p.Seed, "order", uint64(epoch)).Perm(n)
	}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// draws returns rows drawn with replacement, from a stream of their own.
func (o *Order) draws(number int64) []int {
	s, n := compute.NewStream(o.p.Seed, "replacement", uint64(number)), o.p.Train.Len()
	d := make([]int, drawnTogether)
	for i := range d {
		d[i] = s.IntN(n)
	}
	return d
}

// streamRows is the number of examples that a new Stream gathers at once.
const streamRows = 256

// A Stream hands out the training rows of a problem in the order in which all methods visit them, and counts the losses of
// the predictions. After the last row it goes on with the next epoch.
type Stream struct {
	Tally  *algos.Tally
	AtOnce int // number of examples that the stream gathers at once

	order Order
	first int64 // example in the first row of x
	x, y  compute.Matrix
	asked int64 // example whose inputs were asked for last; -1 once it is revealed
}

// NewStream returns the stream of a problem. It draws the order of the first epoch, which is no part of a round.
func NewStream(p *algos.Problem) *Stream {
	s := &Stream{Tally: new(algos.Tally), AtOnce: streamRows, order: NewOrder(p), asked: -1}
	s.order.Rows(0, 1)
	return s
}

// StreamOf returns the stream that the problem has, or a new one of its training rows.
func StreamOf(p *algos.Problem) algos.Stream {
	if p.Stream != nil {
		return p.Stream
	}
	return NewStream(p)
}

func (s *Stream) Inputs(t int64) []float64 {
	if k := t - s.first; k < 0 || k >= int64(s.x.Rows) {
		_, s.x, s.y = s.order.Batch(t, s.AtOnce)
		s.first = t
	}
	s.asked = t
	return s.x.Row(int(t - s.first))
}

// Reveal implements algos.Stream. It panics for an example whose inputs were not asked for last: the fit would see targets
// that it has not predicted.
func (s *Stream) Reveal(t int64, u []float64) []float64 {
	if t != s.asked {
		panic(fmt.Sprintf("parts: the targets of example %d are asked for without a prediction", t))
	}
	s.asked = -1
	y := s.y.Row(int(t - s.first))
	s.Tally.Add(u, y)
	return y
}
