package transforms

import (
	"context"
	"math"

	"repro/algos/compute"
)

// A PCA projects on principal components: x ↦ Vᵀ(x - μ), V being the eigenvectors of the largest
// eigenvalues of the covariance (1/n) Σ (x_i - μ)(x_i - μ)ᵀ. Uncentred, μ is zero here and there:
// "PCA (without centering)" of dai2014 §7.4.
type PCA struct {
	basis  compute.Matrix // V, inputs × components
	offset []float64      // Vᵀμ, nil if uncentred
}

// Outputs implements Transform.
func (p *PCA) Outputs(int) int { return p.basis.Cols }

// InPlace implements Transform.
func (p *PCA) InPlace() bool { return false }

// Apply implements Transform.
func (p *PCA) Apply(dst, src compute.Matrix, e *compute.Engine) {
	e.Gemm(dst, 1, src, false, p.basis, false, 0)
	for i := range dst.Rows {
		row := dst.Row(i)
		for j, v := range p.offset {
			row[j] -= v
		}
	}
}

// PCAOptions say which components FitPCA finds.
type PCAOptions struct {
	Components int
	Rows       int    // of the training rows, a random number of this many; 0 for all
	Uncentred  bool   // components about zero instead of the mean
	Seed       uint64 // of the choice of rows
}

// FitPCA finds the components of training rows. It passes over the rows once, or over a random part
// of them; its memory is quadratic in the number of inputs and does not depend on the number of rows.
func FitPCA(ctx context.Context, train Samples, o PCAOptions) (*PCA, error) {
	in, _ := train.Dims()
	n, rows := train.Len(), []int(nil)
	if o.Rows > 0 && o.Rows < n {
		n, rows = o.Rows, sampleRows(n, o.Rows, compute.NewStream(o.Seed, "pca", 0))
	}
	if o.Components > min(in, n) {
		return nil, fitErrorf("%d components of %d rows with %d inputs: there are at most %d", o.Components, n, in, min(in, n))
	}
	m, err := momentsOf(ctx, train, rows, o.Uncentred, o.Seed)
	if err != nil {
		return nil, err
	}
	basis, err := m.components(o.Components)
	if err != nil {
		return nil, err
	}
	p := &PCA{basis: basis}
	if !o.Uncentred {
		mean := compute.Matrix{Rows: 1, Cols: in, Stride: in, Data: m.mean}
		p.offset = compute.NewEngine(compute.Options{}).Mul(mean, basis, false).Data
	}
	return p, nil
}

// PCABytes returns the memory in bytes that FitPCA takes for rows with in inputs. It holds scanRows rows, as many differences from
// the shift, the covariance, and what its eigenvectors take.
func PCABytes(in int) float64 { return 8 * float64(in) * float64(2*scanRows+4*in) }

// moments are the mean and the covariance of rows; uncentred, the mean is zero and the covariance
// the mean of xxᵀ.
type moments struct {
	mean       []float64
	covariance compute.Matrix
}

// shiftRows is how many rows the shift is the mean of that keeps the covariance from cancelling: with
// so many it is off the mean by a few hundredths of a standard deviation.
const shiftRows = 1024

// momentsOf adds up (x - s)(x - s)ᵀ and x - s over the rows, all if rows is nil. The shift s is the
// mean of a random few of them, from which covariance and mean follow without harmful cancellation.
func momentsOf(ctx context.Context, train Samples, rows []int, uncentred bool, seed uint64) (*moments, error) {
	in, _ := train.Dims()
	shift := make([]float64, in)
	if !uncentred {
		some := sampleRows(train.Len(), shiftRows, compute.NewStream(seed, "pca shift", 0))
		if err := scan(ctx, train, some, func(x compute.Matrix) { addRows(shift, x, 1/float64(len(some))) }); err != nil {
			return nil, err
		}
	}
	n := 0
	sum := make([]float64, in)
	products := compute.NewMatrix(in, in)
	engine := compute.NewEngine(compute.Options{})
	piece := compute.NewMatrix(scanRows, in)
	err := scan(ctx, train, rows, func(x compute.Matrix) {
		for lo := 0; lo < x.Rows; lo += scanRows {
			part := x.RowRange(lo, min(lo+scanRows, x.Rows))
			shifted := piece.RowRange(0, part.Rows)
			for i := range part.Rows {
				to := shifted.Row(i)
				for j, v := range part.Row(i) {
					to[j] = v - shift[j]
				}
			}
			addRows(sum, shifted, 1)
			engine.Syrk(products, 1, shifted, true, 1)
			n += part.Rows
		}
	})
	if err != nil {
		return nil, err
	}
	products.Scale(1 / float64(n))
	m := &moments{mean: make([]float64, in), covariance: products}
	if uncentred {
		return m, nil
	}
	for j := range sum {
		sum[j] /= float64(n)
		m.mean[j] = shift[j] + sum[j]
	}
	for i := range in {
		for j, v := range sum {
			products.Data[i*products.Stride+j] -= sum[i] * v
		}
	}
	return m, nil
}

// addRows adds the rows of x, times w, to sum.
func addRows(sum []float64, x compute.Matrix, w float64) {
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			sum[j] += v * w
		}
	}
}

// equalEntries is the relative difference up to which the magnitudes of two entries of an eigenvector count as equal. Those of a
// contrast of two categories differ by rounding errors only, which must not decide the sign.
const equalEntries = 1e-6

// components returns the eigenvectors of the k largest eigenvalues, the largest first. Their entry of
// largest magnitude, the first of equal ones, is positive, so that they are the same on every machine but for rounding.
func (m *moments) components(k int) (compute.Matrix, error) {
	if !m.covariance.Finite() {
		return compute.Matrix{}, fitErrorf("the squares of the inputs are beyond the range of float64: set scale")
	}
	d := m.covariance.Rows
	_, basis, ok := compute.NewEngine(compute.Options{}).Syevd(m.covariance.Clone(), k)
	if !ok {
		return compute.Matrix{}, fitErrorf("the eigenvalues of the covariance were not found")
	}
	for c := range k {
		largest := 0.0
		for i := range d {
			if v := basis.At(i, c); math.Abs(v) > (1+equalEntries)*math.Abs(largest) {
				largest = v
			}
		}
		for i := range d {
			basis.Set(i, c, math.Copysign(1, largest)*basis.At(i, c))
		}
	}
	return basis, nil
}
