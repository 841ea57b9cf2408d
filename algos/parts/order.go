package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// An Order visits the training rows epoch after epoch, every row once an epoch. All methods of a
// comparison with one seed and batch size see the same examples at the same step.
type Order struct {
	p     *algos.Problem
	epoch int64
	perm  []int
}

// NewOrder returns the order in which all methods visit the training rows of p.
func NewOrder(p *algos.Problem) Order { return Order{p: p} }

// Rows returns the b training rows that follow the first seen ones, fewer at the end of an epoch.
func (o *Order) Rows(seen int64, b int) []int {
	n := int64(o.p.Train.Len())
	epoch, at := seen/n, int(seen%n)
	if o.perm == nil || o.epoch != epoch {
		o.epoch, o.perm = epoch, o.permutation(epoch, int(n))
	}
	return o.perm[at:min(at+b, int(n))]
}

// Batch gathers these rows.
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
