package generators

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/datasets/transforms"
)

// open draws n training rows of a source, all if n is 0.
func open(t *testing.T, name string, seed uint64, n int) *datasets.Set {
	t.Helper()
	s, err := datasets.Describe(name)
	require.NoError(t, err)
	set, err := new(datasets.Library).Open(t.Context(), datasets.Options{Name: name, Train: n}, s.Task, seed, "")
	require.NoError(t, err)
	return set
}

func synthetic(t *testing.T, seed uint64) *datasets.Set { return open(t, "dai2014-synthetic", seed, 0) }

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestSyntheticGolden(t *testing.T) {
	x, y := transforms.Gather(synthetic(t, 1).Train, []int{0, 1, 2, 1<<20 - 1})
	assert.Equal(t, []float64{
		-0x1.fc8955aa508f2p+00, 0x1.f1d2bcfdf567cp+01, -0x1.ec3bbd4f6e7b8p+00, 0x1.d7afb5628ede8p+01,
		0x1.17ef218c46acap+02, 0x1.6ac73667bb138p-01, 0x1.69ae4053084ccp+01, 0x1.1b5d9b4cf86d8p+02,
	}, x.Data)
	assert.Equal(t, []float64{0x1.10a95d470a75dp-02, 0x1.186e614e9f03bp-02, 0x1.4302f584d42edp-03, 0x1.b1be03bbb74ecp-06}, y.Data)
}

func TestSyntheticRowsArePureFunctions(t *testing.T) {
	set := synthetic(t, 3)
	v := set.Train
	x, y := transforms.Gather(v, []int{7, 9, 7})
	assert.Equal(t, x.Row(0), x.Row(2))
	assert.Equal(t, y.Row(0), y.Row(2))
	one, _ := transforms.Gather(v, []int{9})
	assert.Equal(t, one.Row(0), x.Row(1))
	other, _ := transforms.Gather(synthetic(t, 4).Train, []int{9})
	assert.NotEqual(t, one.Row(0), other.Row(0), "seed")
	assert.NotEqual(t, one.Row(0), set.TestX.Row(9), "purpose")
	assert.Panics(t, func() { transforms.Gather(v, []int{v.Len()}) })
}

// The wave agrees with package math to a few units in the last place of quantities that are at most 1; the argument 0.5πr of math.Cos is itself rounded, which costs r/2 such units.
func TestRadialWave(t *testing.T) {
	for i := range 20000 {
		r := float64(i) * 0.0005 // beyond the corner of the domain, 7.07
		want := math.Cos(0.5*math.Pi*r) * math.Exp(-0.1*math.Pi*r)
		require.InDelta(t, want, radialWave(r), 3e-15, "r = %v", r)
	}
	assert.Equal(t, 1.0, radialWave(0))
}

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestHistogramsGolden(t *testing.T) {
	x, y := transforms.Gather(open(t, "histograms", 1, 64).Train, []int{5})
	assert.Equal(t, []float64{0, 0.0383733346574537, 0.2412788061800699, 0.14570198954154845}, x.Row(0)[:4])
	assert.Equal(t, 0.1414460332314956, y.At(0, 0))
}

// The bits of these rows must never change. The best classifier errs on as many rows as the notes say.
func TestSusyShape(t *testing.T) {
	x, y, _ := rowsOf(t, "susy-shape", 40000)
	assert.Equal(t, []float64{-1, 1, 0.45682531498015266}, append([]float64{y.At(0, 0), y.At(1, 0)}, x.Row(0)[17]))
	wrong, positive := 0.0, 0.0
	for i := range x.Rows {
		if overlap(x.Row(i))*y.At(i, 0) < 0 {
			wrong++
		}
		positive += (y.At(i, 0) + 1) / 2
	}
	assert.InDelta(t, 0.198, wrong/float64(x.Rows), 0.006, "three standard deviations")
	assert.InDelta(t, 0.5, positive/float64(x.Rows), 0.0075)
}
