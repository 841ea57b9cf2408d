package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// configs has every kernel of a squared distance, a distance or an inner product at least once, all defined
// everywhere; tableConfigs has the others.
var configs = []Config{
	{Name: "cauchy"}, {Name: "cauchy-product"}, {Name: "dot-product"}, {Name: "gaussian"}, {Name: "laplace"}, {Name: "laplacian"},
	{Name: "linear"}, {Name: "linear", Offset: 0.7},
	{Name: "matern", Order: 0.5}, {Name: "matern", Order: 1.5}, {Name: "matern", Order: 2.5},
	{Name: "polynomial", Degree: 2}, {Name: "polynomial", Degree: 3, Offset: 1.5},
}

// all returns the kernels of configs.
func all(t *testing.T, sigma float64) []Kernel {
	var s []Kernel
	for _, c := range configs {
		k, err := New(c, sigma)
		require.NoError(t, err)
		require.Equal(t, c.Name, k.Name())
		s = append(s, k)
	}
	return s
}

func TestNames(t *testing.T) {
	var names []string
	for _, c := range slices.Concat(configs, tableConfigs, []Config{{Name: "heat"}, {Name: "periodic-sobolev"}}) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	names = append(names, "rational-quadratic") // of the example
	slices.Sort(names)
	assert.Equal(t, slices.Compact(names), Names())
	for _, name := range Names() {
		assert.Equal(t, "name", Keys(name)[0])
	}
	assert.Equal(t, []string{"name", "bandwidth", "degree", "offset"}, Keys("polynomial"))
	assert.Equal(t, []string{"name"}, Keys("hellinger"))
	assert.True(t, HasBandwidth("dot-product"))
	assert.False(t, HasBandwidth("hellinger"))
}

func TestNew(t *testing.T) {
	for _, k := range []Kernel{
		Cauchy{2}, CauchyProduct{2}, DotProduct{2}, Gaussian{2}, Laplace{2}, Laplacian{2}, Linear{2, 0.7}, Matern{2, 1.5}, Polynomial{2, 1.5, 3},
	} {
		assert.Contains(t, all(t, 2), k, "kernels are comparable values")
	}
	for name, c := range map[string]struct {
		config Config
		sigma  float64
		want   string
	}{
		"zero":              {Config{Name: "gaussian"}, 0, "kernel gaussian: bandwidth must be positive and finite, got 0"},
		"negative":          {Config{Name: "laplace"}, -1, "kernel laplace: bandwidth must be positive and finite, got -1"},
		"infinite":          {Config{Name: "linear"}, math.Inf(1), "kernel linear: bandwidth must be positive and finite, got +Inf"},
		"nan":               {Config{Name: "matern", Order: 0.5}, math.NaN(), "kernel matern: bandwidth must be positive and finite, got NaN"},
		"tiny":              {Config{Name: "gaussian"}, 1e-20, "kernel gaussian: bandwidth 1e-20 is not in [1e-18, 1e+18]; change the units of the inputs"},
		"huge":              {Config{Name: "gaussian"}, 1e20, "kernel gaussian: bandwidth 1e+20 is not in [1e-18, 1e+18]; change the units of the inputs"},
		"unknown":           {Config{Name: "gausian"}, 1, `unknown kernel "gausian"`},
		"foreign order":     {Config{Name: "gaussian", Order: 0.5}, 1, "kernel gaussian: order: is a key of arc-cosine and matern, not of gaussian; remove it"},
		"foreign offset":    {Config{Name: "matern", Order: 0.5, Offset: 1}, 1, "kernel matern: offset: is a key of linear, polynomial, skewed-chi-squared and skewed-intersection, not of matern; remove it"},
		"foreign degree":    {Config{Name: "linear", Degree: 2}, 1, "kernel linear: degree: is a key of polynomial, not of linear; remove it"},
		"no order":          {Config{Name: "matern"}, 1, "kernel matern: order: missing; kernel matern needs a number 0.5, 1.5 or 2.5"},
		"whole order":       {Config{Name: "matern", Order: 1}, 1, "kernel matern: order: must be 0.5, 1.5 or 2.5, got 1"},
		"no degree":         {Config{Name: "polynomial", Offset: 1}, 1, "kernel polynomial: degree: missing; kernel polynomial needs a number > 0"},
		"no arc":            {Config{Name: "arc-cosine", Order: 0.5}, 0, "kernel arc-cosine: order: must be 0, 1 or 2, got 0.5"},
		"no beta":           {Config{Name: "exponential-semigroup"}, 0, "kernel exponential-semigroup: beta: missing; kernel exponential-semigroup needs a number > 0 and finite"},
		"negative lambda":   {Config{Name: "reciprocal-semigroup", Lambda: -1}, 0, "kernel reciprocal-semigroup: lambda: must be > 0 and finite, got -1"},
		"no shift":          {Config{Name: "skewed-intersection"}, 0, "kernel skewed-intersection: offset: missing; kernel skewed-intersection needs a number > 0 and finite"},
		"foreign lambda":    {Config{Name: "hellinger", Lambda: 1}, 0, "kernel hellinger: lambda: is a key of reciprocal-semigroup, not of hellinger; remove it"},
		"negative degree":   {Config{Name: "polynomial", Degree: -1}, 1, "kernel polynomial: degree: must be > 0, got -1"},
		"negative offset":   {Config{Name: "linear", Offset: -1}, 1, "kernel linear: offset: must be >= 0 and finite, got -1"},
		"offset that is no": {Config{Name: "linear", Offset: math.NaN()}, 1, "kernel linear: offset: must be >= 0 and finite, got NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.config, c.sigma)
			require.EqualError(t, err, c.want)
		})
	}
}

