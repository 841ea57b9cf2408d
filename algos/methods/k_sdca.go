package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*ksdca]("k-sdca", "stochastic dual coordinate ascent with the full kernel [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
	return &KSDCA{SDCASettings{Batch: 1}}
}, algos.Known("duality-gap", (*ksdca).dualityGap))

// KSDCA is SDCA with the full kernel, the k-SDCA of dai2014 §6. A step evaluates k at the pairs of its
// batch and of the batch with the support, the rows with α_i ≠ 0: O(dt) a row and O(dt) memory
// [dai2014 Table 2]. Rows whose α_i has become 0 leave the support at the end of a pass, unless the
// averaged iterate needs them.
type KSDCA struct{ SDCASettings }

// ksdcaState holds α of the rows of the support, in the order in which they entered it.
type ksdcaState struct {
	parts.Count
	Rows  []int
	Alpha []float64 // one row of outputs each
	Mean  []float64 // coefficients of the averaged iterate, (1/t) Σ α/(νm); empty if it is not kept
	Terms []int     // size of the support after each step of the first pass
}

type ksdca struct {
	ksdcaState
	dual
	p       *algos.Problem
	order   parts.Order
	out     int
	centres parts.Centres
}

// Start implements Algorithm. It needs ν > 0 and a loss whose dual step is known.
func (a *KSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	d, err := newDual("k-sdca", &a.SDCASettings, p)
	if err != nil {
		return nil, err
	}
	_, out := p.Train.Dims()
	return &ksdca{dual: d, p: p, order: parts.NewOrder(p), out: out}, nil
}

func (f *ksdca) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	sums := f.sums(x, 0, f.coefficients(f.Alpha, 0))
	if !sums.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	at, alpha := f.find(rows)
	f.visit(alpha, sums, f.p.Engine.KernelMatrix(f.p.Kernel, x, x), y, f.Seen)
	f.put(rows, at, alpha)
	return f.ended(len(rows)), nil
}

func (f *ksdca) Model() algos.Model { return ksdcaModel{f, f.Alpha, f.scale(f.Seen)} }

func (f *ksdca) Average() algos.Model {
	if !f.settings.Average {
		return nil
	}
	return ksdcaModel{f, f.Mean, 1}
}

// A ksdcaModel is scale·Σ_j c_j k(x_j, ·) over the support.
type ksdcaModel struct {
	f     *ksdca
	c     []float64
	scale float64
}

func (m ksdcaModel) Predict(x compute.Matrix) compute.Matrix {
	u := m.f.sums(x, 0, m.f.coefficients(m.c, 0))
	u.Scale(m.scale)
	return u
}

func (f *ksdca) State() any { return &f.ksdcaState }

// dualityGap returns relativeGap. It evaluates k at all training rows and the support.
func (f *ksdca) dualityGap() float64 {
	x, y := f.p.Dense()
	alpha := compute.NewMatrix(f.n, f.out)
	for i, row := range f.Rows {
		copy(alpha.Row(row), f.Alpha[i*f.out:])
	}
	return f.relativeGap(f.Seen, f.Model().Predict(x), alpha, y)
}

func (f *ksdca) SquaredNorms() []float64 {
	c := f.coefficients(f.Alpha, 0).Clone()
	c.Scale(f.scale(f.Seen))
	return parts.ColumnProducts(c, f.sums(f.centres.Of(f.p, f.Rows), 0, c))
}

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *ksdca) Footprint() int64 {
	in, _ := f.p.Train.Dims()
	return 8 * int64(len(f.Alpha)+in*len(f.Rows))
}

// sums returns Σ_j c_j k(x_j, x) at the rows of x over the support from term lo on.
func (f *ksdca) sums(x compute.Matrix, lo int, c compute.Matrix) compute.Matrix {
	return parts.KernelSum(f.p, x, f.centres.Of(f.p, f.Rows).RowRange(lo, len(f.Rows)), c)
}

// Cost implements Coster: a step evaluates k at the pairs of its B rows with the support, at most n rows, and with each
// other. Predictions cost what Advance says if the curve has at most one point before the end of the first pass; with
// more points they cost less.
func (a *KSDCA) Cost(s algos.Size) algos.Cost {
	b, n, t := float64(a.Batch), float64(s.N), float64(s.Steps)
	first := min(t, float64((s.N+a.Batch-1)/a.Batch)) // steps of the first pass
	support := min(n, b*t)
	evals, kept := 1.0, 1.0
	if a.Average {
		kept = 2
	}
	if t > first {
		evals = float64(s.Evals)
	}
	return algos.Cost{
		KernelEvals: b*b*first*(first-1)/2 + (t-first)*b*n + b*b*t,
		Together:    a.Batch,
		EvalCost:    support * evals,
		Bytes:       8 * (support*(float64(s.In)+1+kept*float64(s.Out)) + first + 2*b*b),
	}
}

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
