package transforms

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"repro/algos/compute"
)

// cloud returns n rows of d correlated numbers of decreasing spread about a mean far from zero.
func cloud(n, d int, offset float64) InMemory {
	s := InMemory{compute.NewMatrix(n, d), compute.NewMatrix(n, 1)}
	for i := range n {
		g := compute.NewStream(5, "cloud", uint64(i))
		row, last := s.X.Row(i), 0.0
		for j := range row {
			last = 0.3*last + g.Normal()/float64(j+1)
			row[j] = last + offset
		}
	}
	return s
}

func fitted(t *testing.T, o PCAOptions, s Samples) *PCA {
	t.Helper()
	p, err := FitPCA(context.Background(), s, o)
	require.NoError(t, err)
	return p
}

// gonum's stat.PC finds the components by a singular value decomposition of the centred rows.
func TestPCAIsThatOfGonum(t *testing.T) {
	const n, d, k = 2500, 12, 4 // three pieces, the last one not full
	s := cloud(n, d, 10)
	p := fitted(t, PCAOptions{Components: k}, s)
	var pc stat.PC
	require.True(t, pc.PrincipalComponents(mat.NewDense(n, d, s.X.Data), nil))
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
	p.Apply(x, s.X, compute.NewEngine(compute.Options{}))
	for c := range k {
		column := column(x, c)
		mean, variance := stat.MeanVariance(column, nil)
		assert.InDelta(t, 0, mean, 1e-11)
		// of n - 1 degrees of freedom, as pc's
		assert.InEpsilon(t, pc.VarsTo(nil)[c], variance, 1e-10)
	}
}

func TestUncentred(t *testing.T) {
	const n, d = 300, 6
	s := cloud(n, d, 2)
	p := fitted(t, PCAOptions{Components: 3, Uncentred: true}, s)
	assert.Nil(t, p.offset)
	var svd mat.SVD
	require.True(t, svd.Factorize(mat.NewDense(n, d, s.X.Data), mat.SVDThin))
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
	near, far := fitted(t, PCAOptions{Components: 3}, cloud(1500, 8, 0)), fitted(t, PCAOptions{Components: 3}, cloud(1500, 8, 1e6))
	// adding 1e6 rounds the rows themselves to 1e-10
	assert.InDeltaSlice(t, near.basis.Data, far.basis.Data, 1e-8)
}

func TestPCARows(t *testing.T) {
	s := cloud(3000, 5, 1)
	all, some := fitted(t, PCAOptions{Components: 2}, s), fitted(t, PCAOptions{Components: 2, Rows: 500}, s)
	assert.NotEqual(t, all.basis, some.basis)
	// The spreads are 1, 1/2, …: the first direction of 500 rows is within a few 1/√500 of that of all.
	assert.InDeltaSlice(t, column(all.basis, 0), column(some.basis, 0), 0.15)
	assert.Equal(t, some, fitted(t, PCAOptions{Components: 2, Rows: 500}, s))
	assert.NotEqual(t, all.basis, fitted(t, PCAOptions{Components: 2, Rows: 2999}, s).basis)
	drawn := Subset{Samples: s, Rows: sampleRows(3000, 500, compute.NewStream(0, "pca", 0))}
	assert.InDeltaSlice(t, fitted(t, PCAOptions{Components: 2}, drawn).basis.Data, some.basis.Data, 1e-11, "drawn for the purpose, and shifted otherwise")
	assert.NotEqual(t, some.basis, fitted(t, PCAOptions{Components: 2, Rows: 500, Seed: 1}, s).basis)
}

func column(m compute.Matrix, j int) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.At(i, j)
	}
	return v
}

// Two columns that are always opposite have entries of equal magnitude in the first component. Rounding errors in the rows do not
// decide which of them is positive.
func TestPCAOfOppositeColumns(t *testing.T) {
	const n = 200
	for seed := range uint64(20) {
		s, g := InMemory{compute.NewMatrix(n, 3), compute.NewMatrix(n, 1)}, compute.NewStream(seed, "opposite", 0)
		for i := range n {
			row := s.X.Row(i)
			row[0] = float64(g.IntN(2))
			row[1], row[2] = 1-row[0], g.Normal()/10
			row[0] *= 1 + 1e-15*g.Normal()
			row[1] *= 1 + 1e-15*g.Normal()
		}
		p := fitted(t, PCAOptions{Components: 1}, s)
		assert.InDelta(t, math.Sqrt(0.5), p.basis.At(0, 0), 1e-2)
		assert.InDelta(t, -math.Sqrt(0.5), p.basis.At(1, 0), 1e-2)
	}
}