// An oracle is the value of a kernel at s by its formula, and what its rounding errors are in
// proportion to: those of the exponent E (zero where there is none) and of the terms added.
type oracle struct{ value, exponent, terms float64 }

func formula(k Kernel, s float64) oracle {
	exponential := func(e, polynomial float64) oracle {
		if e > 1000 {
			return oracle{exponent: e}
		}
		v := polynomial * math.Exp(-e)
		return oracle{v, e, v}
	}
	switch k := k.(type) {
	case Gaussian:
		return exponential(s/(2*k.Sigma*k.Sigma), 1)
	case Laplacian:
		return exponential(s/k.Sigma, 1)
	case Laplace:
		return exponential(math.Sqrt(s)/k.Sigma, 1)
	case Cauchy:
		v := 1 / (1 + s/(k.Sigma*k.Sigma))
		return oracle{v, 0, v}
	case CauchyProduct:
		return oracle{1 / s, 0, 1 / s}
	case Matern:
		u := math.Sqrt(2*k.Order*s) / k.Sigma
		return exponential(u, map[float64]float64{0.5: 1, 1.5: 1 + u, 2.5: 1 + u + u*u/3}[k.Order])
	case Linear:
		v := s / (k.Sigma * k.Sigma)
		return oracle{v + k.Offset, 0, math.Abs(v) + k.Offset}
	case DotProduct:
		e := s / (k.Sigma * k.Sigma)
		return oracle{math.Exp(e), math.Abs(e), math.Exp(e)}
	case Polynomial:
		o, p := formula(Linear{k.Sigma, k.Offset}, s), float64(k.Degree)
		return oracle{math.Pow(o.value, p), 0, p * math.Pow(o.terms, p)}
	}
	panic("no formula for " + k.Name())
}

// arguments of kernels: squared distances, distances, with 1 added products and, with their negatives,
// inner products.
var arguments = []float64{0, 1e-40, 1e-20, 1e-3, 0.5, 1, 2, 10, 100, 1e4, 1e6, 1e30, 1e300, math.Inf(1)}

func TestFormulas(t *testing.T) {
	for _, sigma := range []float64{0.1, 1, 9.03} {
		for _, k := range all(t, sigma) {
			checkFormula[float64](t, k, 0x1p-53, math.MaxFloat64, 0x1p-1022)
			checkFormula[float32](t, k, 0x1p-24, math.MaxFloat32, 0x1p-126)
		}
	}
}

// apply replaces values of a kernel's argument by those of the kernel.
func apply[T compute.Float](k Kernel, s []T) { compute.Apply(s, k.Formula().Steps...) }

// checkFormula compares the steps with the formula. eps is the rounding error of T, highest and lowest its
// largest and its smallest normal numbers.
//
// The relative error is at most 16 + 8E roundings: compute.Exp2 has 2.3, which the exponent E in base 2
// amplifies: its at most 8 are those of the rate, its parts and its rounding to T, of the square root and
// of the product. The oracle has 8 more in float64. Below the normal numbers, an exponential is off by a
// multiple of the smallest number, 2eps·lowest, and is multiplied by a polynomial of at most 2·10⁵
// where it is not zero.
func checkFormula[T compute.Float](t *testing.T, k Kernel, eps, highest, lowest float64) {
	t.Helper()
	s := make([]T, 0, 2*len(arguments))
	for _, v := range arguments {
		if k.Formula().Of == compute.ProductDistance {
			v++
		}
		s = append(s, T(v))
		if k.Formula().Of == compute.InnerProduct {
			s = append(s, T(-v))
		}
	}
	got := slices.Clone(s)
	apply(k, got)
	for i, v := range s {
		name := fmt.Sprintf("%T %s%v at %v", v, k.Name(), k, v)
		o := formula(k, float64(v))
		if math.Abs(o.value) > highest {
			assert.Equal(t, math.Inf(int(math.Copysign(1, o.value))), float64(got[i]), name)
			continue
		}
		bound := (16+8*o.exponent)*eps*o.terms + 4e5*eps*lowest
		if o.terms == 0 {
			bound = lowest
		}
		if math.IsInf(o.terms, 1) || o.exponent > 1000 && o.terms > 0 {
			continue // (s + c)^p of infinities of both signs has no error to bound
		}
		assert.InDelta(t, o.value, float64(got[i]), bound, name)
	}
	assert.True(t, k.Formula().Of == compute.InnerProduct || got[0] == 1, "%s: exactly 1 at distance 0", k.Name())
	nan := []T{T(math.NaN())}
	apply(k, nan)
	assert.True(t, nan[0] != nan[0], "%s: NaN stays NaN", k.Name())
}

