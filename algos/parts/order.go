package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// An Order visits every training row once per epoch. Methods with the same seed and batch size see the same examples at
// the same step.
type Order struct {
	p     *algos.Problem
	epoch int64
	perm  []int
}

// NewOrder returns the order in which all methods visit the training rows of p.
func NewOrder(p *algos.Problem) Order { return Order{p: p} }

// Rows returns the next b training rows after the first seen ones. At the end of an epoch it returns fewer.
func (o *Order) Rows(seen int64, b int) []int {
	n := int64(o.p.Train.Len())
	epoch, at := seen/n, int(seen%n)
	if o.perm == nil || o.epoch != epoch {
		o.epoch, o.perm = epoch, o.permutation(epoch, int(n))
	}
	return o.perm[at:min(at+b, int(n))]
}

// Batch returns Rows with their inputs and targets.
func (o *Order) Batch(seen int64, b int) (rows []int, x, y compute.Matrix) {
	rows = o.Rows(seen, b)
	in, out := o.p.Train.Dims()
	x, y = compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
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
