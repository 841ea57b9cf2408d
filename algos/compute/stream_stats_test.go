package compute

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/algos/compute/internal/simd"
)

// The tests of this file are statistical with fixed seeds. A right generator fails one of their
// assertions with the probability falseAlarm, so that the file as a whole, about 250 assertions,
// would fail for one choice of seeds in 4000.
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

// A sample is n features of a spectrum of scale 1 in three dimensions, drawn in panels.
type sample struct {
	components [3][]float64
	phases     []float64
}

const sampleWidth = 64 // features of a stream: a panel of 48 begins anywhere in one

func drawSample(s Spectrum, n int) sample {
	var x sample
	src := NewSource(1, "spectrum")
	panel, phase := make([]float64, 3*simd.Width), make([]float64, simd.Width)
	for first := 0; first < n; first += simd.Width {
		DrawPanel(s, src, first, sampleWidth, 3, panel, phase)
		for l := range x.components {
			x.components[l] = append(x.components[l], panel[l*simd.Width:][:simd.Width]...)
		}
		x.phases = append(x.phases, phase...)
	}
	return x
}

// spectra are the laws with the distribution of a component and the kernel of the frequencies; radial
// ones with that of the length of three components: ‖t‖²/3 has the F distribution of 3 and ν degrees, the
// length of three normals times √χ²_ν, for ν = 2 and 4 alone, the gamma distribution of 1 + ν/2. (A vector
// of three components with independent directions and density p of a component has the length's density
// -2rp'(r); here p is exp(-|t|)/2 and (1+|t|)exp(-|t|)/4.)
var spectra = []struct {
	name   string
	s      Spectrum
	cdf    func(float64) float64
	kernel func(d [3]float64) float64
	length func(float64) float64
}{
	{"normal", Spectrum{Law: Normal, Scale: 1}, distuv.UnitNormal.CDF,
		func(d [3]float64) float64 { return math.Exp(-euclid(d) * euclid(d) / 2) }, nil},
	{"cauchy", Spectrum{Law: Cauchy, Scale: 1}, func(x float64) float64 { return 0.5 + math.Atan(x)/math.Pi },
		func(d [3]float64) float64 { return math.Exp(-math.Abs(d[0]) - math.Abs(d[1]) - math.Abs(d[2])) }, nil},
	{"laplace", Spectrum{Law: Laplace, Scale: 1}, distuv.Laplace{Scale: 1}.CDF,
		func(d [3]float64) float64 { return 1 / ((1 + d[0]*d[0]) * (1 + d[1]*d[1]) * (1 + d[2]*d[2])) }, nil},
	{"sech", Spectrum{Law: Sech, Scale: 1}, func(x float64) float64 { return 2 / math.Pi * math.Atan(math.Exp(math.Pi*x/2)) },
		func(d [3]float64) float64 { return 1 / (math.Cosh(d[0]) * math.Cosh(d[1]) * math.Cosh(d[2])) }, nil},
	{"t1", Spectrum{Law: StudentT, Scale: 1, Freedom: 1}, distuv.StudentsT{Sigma: 1, Nu: 1}.CDF,
		func(d [3]float64) float64 { return math.Exp(-euclid(d)) }, studentLength(1)},
	{"t3", Spectrum{Law: StudentT, Scale: 1, Freedom: 3}, distuv.StudentsT{Sigma: 1, Nu: 3}.CDF,
		func(d [3]float64) float64 { r := math.Sqrt(3) * euclid(d); return (1 + r) * math.Exp(-r) }, studentLength(3)},
	{"t5", Spectrum{Law: StudentT, Scale: 1, Freedom: 5}, distuv.StudentsT{Sigma: 1, Nu: 5}.CDF,
		func(d [3]float64) float64 { r := math.Sqrt(5) * euclid(d); return (1 + r + r*r/3) * math.Exp(-r) }, studentLength(5)},
	{"scaled2", Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 2}, distuv.Laplace{Scale: 1}.CDF,
		func(d [3]float64) float64 { return 1 / (1 + euclid(d)*euclid(d)) }, distuv.Gamma{Alpha: 2, Beta: 1}.CDF},
	{"scaled4", Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 4}, func(x float64) float64 {
		below := math.Exp(-math.Abs(x)) * (2 + math.Abs(x)) / 4 // -|x|
		if x < 0 {
			return below
		}
		return 1 - below
	}, func(d [3]float64) float64 { return math.Pow(1+euclid(d)*euclid(d), -2) }, distuv.Gamma{Alpha: 3, Beta: 1}.CDF},
}

func studentLength(freedom float64) func(float64) float64 {
	return func(r float64) float64 { return distuv.F{D1: 3, D2: freedom}.CDF(r * r / 3) }
}

func euclid(d [3]float64) float64 { return math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) }

