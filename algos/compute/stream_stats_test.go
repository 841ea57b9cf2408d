package compute

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The tests of this file are statistical with fixed seeds. A right generator fails one of their
// assertions with the probability falseAlarm, so that the file as a whole, about 60 assertions,
// would fail for one choice of seeds in 10⁴.
const falseAlarm = 1e-6

// deviations is the number of standard deviations that a normal variate exceeds, on either side,
// with probability falseAlarm: 4.9.
var deviations = distuv.UnitNormal.Quantile(1 - falseAlarm/2)

// chiSquared returns Σ (o-e)²/e for equal expectations and its critical value.
func chiSquared(counts []int) (value, critical float64) {
	total := 0
	for _, c := range counts {
		total += c
	}
	e := float64(total) / float64(len(counts))
	for _, c := range counts {
		value += (float64(c) - e) * (float64(c) - e) / e
	}
	return value, distuv.ChiSquared{K: float64(len(counts) - 1)}.Quantile(1 - falseAlarm)
}

// kolmogorov returns √n·sup|F_n - F| and its critical value, the solution of 2exp(-2c²) = falseAlarm.
func kolmogorov(x []float64, cdf func(float64) float64) (value, critical float64) {
	x = slices.Clone(x)
	slices.Sort(x)
	n := float64(len(x))
	for i, v := range x {
		f := cdf(v)
		value = max(value, f-float64(i)/n, float64(i+1)/n-f)
	}
	return value * math.Sqrt(n), math.Sqrt(math.Log(2/falseAlarm) / 2)
}

func uniform(u float64) float64 { return u }

func TestPermIsUniform(t *testing.T) {
	counts := make([]int, 256)
	for i := range uint64(24000) {
		code := 0
		for _, v := range NewStream(1, "perm", i).Perm(4) {
			code = code<<2 | v
		}
		counts[code]++
	}
	counts = slices.DeleteFunc(counts, func(c int) bool { return c == 0 })
	assert.Len(t, counts, 24, "permutations of four")
	value, critical := chiSquared(counts)
	assert.Less(t, value, critical)
}

func TestIntNIsUnbiased(t *testing.T) {
	for _, n := range []int{3, 10, 255} {
		s, counts := NewStream(1, "ints", uint64(n)), make([]int, n)
		for range 300 * n {
			counts[s.IntN(n)]++
		}
		value, critical := chiSquared(counts)
		assert.Less(t, value, critical, "IntN(%d)", n)
	}

	// Without rejection, 2⁶⁴ values on 3·2⁶¹ would give the residues modulo 3 the weights 3 : 3 : 2.
	s, counts := NewStream(1, "ints", 0), make([]int, 3)
	for range 30000 {
		counts[s.IntN(3<<61)%3]++
	}
	value, critical := chiSquared(counts)
	assert.Less(t, value, critical, "IntN(3·2⁶¹)")
}

func TestUniforms(t *testing.T) {
	const n = 200000
	s := NewStream(1, "uniform", 0)
	u := make([]float64, n)
	for i := range u {
		u[i] = s.Float64()
	}
	value, critical := kolmogorov(u, uniform)
	assert.Less(t, value, critical, "Float64")

	phases, row := make([]float64, n/4), make([]float64, 2)
	for i := range phases {
		phases[i] = s.Row(i, row)
	}
	value, critical = kolmogorov(phases, uniform)
	assert.Less(t, value, critical, "phases of Row")
}

func TestNormalDistribution(t *testing.T) {
	const n = 200000
	one, pairs := make([]float64, n), make([]float64, n)
	s, r := NewStream(1, "normal", 0), NewStream(1, "normal rows", 0)
	for i := range one {
		one[i] = s.Normal()
	}
	for i := range n / 4 {
		r.Row(i, pairs[4*i:4*i+4])
	}
	for name, x := range map[string][]float64{"Normal": one, "Row": pairs} {
		t.Run(name, func(t *testing.T) {
			var moments [4]float64
			for _, v := range x {
				moments[0] += v / n
				moments[1] += v * v / n
				moments[2] += v * v * v / n
				moments[3] += v * v * v * v / n
			}
			// E z^k = 0, 1, 0, 3 with variances 1, 3-1, 15 and 105-9.
			for k, want := range []float64{0, 1, 0, 3} {
				sd := math.Sqrt([]float64{1, 2, 15, 96}[k] / n)
				assert.InDelta(t, want, moments[k], deviations*sd, "moment %d", k+1)
			}

			value, critical := kolmogorov(x, distuv.UnitNormal.CDF)
			assert.Less(t, value, critical, "Kolmogorov-Smirnov")

			// Counts in the tails are binomial; beyond 4 they are small and the bound generous.
			for _, z := range []float64{1, 2, 3, 3.5, 4} {
				p := distuv.UnitNormal.Survival(z)
				below, above := 0.0, 0.0
				for _, v := range x {
					if v < -z {
						below++
					}
					if v > z {
						above++
					}
				}
				tol := deviations*math.Sqrt(n*p) + 5
				assert.InDelta(t, n*p, below, tol, "below -%v", z)
				assert.InDelta(t, n*p, above, tol, "above %v", z)
			}
			assert.LessOrEqual(t, slices.Max(x), 6.77)
			assert.GreaterOrEqual(t, slices.Min(x), -6.77)
		})
	}
}

// TestStreamsAreUncorrelated compares streams that differ in one part of their name only, a stream
// with itself one value later, and the two normals of a pair.
func TestStreamsAreUncorrelated(t *testing.T) {
	const n = 100000
	values := func(s *Stream) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = s.Float64()
		}
		return x
	}
	base := values(NewStream(1, "a", 0))
	first, second, squares, row := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 2)
	s := NewStream(1, "pairs", 0)
	for i := range first {
		s.Row(i, row)
		first[i], second[i], squares[i] = row[0], row[1], row[1]*row[1]
	}
	for name, pair := range map[string][2][]float64{
		"seed":              {base, values(NewStream(2, "a", 0))},
		"purpose":           {base, values(NewStream(1, "b", 0))},
		"next index":        {base, values(NewStream(1, "a", 1))},
		"distant index":     {base, values(NewStream(1, "a", 1<<33))},
		"next value":        {base[:n-1], base[1:]},
		"normals of a pair": {first, second},
		"squared normal":    {first, squares},
	} {
		// The correlation of n independent pairs has the standard deviation 1/√n.
		assert.InDelta(t, 0, stat.Correlation(pair[0], pair[1], nil), deviations/math.Sqrt(float64(len(pair[0]))), name)
	}
}
