package runner

import (
	"errors"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/experiments"
)

// unsupported returns why the method of a cell does not solve its problem: what Start says before it reads a row. It returns nil
// if Start says nothing before that. Methods that would take much memory are not asked, because Start may need it.
func unsupported(c *experiments.Cell, coster algos.Coster, s algos.Size) (why error) {
	s.Steps, s.Evals = 1, 1
	if s.N > askedRows || !(coster.Cost(s).Bytes <= askedBytes) {
		return nil
	}
	loss, err := losses.New(c.Loss())
	if err != nil {
		return nil
	}
	k := c.Kernel()
	sigma := k.Bandwidth.Value
	if k.Bandwidth.Rule != "" {
		sigma = 1 // no method depends on whether there is a number
	}
	kernel, err := kernels.New(k, sigma)
	if err != nil {
		return nil
	}
	p := &algos.Problem{Train: unread(s), FileOrder: c.Data().Order == "file", Kernel: kernel, Loss: loss, Nu: nuOf(c.Problem(), s.N), Seed: c.Seed}
	if t := c.Spec.Problem.Targets; t != "" {
		p.Train = algos.KernelTargets{Samples: unread(s), Kernel: kernel, Mean: t == experiments.MeanVariance}
	}
	defer func() { recover() }() // Start came as far as the rows, or the engine that there is none of
	if _, err := c.Method.Configured.Start(p); errors.Is(err, algos.ErrUnsupported) {
		return err
	}
	return nil
}

// Start is called for a plan up to this size: it may permute the rows, and makes what a fit holds.
const (
	askedRows  = 10_000_000
	askedBytes = 1 << 30
)

// unread are samples of a size whose rows cannot be read.
type unread algos.Size

func (u unread) Len() int                             { return u.N }
func (u unread) Dims() (in, out int)                  { return u.In, u.Out }
func (unread) Gather(rows []int, x, y compute.Matrix) { panic("runner: rows are not read for a plan") }
func (unread) Whole() (x, y compute.Matrix, present bool) {
	panic("runner: rows are not read for a plan")
}
