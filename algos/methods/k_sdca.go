package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register("k-sdca", "stochastic dual coordinate ascent with the full kernel [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
	return &KSDCA{SDCASettings{Batch: 1}}
})

// KSDCA is SDCA with the full kernel, the k-SDCA of dai2014 §6. A step evaluates k at the pairs of its
// batch and of the batch with the support, the rows with α_i ≠ 0: O(dt) a row and O(dt) memory
// [dai2014 Table 2]. Rows whose α_i has become 0 leave the support at the end of a pass, unless the
// averaged iterate needs them.
type KSDCA struct{ SDCASettings }

// ksdcaState is α, by row in the order in which the rows came into the support.
type ksdcaState struct {
	T     int
	Seen  int64
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

// Fits implements Declarer.
func (*KSDCA) Fits() algos.Fit { return (*ksdca)(nil) }

// Start implements Algorithm. It needs ν > 0 and a loss whose dual step is known.
func (a *KSDCA) Start(p *algos.Problem) (algos.Fit, error) {
	d, err := newDual("k-sdca", &a.SDCASettings, p)
	if err != nil {
		return nil, err
	}
	_, out := p.Train.Dims()
	return &ksdca{dual: d, p: p, order: parts.NewOrder(p), out: out}, nil
}

// coefficients views one row of outputs for each term of the support from lo on.
func (f *ksdca) coefficients(c []float64, lo int) compute.Matrix {
	return compute.Matrix{Rows: len(f.Rows) - lo, Cols: f.out, Stride: f.out, Data: c[lo*f.out:]}
}

// sums returns Σ_j c_j k(x_j, x) at the rows of x over the support from term lo on.
func (f *ksdca) sums(x compute.Matrix, lo int, c compute.Matrix) compute.Matrix {
	s := compute.NewMatrix(x.Rows, c.Cols)
	z := f.centres.Of(f.p, f.Rows).RowRange(lo, len(f.Rows))
	f.p.Engine.Kernel(f.p.Kernel, x, z).MulTo(s, c)
	return s
}

// Step implements Fit.
func (f *ksdca) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	first := f.Seen < int64(f.n)
	sums := f.sums(x, 0, f.coefficients(f.Alpha, 0))
	if !sums.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	at, alpha := f.find(rows, first)
	f.visit(alpha, sums, f.p.Engine.KernelMatrix(f.p.Kernel, x, x), y, f.Seen)
	f.put(rows, at, alpha)

	f.T++
	f.Seen += int64(len(rows))
	if f.settings.Average {
		parts.MoveMean(f.Mean, f.Alpha, f.scale(f.Seen), f.T)
	}
	if first {
		f.Terms = append(f.Terms, len(f.Rows))
	} else if f.Seen%int64(f.n) == 0 {
		f.drop()
	}
	return algos.Progress{Seen: len(rows)}, nil
}

// find returns where in the support rows are, -1 if they are not, and their α.
func (f *ksdca) find(rows []int, first bool) (at []int, alpha compute.Matrix) {
	at, alpha = make([]int, len(rows)), compute.NewMatrix(len(rows), f.out)
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

// drop removes rows with α = 0 from the support, those that the averaged iterate needs apart.
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
// with m = n, or the number of rows visited if the pass is a start by SGD. Later predictions are made
// afresh: n kernel values a point, for most α of a pass change.
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

	ratio, sum := 0.0, 0.0 // of f_k in f_t, and in t·f̂_t; none of it if all is fresh
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

// Model implements Fit.
func (f *ksdca) Model() algos.Model { return ksdcaModel{f, f.Alpha, f.scale(f.Seen)} }

// Average implements Averager.
func (f *ksdca) Average() algos.Model {
	if !f.settings.Average {
		return nil
	}
	return ksdcaModel{f, f.Mean, 1}
}

// State implements Fit.
func (f *ksdca) State() any { return &f.ksdcaState }

// SquaredNorms implements Normed.
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

// Cost implements Coster: the t-th step evaluates k at the pairs of its B rows with the support, at
// most all n rows, and of its B rows. Predictions cost what Advance says, if the curve has at most one
// point before the end of the first pass; more of them cost less.
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
		Bytes:       8 * (support*(float64(s.In)+1+kept*float64(s.Out)) + first + b*b),
	}
}
