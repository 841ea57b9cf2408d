package datasets

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"repro/algos/compute"
)

// cloud returns n rows of d correlated numbers of decreasing spread about a mean far from zero.
func cloud(n, d int, offset float64) matrixSamples {
	s := matrixSamples{compute.NewMatrix(n, d), compute.NewMatrix(n, 1)}
	for i := range n {
		g := compute.NewStream(5, "cloud", uint64(i))
		row, last := s.x.Row(i), 0.0
		for j := range row {
			last = 0.3*last + g.Normal()/float64(j+1)
			row[j] = last + offset
		}
	}
	return s
}

func fitted(t *testing.T, o Options, s Samples) *pca {
	t.Helper()
	p, err := o.fitPCA(context.Background(), s)
	require.NoError(t, err)
	return p
}

// gonum's stat.PC finds the components by a singular value decomposition of the centred rows.
func TestPCAIsThatOfGonum(t *testing.T) {
	const n, d, k = 2500, 12, 4 // three pieces, the last one not full
	s := cloud(n, d, 10)
	p := fitted(t, Options{PCA: k}, s)
	var pc stat.PC
	require.True(t, pc.PrincipalComponents(mat.NewDense(n, d, s.x.Data), nil))
	var want mat.Dense
	pc.VectorsTo(&want)
	for c := range k {
		sign := 1.0
		if want.At(0, c)*p.basis.At(0, c) < 0 {
			sign = -1
		}
		for i := range d {
			// The eigenvalues are 1/c² and thereabouts, far apart, so both methods find the vectors
			// to a small multiple of n·2⁻⁵³.
			assert.InDelta(t, sign*want.At(i, c), p.basis.At(i, c), 1e-11)
		}
	}
	x := compute.NewMatrix(n, k)
	p.apply(x, s.x, compute.NewEngine(compute.Options{}))
	for c := range k {
		column := column(x, c)
		mean, variance := stat.MeanVariance(column, nil)
		assert.InDelta(t, 0, mean, 1e-11)
		// of n - 1 degrees of freedom, as pc's
		assert.InEpsilon(t, pc.VarsTo(nil)[c], variance, 1e-10)
	}
}

func TestPCAUncentred(t *testing.T) {
	const n, d = 300, 6
	s := cloud(n, d, 2)
	p := fitted(t, Options{PCA: 3, PCAUncentred: true}, s)
	assert.Nil(t, p.offset)
	var svd mat.SVD
	require.True(t, svd.Factorize(mat.NewDense(n, d, s.x.Data), mat.SVDThin))
	var v mat.Dense
	svd.VTo(&v)
	for c := range 3 {
		for i := range d {
			// squares of the singular values lose half the digits that these have
			assert.InDelta(t, math.Abs(v.At(i, c)), math.Abs(p.basis.At(i, c)), 1e-7)
		}
	}
	var sum float64
	for i := range d {
		sum += p.basis.At(i, 0)
	}
	assert.Greater(t, sum/math.Sqrt(d), 0.9, "the first component is the mean's direction, and its sign is positive")
}

// Far from zero the sums of squares agree in 12 of their 16 digits: without the shift nothing would be left.
func TestPCADoesNotCancel(t *testing.T) {
	near, far := fitted(t, Options{PCA: 3}, cloud(1500, 8, 0)), fitted(t, Options{PCA: 3}, cloud(1500, 8, 1e6))
	// adding 1e6 rounds the rows themselves to 1e-10
	assert.InDeltaSlice(t, near.basis.Data, far.basis.Data, 1e-8)
}

func TestPCARows(t *testing.T) {
	s := cloud(3000, 5, 1)
	all, some := fitted(t, Options{PCA: 2}, s), fitted(t, Options{PCA: 2, PCARows: 500}, s)
	assert.NotEqual(t, all.basis, some.basis)
	// The spreads are 1, 1/2, …: the first direction of 500 rows is within a few 1/√500 of that of all.
	assert.InDeltaSlice(t, column(all.basis, 0), column(some.basis, 0), 0.15)
	assert.Equal(t, some, fitted(t, Options{PCA: 2, PCARows: 500}, s))
	assert.NotEqual(t, some.basis, fitted(t, Options{PCA: 2, PCARows: 500, Seed: 1}, s).basis)
}

