package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// chiSquared draws a χ² variable.
func chiSquared(r *rand.Rand, freedom int) float64 {
	sum := 0.0
	for range freedom {
		z := r.NormFloat64()
		sum += z * z
	}
	return sum
}

const draws = 400_000

// quantiles returns those at the ends of an interval at Level.
func quantiles(draw func() float64) (low, high float64) {
	v := make([]float64, draws)
	for i := range v {
		v[i] = draw()
	}
	return Quantile(v, (1-Level)/2), Quantile(v, (1+Level)/2)
}

// The interval of a lognormal mean is that of draws of the generalized pivot, mean + Z·S/√n + S²/2 with S² = sd²(n−1)/χ². The
// quantiles of 400,000 draws have an error of about 0.005 standard deviations.
func TestLognormalMeanIsThePivot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 5, 20} {
		for _, sd := range []float64{0.1, 1.3} {
			wantLow, wantHigh := quantiles(func() float64 {
				s := sd * math.Sqrt(float64(n-1)/chiSquared(r, n-1))
				return r.NormFloat64()*s/math.Sqrt(float64(n)) + s*s/2
			})
			low, high := lognormalMean(sd, n, math.Inf(1), Level)
			assert.InEpsilon(t, wantLow, low, 0.03)
			assert.InEpsilon(t, wantHigh, high, 0.03)
			half := quantile(n, Level) * sd * math.Sqrt(1/float64(n)+1)
			low, high = lognormalMean(sd, n, 1, Level)
			assert.InDeltaSlice(t, []float64{-half, half}, []float64{low, high}, 1e-3*half, "of one value, Student's")
		}
	}
}

// The interval of the slope of a mean is that of draws of mean and covariances given those of lines: if the sums of squares and
// products are CC' and a Wishart matrix of the identity is AA', both factors lower triangular, the covariances are drawn as KK' with
// K = CA'^-1 [Anderson 2003, sec. 7.2], where the first row is of slopes.
func TestSlopeOfMeanIsThePivot(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(3, 4))
	xs := []float64{1, math.E, math.Exp(2), math.Exp(3), math.Exp(4)} // centred at 2
	var curves [][]float64
	var slopes, heights [n]float64
	var mean [2]float64
	for i := range n {
		slopes[i], heights[i] = -1+0.1*r.NormFloat64(), r.NormFloat64()
		mean[0], mean[1] = mean[0]+slopes[i]/n, mean[1]+heights[i]/n
		var y []float64
		for _, x := range xs {
			y = append(y, math.Exp(heights[i]+slopes[i]*(math.Log(x)-2)))
		}
		curves = append(curves, y)
	}
	var b, h, p float64
	for i := range n {
		d, e := slopes[i]-mean[0], heights[i]-mean[1]
		b, h, p = b+d*d, h+e*e, p+d*e
	}
	wantLow, wantHigh := quantiles(func() float64 {
		a11, a22, a21 := math.Sqrt(chiSquared(r, n-2)), math.Sqrt(chiSquared(r, n-1)), r.NormFloat64()
		k11 := math.Sqrt(b) / a22
		k21 := p/math.Sqrt(b)/a22 - math.Sqrt(h-p*p/b)*a21/(a11*a22)
		return mean[0] + k11*r.NormFloat64()/math.Sqrt(n) + k11*k21
	})
	low, high := PowerLaw.lognormalSlope(xs, curves, "mean")
	assert.InDelta(t, wantLow, low, 0.03*(high-low))
	assert.InDelta(t, wantHigh, high, 0.03*(high-low))
}

// The interval of the slope of a quantile is Student's of the pseudo-values of the jackknife: n times the slope of all seeds minus
// n−1 times that without one.
func TestSlopeOfQuantileIsTheJackknife(t *testing.T) {
	xs := []float64{1, math.E, math.Exp(2)} // of equal weights
	logs := [][]float64{{0, -1, -2}, {1, -0.5, -1.7}, {-0.3, -1.1, -2.9}, {0.4, -0.2, -2.2}}
	curves := make([][]float64, len(logs))
	for i, l := range logs {
		for _, v := range l {
			curves[i] = append(curves[i], math.Exp(v))
		}
	}
	z := distuv.UnitNormal.Quantile(0.9)
	slope := func(logs [][]float64) float64 {
		at := func(j int) float64 {
			var column []float64
			for _, l := range logs {
				column = append(column, l[j])
			}
			mean, sd := stat.MeanStdDev(column, nil)
			return mean + z*sd
		}
		return (at(2) - at(0)) / 2
	}
	var pseudo []float64
	for i := range logs {
		pseudo = append(pseudo, 4*slope(logs)-3*slope(slices.Delete(slices.Clone(logs), i, i+1)))
	}
	want := MeanInterval(pseudo)
	low, high := PowerLaw.lognormalSlope(xs, curves, "q90")
	assert.InDeltaSlice(t, []float64{want.Low, want.High}, []float64{low, high}, 1e-9)
}

