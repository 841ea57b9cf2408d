package datasets

import (
	"math"
	"slices"

	"repro/algos/compute"
)

// affine maps entry v of column j to base + (v - shift[j])·factor[j]. Columns that are constant on
// the rows it was fitted on have factor 0 and base 0.
type affine struct {
	shift, factor, base []float64
	bad                 int // a column, from 1, whose range overflows; 0 if there is none
}

// A scanner calls visit with rows, a piece at a time, in their order, the same ones whenever it is called.
type scanner func(visit func(m compute.Matrix)) error

// allOf scans one matrix.
func allOf(m compute.Matrix) scanner {
	return func(visit func(m compute.Matrix)) error { visit(m); return nil }
}

// zscore maps columns to mean 0 and (population) variance 1.
func zscore(rows scanner) (affine, error) {
	a, low, high, n, err := newAffine(rows)
	if err != nil {
		return a, err
	}
	err = rows(func(m compute.Matrix) {
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				a.shift[j] += v / float64(n)
			}
		}
	})
	if err != nil {
		return a, err
	}
	variance := make([]float64, len(low))
	err = rows(func(m compute.Matrix) {
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				d := v - a.shift[j]
				variance[j] += float64(d * d / float64(n))
			}
		}
	})
	for j, v := range variance {
		if low[j] < high[j] {
			a.setFactor(j, 1/math.Sqrt(v))
		}
	}
	return a, err
}

// minmax maps columns to [lo, hi].
func minmax(rows scanner, lo, hi float64) (affine, error) {
	a, low, high, _, err := newAffine(rows)
	for j := range low {
		if low[j] < high[j] {
			a.shift[j], a.base[j] = low[j], lo
			a.setFactor(j, (hi-lo)/(high[j]-low[j]))
		}
	}
	return a, err
}

func (a *affine) setFactor(j int, f float64) {
	if a.factor[j] = f; !(f > 0) || math.IsInf(f, 0) {
		a.bad = j + 1
	}
}

// newAffine returns a map to zero, the smallest and largest entry of every column, and the number of rows.
func newAffine(rows scanner) (a affine, low, high []float64, n int, err error) {
	err = rows(func(m compute.Matrix) {
		if n == 0 {
			low, high = slices.Clone(m.Row(0)), slices.Clone(m.Row(0))
		}
		n += m.Rows
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	})
	d := len(low)
	return affine{shift: make([]float64, d), factor: make([]float64, d), base: make([]float64, d)}, low, high, n, err
}

func (a affine) outputs(in int) int { return in }
func (a affine) inPlace() bool      { return true }

// apply maps the entries of src.
func (a affine) apply(dst, src compute.Matrix, _ *compute.Engine) {
	for i := range src.Rows {
		to := dst.Row(i)
		for j, v := range src.Row(i) {
			to[j] = a.base[j] + float64((v-a.shift[j])*a.factor[j])
		}
	}
}

// unitNorm divides every row by its Euclidean norm. A zero row stays zero.
type unitNorm struct{}

func (unitNorm) outputs(in int) int { return in }
func (unitNorm) inPlace() bool      { return true }

func (unitNorm) apply(dst, src compute.Matrix, _ *compute.Engine) {
	for i := range src.Rows {
		row := dst.Row(i)
		copy(row, src.Row(i))
		var largest, sum float64
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			continue
		}
		for j := range row {
			row[j] /= largest
			sum += float64(row[j] * row[j])
		}
		for j := range row {
			row[j] /= math.Sqrt(sum)
		}
	}
}

// fitScale fits the scaling of inputs that o asks for on training rows; nil if it asks for none.
func (o Options) fitScale(rows scanner) (transform, error) {
	var a affine
	var err error
	switch o.Scale {
	case "zscore":
		a, err = zscore(rows)
	case "minmax":
		lo, hi := o.ScaleRange[0], o.ScaleRange[1]
		if lo == 0 && hi == 0 {
			hi = 1
		}
		a, err = minmax(rows, lo, hi)
	case "unit-norm":
		return unitNorm{}, nil
	default:
		return nil, nil
	}
	if err == nil {
		err = a.check("scale")
	}
	return a, err
}

// scaleTargets scales targets in place as o says, by what the training targets alone tell; train may
// be one of them. The set is told the unit of what results.
func (o Options) scaleTargets(set *Set, train compute.Matrix, all ...compute.Matrix) error {
	set.TargetUnit = 1
	var a affine
	switch o.TargetScale {
	case "zscore":
		a, _ = zscore(allOf(train))
	case "minmax":
		a, _ = minmax(allOf(train), 0, 1)
	default:
		return nil
	}
	if err := a.check("target_scale"); err != nil {
		return err
	}
	if f := a.factor[0]; f > 0 {
		set.TargetUnit = 1 / f
	}
	for _, y := range all {
		a.apply(y, y, nil)
	}
	return nil
}

// check returns an *OptionError if the values of a column cannot be scaled.
func (a affine) check(key string) error {
	if a.bad > 0 {
		return optionErrorf(key, "the values of column %d are too far apart or too close together: rescale it in the file", a.bad)
	}
	return nil
}
