package datasets

import (
	"math"

	"repro/algos/compute"
)

// affine maps entry v of column j to base + (v - shift[j])·factor[j]. Columns that are constant on
// the rows it was fitted on have factor 0 and base 0.
type affine struct {
	shift, factor, base []float64
	bad                 int // a column, from 1, whose range overflows; 0 if there is none
}

// zscore maps the columns of m to mean 0 and (population) variance 1.
func zscore(m compute.Matrix) affine {
	a, low, high := newAffine(m)
	n := float64(m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			a.shift[j] += v / n
		}
	}
	variance := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			d := v - a.shift[j]
			variance[j] += float64(d * d / n)
		}
	}
	for j, v := range variance {
		if low[j] < high[j] {
			a.setFactor(j, 1/math.Sqrt(v))
		}
	}
	return a
}

// minmax maps the columns of m to [lo, hi].
func minmax(m compute.Matrix, lo, hi float64) affine {
	a, low, high := newAffine(m)
	for j := range low {
		if low[j] < high[j] {
			a.shift[j], a.base[j] = low[j], lo
			a.setFactor(j, (hi-lo)/(high[j]-low[j]))
		}
	}
	return a
}

func (a *affine) setFactor(j int, f float64) {
	if a.factor[j] = f; !(f > 0) || math.IsInf(f, 0) {
		a.bad = j + 1
	}
}

// newAffine returns a map to zero, and the smallest and largest entry of every column of m.
func newAffine(m compute.Matrix) (a affine, low, high []float64) {
	d := m.Cols
	a = affine{shift: make([]float64, d), factor: make([]float64, d), base: make([]float64, d)}
	low, high = make([]float64, d), make([]float64, d)
	copy(low, m.Row(0))
	copy(high, m.Row(0))
	for i := 1; i < m.Rows; i++ {
		for j, v := range m.Row(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	return a, low, high
}

// apply maps the entries of m in place.
func (a affine) apply(m compute.Matrix) {
	for i := range m.Rows {
		row := m.Row(i)
		for j, v := range row {
			row[j] = a.base[j] + float64((v-a.shift[j])*a.factor[j])
		}
	}
}

// unitNorm divides every row of m by its Euclidean norm. A zero row stays zero.
func unitNorm(m compute.Matrix) {
	for i := range m.Rows {
		row := m.Row(i)
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

// scale scales training and test rows in place as o says, by what the training rows alone tell.
func (o Options) scale(train, test *table) error {
	switch o.Scale {
	case "zscore":
		if err := both("scale", zscore(train.x), train.x, test.x); err != nil {
			return err
		}
	case "minmax":
		lo, hi := o.ScaleRange[0], o.ScaleRange[1]
		if lo == 0 && hi == 0 {
			hi = 1
		}
		if err := both("scale", minmax(train.x, lo, hi), train.x, test.x); err != nil {
			return err
		}
	case "unit-norm":
		unitNorm(train.x)
		unitNorm(test.x)
	}
	switch o.TargetScale {
	case "zscore":
		return both("target_scale", zscore(train.y), train.y, test.y)
	case "minmax":
		return both("target_scale", minmax(train.y, 0, 1), train.y, test.y)
	}
	return nil
}

func both(key string, a affine, train, test compute.Matrix) error {
	if a.bad > 0 {
		return optionErrorf(key, "the values of column %d are too far apart or too close together: rescale it in the file", a.bad)
	}
	a.apply(train)
	a.apply(test)
	return nil
}