func TestScales(t *testing.T) {
	s, ok := scaled(LogScale, 0, 0.1, []float64{0, 1})
	assert.True(t, ok)
	assert.InDelta(t, math.Log(0.05)/2, s.Mean, 1e-12, "zero is half a step")
	s, ok = scaled(RootScale, 10, 0, []float64{2, 9})
	assert.True(t, ok)
	assert.InDelta(t, 1.5, s.Mean, 1e-12, "8 and 1 below the top")
	_, ok = scaled(LogScale, 1, 0, []float64{0.5, 1})
	assert.False(t, ok)

	uniform := 1.2 / math.Sqrt(12)
	assert.InDelta(t, uniform/12, Scale{Of: RootScale, Mean: 2}.rounded(1.2).SD, 1e-12, "around 8 = 2³, of slope 12")
	assert.InDelta(t, math.Hypot(uniform/5, 0.3), Scale{Of: LogScale, Mean: math.Log(5), SD: 0.3}.rounded(1.2).SD, 1e-12)

	half := 2.776445 * 0.3 * math.Sqrt(1.2) // Student's t with 4 degrees of freedom
	low, high, ok := Scale{Of: RootScale, Mean: 2, SD: 0.3}.next(1, 5, Level)
	assert.True(t, ok)
	assert.InDeltaSlice(t, []float64{math.Pow(2-half, 3), math.Pow(2+half, 3)}, []float64{low, high}, 1e-5)
	low, high, _ = Scale{Of: RootScale, Top: 100, Mean: 2, SD: 0.3}.next(1, 5, Level)
	assert.InDeltaSlice(t, []float64{100 - math.Pow(2+half, 3), 100 - math.Pow(2-half, 3)}, []float64{low, high}, 1e-5)
	low, high, _ = Scale{Of: LogScale, Mean: 2, SD: 0.3}.next(1, 5, Level)
	assert.InDeltaSlice(t, []float64{math.Exp(2 - half), math.Exp(2 + half)}, []float64{low, high}, 1e-5)
	low, _, _ = Scale{Of: RootScale, Mean: 0.2, SD: 0.3}.next(1, 5, Level)
	assert.Zero(t, low, "no cube root is negative")
	wide := 4.604095 / 2.776445 * half // at 99 %
	_, high, _ = Scale{Of: RootScale, Mean: 2, SD: 0.3}.next(1, 5, 0.99)
	assert.InDelta(t, math.Pow(2+wide, 3), high, 1e-4)
	below, above := lognormalMean(0.3, 5, 3, 0.99)
	low, high, _ = Scale{Of: LogScale, Mean: 2, SD: 0.3}.next(3, 5, 0.99)
	assert.Equal(t, [2]float64{math.Exp(2 + below), math.Exp(2 + above)}, [2]float64{low, high})
	_, _, ok = Scale{Of: RootScale, Mean: 2, SD: 0.3}.next(3, 5, Level)
	assert.False(t, ok, "a mean of cubes is no cube")
	for _, k := range []float64{1, 3} {
		_, _, ok = Scale{Of: LogScale, Mean: 2}.next(k, 5, Level)
		assert.False(t, ok, "values that agree have no spread on any scale")
	}
}

