package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

// fewExamples is the largest batch whose steps are made row by row. Last bits of results depend on it.
const fewExamples = 64

// Numbers and rows of features that are evaluated together, for the steps that follow or for parts of a batch. In single
// precision they fill half of a usual L2 cache. Last bits of steps with large batches depend on them.
const (
	featuresTogether = 1 << 18
	featurePanel     = 48 // rows of a panel of the core
	leastTogether    = featurePanel
	mostTogether     = 4096
)

// Leap implements Leaper. Features do not depend on w: those of the examples of many small batches are evaluated together, on
// all threads. Then the steps are made one after another, each by inner products with rows of features and multiples of them.
func (f *sgdRF) Leap(n int) (int, algos.Progress, error) {
	i := f.LeapWith(nil, n)[0]
	return i.Made, i.Progress, i.Err
}

// LeapWith implements Sharer: the features are those of the fits with other steps.
func (f *sgdRF) LeapWith(others []algos.Fit, n int) []algos.Iterations {
	all := []*featureIterate{&f.featureIterate}
	for _, o := range others {
		all = append(all, &o.(*sgdRF).featureIterate)
	}
	if f.batch > fewExamples {
		return stepTogether(all, nil)
	}
	s, done := f.upcoming(n), make([]algos.Iterations, len(all))
	for k, g := range all {
		own := s
		if k > 0 {
			own.z = compute.RowsOf(g.p.Engine.Borrow(s.z))
		}
		done[k] = g.through(own)
	}
	return done
}

// through makes the iterations.
func (f *featureIterate) through(s steps) algos.Iterations {
	w := f.columns()
	defer f.setColumns(w)
	seen := 0
	for made, end := range s.ends {
		if err := f.take(w, s, seen, end); err != nil {
			return algos.Iterations{Made: made + 1, Err: err}
		}
		f.Stepped(end - seen)
		seen = end
	}
	return algos.Iterations{Made: len(s.ends), Progress: algos.Progress{Seen: seen}}
}

// steps are the examples of some iterations.
type steps struct {
	z    compute.Rowwise // their features, without the factor s
	rows []int           // of z
	y    compute.Matrix
	ends []int // how many examples the iterations have together, up to each

	residuals, factors []float64 // of one iteration
}

// upcoming evaluates the features of the examples of the next iterations, of n at most. They are valid until the next call.
func (f *sgdRF) upcoming(n int) steps {
	var s steps
	var rows []int
	for most := max(together(f.r), f.batch); len(s.ends) < n && len(rows)+f.batch <= most; {
		rows = append(rows, f.order.Rows(f.Seen+int64(len(rows)), f.batch)...)
		s.ends = append(s.ends, len(rows))
	}
	in, _ := f.p.Train.Dims()
	x := f.x.Matrix(len(rows), in)
	s.y = f.y.Matrix(len(rows), f.out)
	f.p.Train.Gather(rows, x, s.y)
	s.z = f.p.Engine.Evaluate(f.z.Unstored(x))
	for i := range rows {
		s.rows = append(s.rows, i)
	}
	s.residuals, s.factors = make([]float64, f.batch*f.out), make([]float64, f.batch)
	return s
}

// together returns how many rows of r features are evaluated together.
func together(r int) int { return min(max(featuresTogether/r, leastTogether), mostTogether) }

// take makes one iteration with the examples from ≤ i < to.
func (f *featureIterate) take(w [][]float64, s steps, from, to int) error {
	m, rows, eta := to-from, s.rows[from:to], f.gamma(f.T+1)
	r, c := parts.View(s.residuals[:m*f.out], f.out), s.factors[:m]
	for q, v := range w {
		s.z.Dots(c, rows, v)
		for i, u := range c {
			r.Set(i, q, f.s*u)
		}
	}
	if !parts.Residual(f.p, r, s.y.RowRange(from, to)) {
		return parts.Diverged(f.T + 1)
	}
	shrink, factor := 1-eta*f.p.Nu, -eta*f.s/float64(m)
	for q, v := range w {
		if shrink != 1 {
			for j := range v {
				v[j] *= shrink
			}
		}
		for i := range c {
			c[i] = factor * r.At(i, q)
		}
		s.z.AddTo(v, rows, c)
	}
	return nil
}

// columns returns the weights of each output in consecutive memory.
func (f *featureIterate) columns() [][]float64 {
	if f.out == 1 {
		return [][]float64{f.Alpha}
	}
	w, alpha := make([][]float64, f.out), parts.View(f.Alpha, f.out)
	for q := range w {
		w[q] = make([]float64, f.r)
		for j := range w[q] {
			w[q][j] = alpha.At(j, q)
		}
	}
	return w
}

// setColumns sets the weights to what columns returned.
func (f *featureIterate) setColumns(w [][]float64) {
	if f.out == 1 {
		return
	}
	for q, v := range w {
		for j, a := range v {
			f.Alpha[j*f.out+q] = a
		}
	}
}
