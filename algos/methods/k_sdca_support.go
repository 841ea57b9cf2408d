package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

// The support of ksdca, the rows with α_i ≠ 0: how it is searched, how it grows and shrinks, and how predictions follow it.

// coefficients views c, one row of outputs per term of the support, from term lo on.
func (f *ksdca) coefficients(c []float64, lo int) compute.Matrix {
	return parts.View(c[lo*f.out:], f.out)
}

// find returns the index of each row in the support, -1 if it is not there, and their α.
func (f *ksdca) find(rows []int) (at []int, alpha compute.Matrix) {
	at, alpha = make([]int, len(rows)), compute.NewMatrix(len(rows), f.out)
	first := f.Seen < int64(f.n) // then the rows are new
	for b, r := range rows {
		at[b] = -1
		if !first {
			at[b] = f.centres.Find(r, f.n)
		}
		if at[b] >= 0 {
			copy(alpha.Row(b), f.Alpha[at[b]*f.out:])
		}
	}
	return at, alpha
}

// put stores the α of rows, whose places find returned.
func (f *ksdca) put(rows, at []int, alpha compute.Matrix) {
	for b, row := range rows {
		switch a := alpha.Row(b); {
		case at[b] >= 0:
			copy(f.Alpha[at[b]*f.out:], a)
		case parts.Nonzero(a):
			f.Rows = append(f.Rows, row)
			f.Alpha = append(f.Alpha, a...)
			if f.settings.Average {
				f.Mean = append(f.Mean, make([]float64, f.out)...)
			}
		}
	}
}

// ended ends a step with the given number of rows: it updates the average and, at the end of every pass after the first,
// drops rows from the support.
func (f *ksdca) ended(rows int) algos.Progress {
	first := f.Seen < int64(f.n)
	p := f.Stepped(rows)
	if f.settings.Average {
		parts.MoveMean(f.Mean, f.Alpha, f.scale(f.Seen), f.T)
	}
	if first {
		f.Terms = append(f.Terms, len(f.Rows))
	} else if f.Seen%int64(f.n) == 0 {
		f.drop()
	}
	return p
}

// drop removes rows with α = 0 from the support, except those that the averaged iterate uses.
func (f *ksdca) drop() {
	n := 0
	for i, row := range f.Rows {
		lo, hi := i*f.out, (i+1)*f.out
		if !parts.Nonzero(f.Alpha[lo:hi]) && !(f.settings.Average && parts.Nonzero(f.Mean[lo:hi])) {
			continue
		}
		f.Rows[n] = row
		copy(f.Alpha[n*f.out:], f.Alpha[lo:hi])
		if f.settings.Average {
			copy(f.Mean[n*f.out:], f.Mean[lo:hi])
		}
		n++
	}
	f.Rows, f.Alpha = f.Rows[:n], f.Alpha[:n*f.out]
	if f.settings.Average {
		f.Mean = f.Mean[:n*f.out]
	}
}

// Advance implements Incremental. In the first pass, where every α_i is set once,
//
//	f_t = (m_k/m_t) f_k + (1/(νm_t)) Σ_new α_j k(x_j, ·)
//	t·f̂_t = k·f̂_k + (Σ_{k<i≤t} m_k/m_i) f_k + t·Σ_new ᾱ_j k(x_j, ·)
//
// with m = n, or the number of rows visited if the pass is a start by SGD. Later predictions are computed anew, with n
// kernel values per point, because a pass changes most α.
func (f *ksdca) Advance(k int, x compute.Matrix, p algos.Predictions) {
	if k == f.T {
		return
	}
	lo := 0
	if k > 0 && f.Seen <= int64(f.n) {
		lo = f.Terms[k-1]
	}
	c := f.coefficients(f.Alpha, lo)
	if f.settings.Average {
		c = compute.NewMatrix(c.Rows, 2*f.out)
		c.ColRange(0, f.out).CopyFrom(f.coefficients(f.Alpha, lo))
		c.ColRange(f.out, 2*f.out).CopyFrom(f.coefficients(f.Mean, lo))
	}
	fresh := f.sums(x, lo, c)

	ratio, sum := 0.0, 0.0 // factors of f_k in f_t and in t·f̂_t; 0 if predictions are computed anew
	if lo > 0 {
		old := f.scale(int64(k * f.settings.Batch))
		for i := k + 1; i <= f.T; i++ {
			ratio = f.scale(min(int64(i*f.settings.Batch), f.Seen)) / old
			sum += ratio
		}
	}
	if f.settings.Average {
		kept, t := float64(k), float64(f.T)
		if lo == 0 {
			kept = 0
		}
		p.Average.Scale(kept / t)
		p.Average.AddScaled(sum/t, p.Last)
		p.Average.AddScaled(1, fresh.ColRange(f.out, 2*f.out))
	}
	p.Last.Scale(ratio)
	p.Last.AddScaled(f.scale(f.Seen), fresh.ColRange(0, f.out))
}