func TestApplyAllocatesNothing(t *testing.T) {
	double, single := make([]float64, 96*48), make([]float32, 96*48)
	for _, k := range all(t, 1) {
		steps := k.Formula().Steps
		assert.Zero(t, testing.AllocsPerRun(3, func() { compute.Apply(double, steps...); compute.Apply(single, steps...) }), k.Name())
	}
}

// points returns n normal points of dimension d.
func points(n, d int) compute.Matrix {
	x, s := compute.NewMatrix(n, d), compute.NewStream(1, "points", 0)
	for i := range n {
		s.Row(i, x.Row(i))
	}
	return x
}

func engine(p compute.Precision) *compute.Engine {
	return compute.NewEngine(compute.Options{Threads: 1, Precision: p})
}

// precisions with their rounding errors.
var precisions = map[compute.Precision]float64{compute.Float64: 0x1p-53, compute.Float32: 0x1p-24}

// argument is what a kernel is a function of, by its definition, at two points.
func argument(k Kernel, x, z []float64) float64 {
	s, scale := 0.0, k.Formula().Scale
	if scale == 0 {
		scale = 1
	}
	if k.Formula().Of == compute.ProductDistance {
		s = 1
	}
	for l, v := range x {
		v, w := scale*v, scale*z[l]
		switch k.Formula().Of {
		case compute.SquaredDistance:
			s += (v - w) * (v - w)
		case compute.Distance1:
			s += math.Abs(v - w)
		case compute.InnerProduct:
			s += v * w
		case compute.ProductDistance:
			s *= 1 + (v-w)*(v-w)
		}
	}
	return s
}

func TestRegister(t *testing.T) {
	assert.PanicsWithValue(t, "kernels: gaussian registered twice", func() { Register("gaussian", Family{}) })
	assert.PanicsWithValue(t, "kernels: nothing: a family needs a name, a Doc line and Make", func() { Register("nothing", Family{}) })
	for _, name := range Names() {
		assert.NotEmpty(t, Doc(name), name)
	}
	assert.Empty(t, Doc("no such kernel"))
}

func TestParams(t *testing.T) {
	assert.Equal(t, []string{"name", "bandwidth", "params"}, Keys("rational-quadratic"), "registered by the example")
	check := func(c Config, given ...string) string {
		if err := c.Check(given); err != nil {
			return err.Error()
		}
		return ""
	}
	gaussian := Config{Name: "gaussian", Params: map[string]float64{"alpha": 1}}
	assert.Equal(t, "params.alpha: is not a parameter of gaussian; remove it", check(gaussian, "name", "bandwidth"))
	assert.Equal(t, "params: is a key of rational-quadratic, not of gaussian; remove it", check(gaussian, "name", "bandwidth", "params"))
	rational := Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": -1}}
	assert.Equal(t, "params.alpha: must be > 0 and finite, got -1", check(rational, "name", "bandwidth", "params"))
	assert.Equal(t, "params.beta: is not a parameter of rational-quadratic; remove it",
		check(Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": 1, "beta": 1}}, "name", "bandwidth", "params"))
	assert.Equal(t, "", check(Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": 1}}, "name", "bandwidth", "params"))
}

// A kernel that is registered with a positive bandwidth takes a number, or what a rule gives.
func TestPositiveBandwidth(t *testing.T) {
	const name = "positive-bandwidth-of-a-test"
	Register(name, Family{Doc: "a test", Keys: []Key{Positive("bandwidth")}, Make: func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }})
	defer delete(registry.Families, name)
	for _, c := range []Config{{Name: name, Bandwidth: Bandwidth{Value: 2}}, {Name: name, Bandwidth: Bandwidth{Rule: "median", Scale: 1}}} {
		assert.NoError(t, c.Check([]string{"bandwidth"}))
		k, err := New(c, 2)
		assert.NoError(t, err)
		assert.Equal(t, Gaussian{2}, k)
	}
	assert.ErrorContains(t, Config{Name: name}.Check([]string{"bandwidth"}), "bandwidth: must be > 0 and finite, got 0")
}
