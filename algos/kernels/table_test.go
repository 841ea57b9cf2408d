package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// tableConfigs are the kernels that configs has not: on histograms, of log(x + c), and of angles.
var tableConfigs = []Config{
	{Name: "arc-cosine", Order: 0}, {Name: "arc-cosine", Order: 1}, {Name: "arc-cosine", Order: 2},
	{Name: "chi-squared"}, {Name: "exponential-semigroup", Beta: 0.3}, {Name: "exponential-semigroup", Beta: 2},
	{Name: "hellinger"}, {Name: "intersection"}, {Name: "jensen-shannon"},
	{Name: "reciprocal-semigroup", Lambda: 0.5}, {Name: "skewed-chi-squared", Offset: 0.2}, {Name: "skewed-intersection", Offset: 0.2},
}

// table returns the kernels of tableConfigs.
func table(t *testing.T) []Kernel {
	var s []Kernel
	for _, c := range tableConfigs {
		k, err := New(c, 0)
		require.NoError(t, err)
		require.Equal(t, c.Name, k.Name())
		s = append(s, k)
	}
	return s
}

// domain returns n points of a kernel's domain: normal ones; of log(x + c) above -c; or histograms of sum 1,
// a quarter of whose bins are empty.
func domain(k Kernel, n, d int) compute.Matrix {
	x := points(n, d)
	if _, need := Outside(k, []float64{-1}); need == "" {
		return x
	}
	empty := compute.NewStream(1, "empty", 0)
	for i := range n {
		row, sum := x.Row(i), 0.0
		for l, v := range row {
			row[l] = v * v
			if empty.IntN(4) == 0 && l > 0 {
				row[l] = 0
			}
			sum += row[l]
		}
		for l := range row {
			if row[l] /= sum; k.Name() == "skewed-chi-squared" || k.Name() == "skewed-intersection" {
				row[l] -= 0.15
			}
		}
	}
	return x
}

// direct is a kernel as its definition has it, x and z in its domain.
func direct(k Kernel, x, z []float64) float64 {
	sum, product := 0.0, 1.0
	for l, a := range x {
		b := z[l]
		switch k := k.(type) {
		case Hellinger:
			sum += math.Sqrt(a * b)
		case ChiSquared:
			if a+b > 0 {
				sum += 2 * a * b / (a + b)
			}
		case Intersection:
			sum += math.Min(a, b)
		case JensenShannon:
			if a > 0 {
				sum += a / 2 * math.Log2((a+b)/a)
			}
			if b > 0 {
				sum += b / 2 * math.Log2((a+b)/b)
			}
		case SkewedChiSquared:
			product *= 2 * math.Sqrt(a+k.C) * math.Sqrt(b+k.C) / (a + b + 2*k.C)
		case SkewedIntersection:
			product *= math.Min(math.Sqrt((a+k.C)/(b+k.C)), math.Sqrt((b+k.C)/(a+k.C)))
		case ExponentialSemigroup:
			sum += math.Sqrt(a + b)
		case ReciprocalSemigroup:
			product *= k.Lambda / (a + b + k.Lambda)
		}
	}
	switch k := k.(type) {
	case Hellinger, ChiSquared, Intersection, JensenShannon:
		return sum
	case ExponentialSemigroup:
		return math.Exp(-k.Beta * sum)
	case ArcCosine:
		return arcCosine(k.Order, x, z)
	case SkewedChiSquared, SkewedIntersection, ReciprocalSemigroup:
		return product
	}
	return formula(k, argument(k, x, z)).value
}

// arcCosine is J_n as Cho and Saul define it, (-1)ⁿ sin^(2n+1)θ·(1/sin θ·d/dθ)ⁿ((π - θ)/sin θ), the derivatives
// written out.
func arcCosine(n int, x, z []float64) float64 {
	var xx, zz, xz float64
	for l, v := range x {
		xx += v * v
		zz += z[l] * z[l]
		xz += v * z[l]
	}
	cos := max(-1, min(1, xz/math.Sqrt(xx*zz)))
	theta, sin := math.Acos(cos), math.Sqrt(1-cos*cos)
	rest := math.Pi - theta
	return math.Pow(xx*zz, float64(n)/2) / math.Pi * []float64{rest, sin + rest*cos, 3*sin*cos + rest*(1+2*cos*cos)}[n]
}

