package methods

import (
	"slices"

	"repro/algos/compute"
)

// apply sets dst to the terms of the steps after step k at the rows of x, times v.
func (f *dsg) apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	for i, run := range f.runs(k, v) {
		to := dst
		if i > 0 {
			to = f.p.Engine.Zeroed(dst.Rows, dst.Cols)
		}
		f.p.Engine.Features(f.features, x, run.blocks).MulTo(to, run.coefs)
		if i > 0 {
			dst.AddScaled(1, to)
			f.p.Engine.Reuse(to)
		}
	}
}

// A blockRun is a range of blocks with coefficients of their features.
type blockRun struct {
	blocks compute.Range
	coefs  compute.Matrix
}

// runs returns the blocks used in the steps after step k as ranges, in ascending order. The coefficients of a block are
// the sum of the rows of v over the steps that used it. They are valid until the next call.
func (f *dsg) runs(k int, v compute.Matrix) []blockRun {
	if len(f.Blocks) == 0 { // step t used block t
		f.all = append(f.all[:0], blockRun{compute.Range{Lo: k, Hi: f.T}, v})
		return f.all
	}
	steps, width := f.Blocks[k:], f.settings.Block
	row := slices.Grow(f.row[:0], slices.Max(steps)+1)[:slices.Max(steps)+1] // first row of a block in sum, -1 of one that is not used
	f.row = row
	for b := range row {
		row[b] = -1
	}
	for _, b := range steps {
		row[b] = 0
	}
	runs, rows := f.all[:0], 0
	for b, at := range row {
		if at < 0 {
			continue
		}
		if b == 0 || row[b-1] < 0 {
			runs = append(runs, blockRun{blocks: compute.Range{Lo: b, Hi: b}})
		}
		runs[len(runs)-1].blocks.Hi++
		row[b] = rows
		rows += width
	}
	f.all = runs
	sum := f.sum.Matrix(rows, v.Cols)
	sum.Zero()
	for i, b := range steps {
		for j := range width {
			to := sum.Row(row[b] + j)
			for c, u := range v.Row(i*width + j) {
				to[c] += u
			}
		}
	}
	for i, r := range runs {
		lo := row[r.blocks.Lo]
		runs[i].coefs = sum.RowRange(lo, lo+(r.blocks.Hi-r.blocks.Lo)*width)
	}
	return runs
}

// drawn returns the number of blocks drawn so far.
func (f *dsg) drawn() int {
	if len(f.Blocks) == 0 {
		return f.T
	}
	return slices.Max(f.Blocks) + 1
}