func TestSpectrumDistributions(t *testing.T) {
	const n = 60000
	for _, c := range spectra {
		t.Run(c.name, func(t *testing.T) {
			x := drawSample(c.s, n)
			for l, v := range x.components {
				value, critical := kolmogorov(v, c.cdf)
				assert.Less(t, value, critical, "component %d", l)
			}
			value, critical := kolmogorov(x.phases, uniform)
			assert.Less(t, value, critical, "phases")

			// Counts in the tails are binomial; the allowance of 5 is for small expectations.
			for _, z := range []float64{3, 10, 100, 1000} {
				p, beyond := 2*c.cdf(-z), 0.0
				for _, v := range x.components[0] {
					if math.Abs(v) > z {
						beyond++
					}
				}
				assert.InDelta(t, n*p, beyond, deviations*math.Sqrt(n*p)+5, "beyond ±%v", z)
			}
		})
	}
}

// TestSpectrumKernels checks that the mean of cos(ω·δ) is the kernel of the law. The variance of one
// cosine is (1 + k(2δ))/2 - k(δ)².
func TestSpectrumKernels(t *testing.T) {
	const n = 60000
	for _, c := range spectra {
		x := drawSample(c.s, n)
		for _, d := range [][3]float64{{0.1, 0, 0}, {0, 0.5, 0.5}, {0.4, -0.3, 0.8}, {1, 1, -1}} {
			mean := 0.0
			for f, m := 0, float64(len(x.phases)); f < len(x.phases); f++ {
				mean += math.Cos(d[0]*x.components[0][f]+d[1]*x.components[1][f]+d[2]*x.components[2][f]) / m
			}
			k, double := c.kernel(d), c.kernel([3]float64{2 * d[0], 2 * d[1], 2 * d[2]})
			assert.InDelta(t, k, mean, deviations*math.Sqrt(((1+double)/2-k*k)/n), "%s at %v", c.name, d)
		}
	}
}

func TestSpectrumLengths(t *testing.T) {
	for _, c := range spectra {
		if c.length == nil {
			continue
		}
		x := drawSample(c.s, 20000)
		r := make([]float64, len(x.phases))
		for f := range r {
			r[f] = euclid([3]float64{x.components[0][f], x.components[1][f], x.components[2][f]})
		}
		value, critical := kolmogorov(r, c.length)
		assert.Less(t, value, critical, c.name)
	}
}

func TestLaplaceMoments(t *testing.T) {
	const n = 60000
	x := drawSample(Spectrum{Law: Laplace, Scale: 1}, n).components[0]
	var mean, size, square float64
	for _, v := range x {
		mean += v / n
		size += math.Abs(v) / n
		square += v * v / n
	}
	// x, |x| and x² have the means 0, 1 and 2 and the variances 2, 2-1 and 24-4.
	assert.InDelta(t, 0, mean, deviations*math.Sqrt(2./n), "E x")
	assert.InDelta(t, 1, size, deviations*math.Sqrt(1./n), "E |x|")
	assert.InDelta(t, 2, square, deviations*math.Sqrt(20./n), "E x²")
}

// TestFeaturesAreUncorrelated compares neighbours: components of a feature, features of a stream, and
// streams. Variates enter as their values of the distribution function, which have moments.
func TestFeaturesAreUncorrelated(t *testing.T) {
	const n = 40000
	for _, c := range spectra {
		x := drawSample(c.s, n)
		var u, size [3][]float64
		for l, v := range x.components {
			for _, v := range v {
				p := c.cdf(v)
				u[l], size[l] = append(u[l], p), append(size[l], math.Abs(p-0.5))
			}
		}
		pairs := map[string][2][]float64{
			"components":              {u[0], u[1]},
			"components of two pairs": {u[1], u[2]},
			"component and phase":     {u[2], x.phases},
			"size and phase":          {size[2], x.phases},
			"next feature":            {u[0][1:], u[0][:len(u[0])-1]},
			"next stream":             {u[1][sampleWidth:], u[1][:len(u[1])-sampleWidth]},
			"size, next feature":      {size[0][1:], size[0][:len(u[0])-1]},
			"size, next stream":       {size[1][sampleWidth:], size[1][:len(u[1])-sampleWidth]},
			"next feature's phase":    {x.phases[1:], x.phases[:len(x.phases)-1]},
		}
		if !c.s.radial() { // components that share no factor
			pairs["sizes"] = [2][]float64{size[0], size[1]}
			pairs["sizes of two pairs"] = [2][]float64{size[1], size[2]}
		}
		for name, pair := range pairs {
			// The correlation of n independent pairs has the standard deviation 1/√n. Uniforms that
			// share their size but not their sign have √1.8/√n, for E(u-1/2)⁴ = 1.8·(1/12)².
			tol := deviations * math.Sqrt(1.8/n)
			if !c.s.radial() {
				tol = deviations / math.Sqrt(n)
			}
			assert.InDelta(t, 0, stat.Correlation(pair[0], pair[1], nil), tol, "%s: %s", c.name, name)
		}
	}
}
