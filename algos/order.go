package algos

import "repro/algos/compute"

// An order visits the training rows epoch after epoch, every row once an epoch. All methods of a
// comparison with one seed and batch size see the same examples at the same step.
type order struct {
	p     *Problem
	epoch int64
	perm  []int
}

// rows returns the b training rows that follow the first seen ones, fewer at the end of an epoch.
func (o *order) rows(seen int64, b int) []int {
	n := int64(o.p.Train.Len())
	epoch, at := seen/n, int(seen%n)
	if o.perm == nil || o.epoch != epoch {
		o.epoch, o.perm = epoch, o.permutation(epoch, int(n))
	}
	return o.perm[at:min(at+b, int(n))]
}

// batch gathers these rows.
func (o *order) batch(seen int64, b int) (rows []int, x, y compute.Matrix) {
	rows = o.rows(seen, b)
	in, out := o.p.Train.Dims()
	x, y = compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
	o.p.Train.Gather(rows, x, y)
	return rows, x, y
}

func (o *order) permutation(epoch int64, n int) []int {
	if !o.p.FileOrder {
		return compute.NewStream(o.p.Seed, "order", uint64(epoch)).Perm(n)
	}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// residual replaces predictions u at a batch by l'(u, y) and reports whether all u were finite.
func (p *Problem) residual(u, y compute.Matrix) (finite bool) {
	finite = u.Finite()
	for i := range u.Rows {
		row := u.Row(i)
		p.Loss.Gradient(row, row, y.Row(i))
	}
	return finite
}
