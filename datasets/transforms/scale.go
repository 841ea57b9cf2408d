package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repro/algos/compute"
)

// sameWidth is of a Transform that works in place.
type sameWidth struct{}

func (sameWidth) Outputs(in int) int { return in }
func (sameWidth) InPlace() bool      { return true }

// An Affine maps entry v of column j to base + (v - shift[j])·factor[j]. Columns that are constant on
// the rows it was fitted on have factor 0 and base 0.
type Affine struct {
	sameWidth
	shift, factor, base []float64
	bad                 int // a column, from 1, whose range overflows; 0 if there is none
}

// ZScore fits the map of columns of the inputs to mean 0 and (population) variance 1. The variance is about the mean, so the rows are passed
// twice: one pass for both would round otherwise.
func ZScore(ctx context.Context, s Samples) (Affine, error) {
	a, low, high, err := newAffine(ctx, s)
	if err != nil {
		return a, err
	}
	variance, n := make([]float64, len(low)), s.Len()
	err = scan(ctx, s, nil, func(m compute.Matrix) {
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
	return a, cmp.Or(err, a.check())
}

// MinMax fits the map of columns of the inputs to [lo, hi].
func MinMax(ctx context.Context, s Samples, lo, hi float64) (Affine, error) {
	a, low, high, err := newAffine(ctx, s)
	for j := range low {
		if low[j] < high[j] {
			a.shift[j], a.base[j] = low[j], lo
			a.setFactor(j, (hi-lo)/(high[j]-low[j]))
		} else {
			a.shift[j] = 0
		}
	}
	return a, cmp.Or(err, a.check())
}

func (a *Affine) setFactor(j int, f float64) {
	if a.factor[j] = f; !(f > 0) || math.IsInf(f, 0) {
		a.bad = j + 1
	}
}

// newAffine returns a map of columns to zero, shifted by the mean, and the smallest and largest entry of every column.
func newAffine(ctx context.Context, s Samples) (a Affine, low, high []float64, err error) {
	n := s.Len()
	err = scan(ctx, s, nil, func(m compute.Matrix) {
		if low == nil {
			low, high = slices.Clone(m.Row(0)), slices.Clone(m.Row(0))
			a = Affine{shift: make([]float64, m.Cols), factor: make([]float64, m.Cols), base: make([]float64, m.Cols)}
		}
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				low[j], high[j] = min(low[j], v), max(high[j], v)
				a.shift[j] += v / float64(n)
			}
		}
	})
	return a, low, high, err
}

// Apply implements Transform.
func (a Affine) Apply(dst, src compute.Matrix, _ *compute.Engine) {
	for i := range src.Rows {
		to := dst.Row(i)
		for j, v := range src.Row(i) {
			to[j] = a.base[j] + float64((v-a.shift[j])*a.factor[j])
		}
	}
}

// UnitNorm divides every row by its Euclidean norm. A zero row stays zero.
type UnitNorm struct{ sameWidth }

// Apply implements Transform.
func (UnitNorm) Apply(dst, src compute.Matrix, _ *compute.Engine) {
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

// A FitError says why a transform cannot be fitted to the rows.
type FitError struct{ Text string }

func (e *FitError) Error() string { return e.Text }

func fitErrorf(format string, args ...any) error { return &FitError{fmt.Sprintf(format, args...)} }

// Unit returns the size in column j of what became a difference of 1, 1 if the column is constant.
func (a Affine) Unit(j int) float64 {
	if f := a.factor[j]; f > 0 {
		return 1 / f
	}
	return 1
}

// check returns a *FitError if the values of a column cannot be scaled.
func (a Affine) check() error {
	if a.bad > 0 {
		return fitErrorf("the values of column %d are too far apart or too close together: rescale it in the file", a.bad)
	}
	return nil
}