// TestMatrix compares matrices with the formulas, and checks their symmetry and that no eigenvalue is below zero by more than n times the
// largest error, which is what errors of n² entries can do.
//
// For kernels of configs a squared distance of 40 inputs is wrong by up to 44·eps·(‖x‖ + ‖z‖)², and ‖x‖ < 9 here; the slope of the kernels is
// below 1/4 at the least distance there is, above 5: 3600 roundings. In 3 inputs and for inner products, errors are a few dozen roundings of
// the value; for products, whose factors have errors of up to 3(|x_l| + |z_l|)/σ + 4 roundings, below 25 each, at most 1000.
//
// For the others an entry is a sum or a product of d terms of one sign with at most 16 roundings each, inputs included, or an exponential of
// such a sum, whose errors its exponent E multiplies, and E·exp(-E) < 1. The distance of 40 inputs on the sphere has an error of 4·44
// roundings, and the slope of J_n/π in it is at most 3 at angles whose sine is above 0.3, as here, for n ≤ 2. The oracle's own errors in
// float64 are as many.
func TestMatrix(t *testing.T) {
	const n = 60
	for precision, eps := range precisions {
		for _, d := range []int{3, 40} {
			others := append(table(t), DotProduct{1.5})
			for i, k := range append(others, all(t, 1.2)...) {
				roundings := 3600.
				if i < len(others) {
					roundings = float64(32*d + 1000)
				}
				x := domain(k, n, d)
				values := engine(precision).KernelMatrix(k, x, x)
				largest := 0.0
				for i := range n {
					largest = max(largest, values.At(i, i))
				}
				cross := engine(precision).KernelMatrix(k, x.RowRange(0, 20), x.RowRange(15, n))
				for i := range n {
					for j := range n {
						if i != j || k != (ArcCosine{0}) { // where the oracle has a cusp
							require.InDelta(t, direct(k, x.Row(i), x.Row(j)), values.At(i, j), roundings*eps*largest, "%s %s%v, d = %d, points %d and %d", precision, k.Name(), k, d, i, j)
						}
						require.InDelta(t, values.At(j, i), values.At(i, j), 2*roundings*eps*largest, "%s %s, d = %d", precision, k.Name(), d)
						if i < 20 && j >= 15 {
							require.InDelta(t, values.At(i, j), cross.At(i, j-15), roundings*eps*largest, "%s %s, d = %d: points of two sets", precision, k.Name(), d)
						}
					}
				}
				var e mat.EigenSym
				require.True(t, e.Factorize(mat.NewSymDense(n, values.Data), false))
				assert.GreaterOrEqual(t, e.Values(nil)[0], -roundings*n*eps*largest, "%s %s%v, d = %d", precision, k.Name(), k, d)
			}
		}
	}
}

// TestEmptyBins checks the limits at empty bins, where logarithms and reciprocals are infinite.
func TestEmptyBins(t *testing.T) {
	x := compute.Matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 1, 1, 0, 0, 0}}
	for _, k := range []Featured{ChiSquared{}, Hellinger{}, Intersection{}, JensenShannon{}} {
		for precision := range precisions {
			assert.Equal(t, []float64{1, 0, 0, 0, 1, 0, 0, 0, 0}, engine(precision).KernelMatrix(k, x, x).Data, k.Name())
			phi := engine(precision).FeatureMatrix(k.Features(1, 2, 64), x, compute.Range{Lo: 0, Hi: 1})
			assert.True(t, phi.Finite(), k.Name())
			assert.Equal(t, make([]float64, 64), phi.Row(2), k.Name())
		}
	}
	for precision := range precisions {
		assert.Equal(t, 0.0, engine(precision).KernelMatrix(ArcCosine{1}, x, x).At(2, 0), "a point at 0 has no norm")
	}
}

// TestFeaturesAreUnbiased checks E[φ(x) φ(z)] = k(x, z). The 2000 blocks of a map are independent, features within one need not be: the
// means over blocks of 20 have the standard deviation of their sample. 10 pairs of 4 points, 2 bandwidths of 13 kernels and 20 others, 3
// dimensions, one a divisor of 20, and 2 precisions are some 2500 means at 5 standard deviations: false alarm for about 0.15 % of seeds. 5
// standard deviations are below a fifth of the largest value, so that a lost factor shows.
func TestFeaturesAreUnbiased(t *testing.T) {
	const blocks, width = 2000, 20
	tested := slices.Concat(table(t), all(t, 2), []Kernel{Gaussian{0.7}, Laplacian{0.7}, CauchyProduct{0.7}, Matern{0.7, 1.5}, Polynomial{1, 0, 2}})
	for _, alpha := range capacities {
		tested = append(tested, PeriodicSobolev{alpha})
	}
	for precision, eps := range precisions {
		for _, d := range []int{1, 3, 5} {
			for _, k := range tested {
				x := domain(k, 4, d)
				if column, _ := Outside(k, x.Row(0)); column < 0 {
					continue // it is of one input
				}
				want := engine(compute.Float64).KernelMatrix(k, x, x)
				phi := engine(precision).FeatureMatrix(k.(Featured).Features(7, d, width), x, compute.Range{Lo: 0, Hi: blocks})
				for i := range x.Rows {
					for j := range i + 1 {
						m, deviation := blockMeans(phi.Row(i), phi.Row(j), width)
						// Features that are constant but for their signs have a deviation of 0, and their sums the roundings of 40,000 terms.
						rounding := blocks * width * eps * max(want.At(i, i), want.At(j, j))
						assert.InDelta(t, want.At(i, j), m, max(deviations*deviation, rounding), "%s %s%v, d = %d, points %d and %d", precision, k.Name(), k, d, i, j)
						assert.Less(t, deviations*deviation, 0.2*max(want.At(i, i), want.At(j, j)), "%s%v: too few features to tell", k.Name(), k)
					}
				}
			}
		}
	}
}