// Guarded intervals hold the one of Student's t and, on each scale, the one of the values there.
func TestGuardedHoldsAll(t *testing.T) {
	v := []float64{0.1, 0.2, 0.7}
	e, mirror := MeanInterval(v).Guarded(1, 0), MeanInterval([]float64{0.9, 0.8, 0.3}).Guarded(1, 0)
	below, above := e.Widths(math.Inf(1))
	under, over := mirror.Widths(math.Inf(1))
	assert.InEpsilonSlice(t, []float64{over, under}, []float64{below, above}, 1e-9, "shares and their complements are alike")
	assert.Greater(t, min(below, above), 1., "wider than Student's t")
	assert.Equal(t, []float64{0, 1, 0, 1}, []float64{e.Low, e.High, mirror.Low, mirror.High}, "no share is below 0 or above 1; the widths, of which power is, are before the cut")
	assert.Negative(t, MeanInterval(v).Low)
	assert.Equal(t, Broad, e.Covers)
	few := GeometricInterval([]float64{0.0031, 0.0036})
	assert.Positive(t, few.Low)
	assert.Zero(t, few.Guarded(1, 1/1932.).Low, "on the scale of the rows that are right, more than all may be")

	low, _ := GeometricInterval(v).Next(1)
	wide, _ := GeometricInterval(v).Guarded(0, 0).Next(1)
	assert.Zero(t, wide, "on the scale of cube roots, one more run may be nothing")
	assert.Positive(t, low)

	ratio := GeometricInterval(v).Guarded(1, 0)
	assert.Equal(t, Geometric, ratio.Covers)
	var scales []Scale
	for _, s := range ratio.Scales {
		scales = append(scales, Scale{Of: s.Of, Top: s.Top})
	}
	assert.Equal(t, []Scale{{Of: RootScale}, {Of: LogScale, Top: 1}, {Of: RootScale, Top: 1}}, scales)
	assert.InDelta(t, 1/math.Sqrt(12), MeanInterval([]float64{2, 2}).Guarded(0, 1).SD, 1e-12, "values that agree are rounded")

	near := MeanInterval([]float64{1, 1.001, 1.002})
	below, above = near.Guarded(0, 0).Widths(math.Inf(1))
	assert.InDeltaSlice(t, []float64{1, 1}, []float64{below, above}, 0.01, "Student's t where the spread is small")

	assert.True(t, MeanInterval([]float64{0, 1, 2}).Guarded(0, 0).Covers.Poor(), "no logarithm")
	assert.False(t, MeanInterval([]float64{0, 1, 2}).Guarded(0, 1).Covers.Poor(), "0 rounds what is less than half of 1")
	assert.Equal(t, Coverage{}, MeanInterval([]float64{2, 2}).Guarded(0, 0).Covers, "nothing is skewed")
	assert.True(t, math.IsInf(MeanInterval([]float64{1e-3, 1e9}).Guarded(0, 0).High, 1), "of two seeds that far apart, the mean may be anything")
}

// An estimate of other seeds keeps its scales and how much wider it is.
func TestOfSeeds(t *testing.T) {
	e := MeanInterval([]float64{1, 2, 3})
	wide := e.Within(e.Low-1, e.High+2)
	four := wide.OfSeeds(4)
	half, was := 3.182446/2, 4.302653/math.Sqrt(3)
	assert.InDelta(t, 2-half*(was+1)/was, four.Low, 1e-5)
	assert.InDelta(t, 2+half*(was+2)/was, four.High, 1e-5)
	assert.Equal(t, e, e.Within(e.Low, e.High+1e-12), "only rounding")
	near := e.Within(e.Low, e.High+0.05*(e.High-e.Mean))
	assert.InDelta(t, 1.05, near.Wider[1], 1e-9, "a little wider is no rounding")
	skewed := []float64{0.1, 0.2, 0.7, 3}
	for _, e := range []Estimate{MeanInterval(skewed).Guarded(0, 0), GeometricInterval(skewed).Guarded(0, 0)} {
		half := quantile(4, 0.99) * e.SD * math.Sqrt(1.0/4+1)
		low, high := e.At(0.99).next(1)
		below, above := e.At(0.99).Widths(1)
		if from, to, ok := e.Scales[0].next(1, 4, 0.99); assert.True(t, ok) {
			assert.LessOrEqual(t, low, from)
			assert.GreaterOrEqual(t, high, to, "on the other scale at 99 %, too")
		}
		if e.Log {
			assert.InDelta(t, math.Log(high/e.Mean)/half, above, 1e-9)
		} else {
			assert.InDelta(t, (e.Mean-low)/half, below, 1e-9)
			assert.InDelta(t, (high-e.Mean)/half, above, 1e-9)
		}
	}
	guarded := e.Guarded(0, 0)
	assert.Less(t, guarded.OfSeeds(10).High, guarded.High)
}
