package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*ksdca]("k-sdca", "stochastic dual coordinate ascent with the full kernel [Shalev-Shwartz & Zhang 2013; dai2014 §6]", func() algos.Algorithm {
	return &KSDCA{SDCASettings{Batch: 1}}
})

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

// RelativeGap implements Certifier. It evaluates k at all training rows and the support.
func (f *ksdca) RelativeGap() float64 {
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
	s := compute.NewMatrix(x.Rows, c.Cols)
	z := f.centres.Of(f.p, f.Rows).RowRange(lo, len(f.Rows))
	f.p.Engine.Kernel(f.p.Kernel, x, z).MulTo(s, c)
	return s
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