// blockMeans returns the mean of products of features and the standard deviation of that mean, from blocks.
func blockMeans(phi, psi []float64, width int) (m, deviation float64) {
	var means []float64
	for lo := 0; lo < len(phi); lo += width {
		means = append(means, mean(phi[lo:lo+width], psi[lo:lo+width]))
	}
	n, square := float64(len(means)), 0.0
	for _, v := range means {
		m += v / n
	}
	for _, v := range means {
		square += (v - m) * (v - m) / (n - 1)
	}
	return m, math.Sqrt(square / n)
}

// TestTensorSketchByHand computes a sketch from its hash functions as Pham and Pagh define it: place j holds
// the sum over all p-tuples of components whose places add up to j, modulo D.
func TestTensorSketchByHand(t *testing.T) {
	const width, d = 7, 2
	k := Polynomial{Sigma: 2, Offset: 1.5, Degree: 2}
	f := k.Features(5, d, width).(tensorSketch)
	x := points(3, d)
	phi := engine(compute.Float64).FeatureMatrix(f, x, compute.Range{Lo: 4, Hi: 5})
	c := f.draw(4, d+1)
	for i := range x.Rows {
		y := []float64{x.At(i, 0) / 2, x.At(i, 1) / 2, math.Sqrt(1.5)}
		want := make([]float64, width)
		for l, v := range y {
			for m, w := range y {
				want[(c[0].place[l]+c[1].place[m])%width] += c[0].sign[l] * c[1].sign[m] * v * w * math.Sqrt(width)
			}
		}
		// Some tens of roundings of values below 20.
		assert.InDeltaSlice(t, want, phi.Row(i), 1e-13)
	}
}

// Every place and sign of a sketch is as likely as the others. With 11 and 1 degrees of freedom, χ² is beyond these bounds for one seed in
// 10⁵, and the seed is fixed.
func TestTensorSketchIsUniform(t *testing.T) {
	const width, d, blocks = 12, 5, 1000
	f := Polynomial{Sigma: 1, Offset: 1, Degree: 2}.Features(5, d-1, width).(tensorSketch)
	places, signs, draws := make([]float64, width), map[float64]float64{}, 0.0
	for i := range blocks {
		for _, c := range f.draw(i, d) {
			for l := range d {
				places[c.place[l]]++
				signs[c.sign[l]]++
				draws++
			}
		}
	}
	chi2 := 0.0
	for _, n := range places {
		chi2 += (n - draws/width) * (n - draws/width) / (draws / width)
	}
	assert.Less(t, chi2, 42.0)
	require.Len(t, signs, 2)
	assert.Less(t, (signs[1]-signs[-1])*(signs[1]-signs[-1])/draws, 19.5)
}

func TestOutside(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, c := range map[string]struct {
		kernel Kernel
		x      []float64
		column int
		need   string
	}{
		"everywhere":       {Gaussian{1}, []float64{-1, 0}, 0, ""},
		"histogram":        {ChiSquared{}, []float64{0, 0.5}, 0, ""},
		"negative":         {Hellinger{}, []float64{0, -1e-9}, 1, ">= 0"},
		"infinite":         {Intersection{}, []float64{inf, 1}, 0, ">= 0"},
		"not a number":     {JensenShannon{}, []float64{1, nan}, 1, ">= 0"},
		"semigroup":        {ExponentialSemigroup{Beta: 1}, []float64{-1}, 0, ">= 0"},
		"other semigroup":  {ReciprocalSemigroup{Lambda: 1}, []float64{1, 1, -1}, 2, ">= 0"},
		"skewed":           {SkewedChiSquared{0.5}, []float64{-0.4, 3}, 0, ""},
		"skewed too much":  {SkewedChiSquared{0.5}, []float64{-0.4, -0.5}, 1, "> -0.5"},
		"skewed, other":    {SkewedIntersection{0.25}, []float64{-0.3}, 0, "> -0.25"},
		"angle":            {ArcCosine{0}, []float64{0, -1}, 0, ""},
		"no angle":         {ArcCosine{0}, []float64{0, 0}, -1, "not 0 in every component"},
		"angle not needed": {ArcCosine{1}, []float64{0, 0}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			column, need := Outside(c.kernel, c.x)
			assert.Equal(t, c.need, need)
			assert.Equal(t, c.column, column)
		})
	}
}
