package algos

import (
	"errors"

	"repro/algos/compute"
)

// Unsupported asks a method, without reading a row, whether it solves problems like p. It returns what Start returns if that wraps
// ErrUnsupported, and nil if Start comes as far as the rows or the engine, which p need not have. The laws hold every algorithm to
// saying so before.
//
// Start is asked about a million rows if there are more: it may hold numbers for each row, and no answer depends on so many. A
// method whose fit would take more than 64 GB for these is not asked, because Start may allocate weights.
func Unsupported(a Algorithm, p *Problem) (why error) {
	const mostRows, mostBytes = 1_000_000, 64e9
	in, out := p.Train.Dims()
	s := Size{N: min(p.Train.Len(), mostRows), In: in, Out: out, Steps: 1, Evals: 1}
	if c, ok := a.(Coster); !ok || !(c.Cost(s).Bytes <= mostBytes) {
		return nil
	}
	asked := *p
	asked.Engine = nil
	if t, ok := p.Train.(KernelTargets); ok {
		_, own := t.Samples.Dims()
		t.Samples = NoRows{s.N, in, own}
		asked.Train = t
	} else {
		asked.Train = NoRows{s.N, in, out}
	}
	defer func() { recover() }() // Start came as far as the rows, or the engine
	if _, err := a.Start(&asked); errors.Is(err, ErrUnsupported) {
		return err
	}
	return nil
}

// NoRows are samples of a size whose rows cannot be read.
type NoRows struct{ N, In, Out int }

func (r NoRows) Len() int                                   { return r.N }
func (r NoRows) Dims() (in, out int)                        { return r.In, r.Out }
func (NoRows) Gather([]int, compute.Matrix, compute.Matrix) { panic("algos: there are no rows") }
func (NoRows) Whole() (x, y compute.Matrix, ok bool)        { panic("algos: there are no rows") }