func TestPCAErrors(t *testing.T) {
	dir := filepath.Dir(write(t, "a.csv", "1,2,3,1\n4,5,6,1\n7,8,8,1\n1,1,1,1\n"))
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{PCA: 4}, "data.pca: 4 components of 3 rows with 3 inputs: there are at most 3"},
		{Options{PCA: 3, Train: 2}, "data.pca: 3 components of 2 rows with 3 inputs: there are at most 2"},
		{Options{PCA: -1}, "data.pca: neither it nor pca_rows may be negative"},
		{Options{PCAUncentred: true}, "data.pca_uncentred: it belongs to pca"},
		{Options{PCARows: 5}, "data.pca_rows: it belongs to pca"},
		{Options{PCA: 5, PCARows: 4}, "data.pca_rows: 4 rows do not tell 5 components"},
	} {
		c.o.File, c.o.TestRows = "a.csv", []int{4, 4}
		_, err := new(Library).Open(context.Background(), c.o, "", 1, dir)
		require.ErrorContains(t, err, c.want)
	}
	dir = filepath.Dir(write(t, "a.csv", "1e200,1,1\n-1e200,5,1\n1,2,1\n"))
	_, err := new(Library).Open(context.Background(), Options{File: "a.csv", TestRows: []int{3, 3}, PCA: 1}, "", 1, dir)
	require.ErrorContains(t, err, "beyond the range of float64: set scale")
}

// What a row becomes must depend on nothing but the row, whichever others are asked for with it.
func TestMappedRowsAreTheSameInAnyOrder(t *testing.T) {
	s := chosen{cloud(300, 70, 1), span(0, 300)}
	for _, o := range []Options{
		{Scale: "zscore"}, {Scale: "unit-norm"}, {Scale: "minmax"},
		{PCA: 5}, {PCA: 60}, {PCA: 70}, {PCA: 50, PCAUncentred: true, Scale: "unit-norm"},
	} {
		steps, err := o.fit(context.Background(), s)
		require.NoError(t, err)
		m := newMapped(s, steps)
		x, y := dense(m, span(0, 300))
		for _, rows := range [][]int{{7}, {299, 0, 150, 7}, span(40, 141)} {
			part, z := dense(m, rows)
			for k, i := range rows {
				require.Equal(t, x.Row(i), part.Row(k), "%+v", o)
				require.Equal(t, y.Row(i), z.Row(k))
			}
		}
	}
}

// Rows on demand are scaled to the bits of rows in memory, for the fit passes over them in the same order.
func TestMappedRowsAreThoseOfMemory(t *testing.T) {
	for _, o := range []Options{{Scale: "zscore"}, {Scale: "minmax", ScaleRange: [2]float64{-1, 1}, PCA: 3}} {
		here, lazy := new(Set), new(Set)
		require.NoError(t, o.finish(context.Background(), here, cloud(2000, 6, 3), cloud(50, 6, 3)))
		require.NoError(t, o.finish(context.Background(), lazy, chosen{cloud(2000, 6, 3), span(0, 2000)}, cloud(50, 6, 3)))
		require.IsType(t, &mapped{}, lazy.Train)
		want, _ := dense(here.Train, span(0, 2000))
		got, _ := dense(lazy.Train, span(0, 2000))
		assert.Equal(t, want, got)
		assert.Equal(t, here.TestX, lazy.TestX)
	}
}

func TestTransformsAreFittedOnTrainingRowsAlone(t *testing.T) {
	train := cloud(200, 4, 0)
	wild := cloud(50, 4, 0)
	wild.x.Scale(1e6)
	for _, o := range []Options{{Scale: "zscore", PCA: 2}, {Scale: "minmax"}} {
		a, b := new(Set), new(Set)
		require.NoError(t, o.finish(context.Background(), a, matrixSamples{train.x.Clone(), train.y}, cloud(50, 4, 0)))
		require.NoError(t, o.finish(context.Background(), b, matrixSamples{train.x.Clone(), train.y}, matrixSamples{wild.x.Clone(), wild.y}))
		assert.Equal(t, a.Train, b.Train)
	}
}

func TestTargetUnit(t *testing.T) {
	dir := filepath.Dir(write(t, "a.csv", "1,10\n2,30\n3,70\n"))
	o := Options{File: "a.csv", TestRows: []int{3, 3}}
	assert.Equal(t, 1., mustOpen(t, o, dir).TargetUnit)
	for scale, unit := range map[string]float64{"zscore": 10, "minmax": 20} {
		o.TargetScale = scale
		s := mustOpen(t, o, dir)
		_, y := dense(s.Train, []int{0})
		assert.Equal(t, unit, s.TargetUnit)
		assert.Equal(t, 60., (s.TestY.At(0, 0)-y.At(0, 0))*s.TargetUnit)
	}
}

func TestCancelledFit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, o := range []Options{{Scale: "zscore"}, {PCA: 1}} {
		err := o.finish(ctx, new(Set), chosen{cloud(10, 2, 0), span(0, 10)}, cloud(2, 2, 0))
		assert.ErrorIs(t, err, context.Canceled)
	}
}
