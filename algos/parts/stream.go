package parts

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
)

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
