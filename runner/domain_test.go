package runner

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
)

// rowsOnly are samples of a matrix that fail the test if read when they need not be.
type rowsOnly struct {
	t    *testing.T
	x    compute.Matrix
	read bool
}

func (s rowsOnly) Len() int            { return s.x.Rows }
func (s rowsOnly) Dims() (in, out int) { return s.x.Cols, 1 }

func (s rowsOnly) Gather(rows []int, x, _ compute.Matrix) {
	require.True(s.t, s.read, "data is read for a kernel that is defined everywhere")
	for k, i := range rows {
		copy(x.Row(k), s.x.Row(i))
	}
}

func TestDomain(t *testing.T) {
	const n = 3000
	ones := func(rows int) compute.Matrix {
		m := compute.NewMatrix(rows, 3)
		for i := range m.Data {
			m.Data[i] = 1
		}
		return m
	}
	for name, c := range map[string]struct {
		kernel      kernels.Kernel
		train, test func(m compute.Matrix)
		want        string
	}{
		"inside":       {kernels.Hellinger{}, nil, nil, ""},
		"everywhere":   {kernels.Gaussian{Sigma: 1}, func(m compute.Matrix) { m.Set(7, 1, -1) }, nil, ""},
		"training":     {kernels.ChiSquared{}, func(m compute.Matrix) { m.Set(2047, 1, -0.5) }, nil, "kernel chi-squared: data set bags, training row 2048, input 2: -0.5, which must be >= 0; choose another kernel or other data.scale"},
		"test":         {kernels.SkewedIntersection{C: 0.25}, nil, func(m compute.Matrix) { m.Set(4, 2, -0.25) }, "kernel skewed-intersection: data set bags, test row 5, input 3: -0.25, which must be > -0.25; choose another kernel or other data.scale"},
		"not a number": {kernels.Intersection{}, func(m compute.Matrix) { m.Set(0, 0, math.NaN()) }, nil, "kernel intersection: data set bags, training row 1, input 1: NaN, which must be >= 0; choose another kernel or other data.scale"},
		"whole row":    {kernels.ArcCosine{}, func(m compute.Matrix) { clear(m.Row(n - 1)) }, nil, "kernel arc-cosine: data set bags, training row 3000: the inputs must be not 0 in every component; choose another kernel or leave out the row"},
	} {
		t.Run(name, func(t *testing.T) {
			train, test := ones(n), ones(10)
			if c.train != nil {
				c.train(train)
			}
			if c.test != nil {
				c.test(test)
			}
			err := inDomain(c.kernel, &datasets.Set{Name: "bags", Train: rowsOnly{t, train, name != "everywhere"}, TestX: test})
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, c.want)
		})
	}
}
