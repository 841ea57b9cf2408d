package runner

import (
	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/experiments"
)

// An asked is a method, which answers for all seeds what it does not solve.
type asked struct {
	spec   *experiments.Spec
	method string
	size   algos.Size
}

func (e *Estimator) unsupported(c *experiments.Cell, s algos.Size) error {
	key := asked{c.Spec, c.Method.ID, s}
	why, known := e.answers[key]
	if !known {
		func() {
			defer func() { _ = recover() }() // a fault of the method: its cell fails when it runs, and says where
			why = unsupported(c, s)
		}()
		e.answers[key] = why
	}
	return why
}

// unsupported returns why the method of a cell does not solve its problem, nil if it does or says so only when it has rows.
func unsupported(c *experiments.Cell, s algos.Size) error {
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
	rows := algos.NoRows{N: s.N, In: s.In, Out: s.Out}
	p := &algos.Problem{Train: rows, FileOrder: c.Data().Order == "file", Kernel: kernel, Loss: loss, Nu: nuOf(c.Problem(), s.N), Seed: c.Seed}
	if t := c.Spec.Problem.Targets; t != "" {
		p.Train = algos.KernelTargets{Samples: rows, Kernel: kernel, Mean: t == experiments.MeanVariance}
	}
	return algos.Unsupported(c.Method.Configured, p)
}
