package sources

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// water has its oxygen at the origin and hydrogens 1.8 Bohr away on two axes.
func water(t *testing.T) *molecule {
	t.Helper()
	charges, positions := make([]float64, atoms), make([]float64, 3*atoms)
	copy(charges, []float64{1, 8, 1})
	copy(positions, []float64{1.8, 0, 0, 0, 0, 0, 0, 1.8, 0})
	m, err := newMolecule(charges, positions)
	require.NoError(t, err)
	return m
}

func TestCoulombMatrix(t *testing.T) {
	m := water(t)
	oh, hh, o := 8/1.8, 1/math.Sqrt(2*1.8*1.8), math.Pow(8, 2.4)/2
	want := [][]float64{{0.5, oh, hh, 0}, {oh, o, oh, 0}, {hh, oh, 0.5, 0}, {0, 0, 0, 0}}
	for i, row := range want {
		for j, c := range row {
			assert.Equal(t, float32(c), m.entries[i*atoms+j], "entry %d, %d", i, j)
		}
		norm := math.Sqrt(row[0]*row[0] + row[1]*row[1] + row[2]*row[2])
		assert.InDelta(t, norm, m.norms[i], 1e-5, "entries are rounded to 2⁻²⁴ of at most 74")
	}
}

// The rows of a realisation are those of the matrix in another order, and each order is as likely as its
// noise says: the hydrogens of water have equal norms, so that either comes first half of the time.
func TestRealisations(t *testing.T) {
	m := water(t)
	const n = 2000
	var x [triangle]float64
	hydrogenFirst, paddingInFront := 0, 0
	for k := range n {
		m.realise(compute.NewStream(1, "order", uint64(k)), x[:])
		diagonal := []float64{x[0], x[atoms], x[2*atoms-1]}
		require.Equal(t, float64(m.entries[atoms+1]), diagonal[0], "oxygen is 69 noises ahead")
		sum := 0.0
		for i, v := range x {
			sum += v
			if i == 1 && v == float64(m.entries[1]) && diagonal[1] == 0.5 {
				hydrogenFirst++
			}
		}
		require.InDelta(t, m.entries[0]+m.entries[atoms+1]+m.entries[2*atoms+2]+2*m.entries[1]+m.entries[2], sum, 1e-4)
		if diagonal[1] == 0 {
			paddingInFront++
		}
	}
	// The norm of a hydrogen is 4.49, and the largest noise of 20 rows of padding exceeds the larger of
	// two such norms with noise seldom: with probability 1.4e-3 by quadrature, 2.8 times of 2000.
	// More than 12 has probability 3e-5.
	assert.Less(t, paddingInFront, 12)
	assert.Greater(t, hydrogenFirst, n-12)
}

func TestStaircase(t *testing.T) {
	x := make([]float64, 60)
	for _, v := range []float64{0, 0.5, 1, 0.3, 19.999, 20, 53.36, 58.999, 59, 59.5, 400} {
		staircase(x, v)
		for k, got := range x {
			// twenty multiplications by e⁻² and a quotient; 1 where tanh differs from it by 2⁻⁵⁸
			assert.InDelta(t, math.Tanh(v-float64(k)), got, 1e-15, "tanh(%v - %d)", v, k)
		}
	}
	one := x[:1]
	staircase(one, 0)
	assert.Zero(t, one[0])
}

// What the rows are made of is fitted on training molecules: others may be as they like.
func TestStepsAreFittedOnTrainingMolecules(t *testing.T) {
	small, big := water(t), water(t)
	big.entries[atoms+1] = 500
	a := newCoulomb([]*molecule{small, small}, []int{0}, 1)
	b := newCoulomb([]*molecule{small, big}, []int{0}, 1)
	assert.Equal(t, a.steps, b.steps)
	assert.Equal(t, a.mean, b.mean)
	assert.Equal(t, a.scale, b.scale)
	// oxygen, 73.5, always comes first: thresholds 0 to 74
	assert.Equal(t, 75, a.steps[0])
	assert.Equal(t, 1, a.steps[triangle-1], "an entry that is always 0 has the threshold 0 alone")

	odd, rows := water(t), map[uint64][]float64{}
	odd.norms[0]++ // the first hydrogen comes before the second more often than not
	odd.entries[1], odd.entries[atoms] = 5, 5
	for seed := range uint64(2) {
		c, x := newCoulomb([]*molecule{odd}, []int{0}, seed), make([]float64, triangle)
		for k := range 20 {
			c.realise(0, k, x)
			rows[seed] = append(rows[seed], x[1])
		}
	}
	assert.NotEqual(t, rows[0], rows[1], "the orders are those of the seed")
}
