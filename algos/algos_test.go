package algos_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/algos/schedules"
)

func TestRows(t *testing.T) {
	x, y := [][]float64{{1, 2}, {3, 4}, {5, 6}}, [][]float64{{1}, {-1}, {2}}
	s, err := algos.Rows(x, y)
	require.NoError(t, err)
	in, out := s.Dims()
	assert.Equal(t, []int{3, 2, 1}, []int{s.Len(), in, out})
	x[2][0] = 99 // the rows were copied
	gx, gy := compute.NewMatrix(2, 2), compute.NewMatrix(2, 1)
	s.Gather([]int{2, 0}, gx, gy)
	assert.Equal(t, []float64{5, 6, 1, 2}, gx.Data)
	assert.Equal(t, []float64{2, 1}, gy.Data)

	for want, c := range map[string][2][][]float64{
		"algos: Rows: there are no rows":                                   {nil, nil},
		"algos: Rows: 1 rows of inputs, but 2 of targets":                  {{{1}}, {{1}, {2}}},
		"algos: Rows: row 1 has 2 inputs and 1 targets, row 0 has 1 and 1": {{{1}, {1, 2}}, {{1}, {2}}},
		"algos: Rows: row 2 has 1 inputs and 0 targets, row 0 has 1 and 1": {{{1}, {1}, {2}}, {{1}, {2}, {}}},
	} {
		_, err := algos.Rows(c[0], c[1])
		assert.EqualError(t, err, want)
	}
}

// Train starts the method and makes the given number of steps, fewer if the fit is done. It does not change the problem.
func TestTrain(t *testing.T) {
	step := &schedules.Constant{Gamma0: 0.5}
	a, p := &methods.NORMA{Batch: 4, Step: step}, algostest.Problem(30, losses.Square{})
	f := algostest.Start(t, a, p)
	algostest.Steps(t, f, 9)
	want := f.Model().Predict(algostest.Queries(3))
	without := *p
	without.Engine = nil
	for _, p := range []*algos.Problem{p, &without} {
		m, err := algos.Train(p, a, 9)
		require.NoError(t, err)
		assert.Equal(t, want, m.Predict(algostest.Queries(3)))
	}
	assert.Nil(t, without.Engine)

	_, err := algos.Train(&algos.Problem{}, &methods.KRR{}, 1)
	require.EqualError(t, err, "algos: Train: the problem needs training samples, a kernel and a loss")
	_, err = algos.Train(p, &methods.KRR{}, 1000)
	require.NoError(t, err)
	hinge := algostest.Problem(30, losses.Hinge{})
	_, err = algos.Train(hinge, &methods.KRR{}, 1)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	_, err = algos.Train(p, &methods.NORMA{Batch: 1, Step: &schedules.Constant{Gamma0: 1e9}}, 300)
	require.ErrorIs(t, err, algos.ErrDiverged)
}

func TestRegister(t *testing.T) {
	algos.Register[algos.Fit]("mine", "for a test", func() algos.Algorithm { return mine{} })
	assert.Contains(t, algos.Names(), "mine")
	assert.True(t, slices.IsSorted(algos.Names()))
	a, err := algos.New("mine")
	require.NoError(t, err)
	assert.Equal(t, mine{}, a)
	_, err = algos.New("mein")
	assert.EqualError(t, err, `unknown algorithm "mein"`)
	assert.Equal(t, "for a test", algos.Doc("mine"))
	assert.Empty(t, algos.Doc("mein"))
	assert.PanicsWithValue(t, "algos: nameless: a method needs a name, a line for lists and its defaults", func() { algos.Register[algos.Fit]("nameless", "", nil) })
	assert.PanicsWithValue(t, "algos: mine registered twice", func() { algos.Register[algos.Fit]("mine", "", nil) })
}

// mine is a method that solves nothing.
type mine struct{}

func (mine) Start(*algos.Problem) (algos.Fit, error) { return nil, errors.New("not today") }
