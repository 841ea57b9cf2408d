package parts

import (
	"slices"

	"repro/algos"
	"repro/algos/compute"
)

// Centres caches the inputs of some training rows. Of gathers only the new rows if the list grew, and all rows if it
// changed in another way.
type Centres struct {
	rows  []int
	x     compute.Matrix
	y     Scratch // of Of
	place []int   // of each training row in rows, -1 if it is not there; nil before the first Find
}

// Of returns the inputs of rows.
func (c *Centres) Of(p *algos.Problem, rows []int) compute.Matrix {
	have := len(c.rows)
	if have > len(rows) || !slices.Equal(c.rows, rows[:have]) {
		have, c.place = 0, nil
	}
	in, out := p.Train.Dims()
	add := rows[have:]
	if len(add) > 0 {
		c.x.Data = c.x.Data[:have*in]
		p.Train.Gather(add, View(Grown(&c.x.Data, len(add)*in), in), c.y.Matrix(len(add), out))
	}
	c.x.Rows, c.x.Cols, c.x.Stride = len(rows), in, in
	c.rows = append(c.rows[:have], add...)
	if c.place != nil {
		for i, r := range add {
			c.place[r] = have + i
		}
	}
	return c.x
}

// Find returns the index of a training row in the rows of the last call of Of, -1 if it is not there. n is the number of
// training rows.
func (c *Centres) Find(row, n int) int {
	if c.place == nil {
		c.place = make([]int, n)
		for i := range c.place {
			c.place[i] = -1
		}
		for i, r := range c.rows {
			c.place[r] = i
		}
	}
	return c.place[row]
}
