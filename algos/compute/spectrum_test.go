package compute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute/internal/simd"
)

var laws = []struct {
	name string
	s    Spectrum
}{
	{"normal", Spectrum{Law: Normal, Scale: 0.3}},
	{"cauchy", Spectrum{Law: Cauchy, Scale: 1.7}},
	{"laplace", Spectrum{Law: Laplace, Scale: 0.01}},
	{"t1", Spectrum{Law: StudentT, Scale: 0.3, Freedom: 1}},
	{"t3", Spectrum{Law: StudentT, Scale: 0.3, Freedom: 3}},
	{"t4", Spectrum{Law: StudentT, Scale: 2, Freedom: 4}},
	{"t19", Spectrum{Law: StudentT, Scale: 5, Freedom: 19}},
	{"sech", Spectrum{Law: Sech, Scale: 0.5}},
	{"scaled2", Spectrum{Law: ScaledNormal, Scale: 0.7, Freedom: 2}},
	{"scaled9", Spectrum{Law: ScaledNormal, Scale: 3, Freedom: 9}},
}

// onEachISA runs f with every instruction set there is.
func onEachISA(tb testing.TB, f func(isa string)) {
	defer func(isa string) { require.NoError(tb, simd.Select(isa)) }(simd.ISA())
	for _, isa := range simd.Available() {
		require.NoError(tb, simd.Select(isa))
		f(isa)
	}
}

// featureWords returns the words of feature i, as documented: it begins at counter i·n.
func featureWords(src Source, index uint64, i, words int) []uint32 {
	n := (words + 3) / 4
	st := src.Stream(index)
	st.pos = 4 * uint64(i) * uint64(n)
	w := make([]uint32, 4*n)
	for k := range w {
		w[k] = st.Uint32()
	}
	return w
}

// byDocument draws feature i as the documentation of Spectrum says, with a product in T.
func byDocument[T simd.Float](s Spectrum, src Source, index uint64, i, d int) (w []T, phase float64) {
	w = make([]T, d)
	pair := func(words []uint32, k int) float32 {
		a, b := simd.Normals(words[k&^1], words[k|1])
		return []float32{a, b}[k%2]
	}
	even := (d + 1) / 2 * 2
	switch s.Law {
	case Normal:
		words := featureWords(src, index, i, even+1)
		for k := range w {
			w[k] = T(pair(words, k)) * T(s.Scale)
		}
		return w, float64(words[even]) / (1 << 32)
	case Cauchy, Laplace, Sech:
		words, v := featureWords(src, index, i, d+1), map[Law]simd.Variate{Cauchy: simd.Cauchy, Laplace: simd.Laplace, Sech: simd.Sech}[s.Law]
		for k := range w {
			w[k] = T(v.Of(words[k])) * T(s.Scale)
		}
		return w, float64(words[d]) / (1 << 32)
	}
	words := featureWords(src, index, i, even+2+(s.Freedom+1)/2*2)
	sum := 0.0
	for k := range s.Freedom {
		v := float64(pair(words[even+2:], k))
		sum += float64(v * v)
	}
	factor := s.Scale / math.Sqrt(sum/float64(s.Freedom))
	if s.Law == ScaledNormal {
		factor = s.Scale * math.Sqrt(sum)
	}
	for k := range w {
		w[k] = T(pair(words, k)) * T(factor)
	}
	return w, float64(words[even]) / (1 << 32)
}

// The features were computed by an implementation of the same definition in another language. They
// must never change: recorded results depend on them.
func TestSpectrumGolden(t *testing.T) {
	for _, c := range []struct {
		s     Spectrum
		want  []float64
		phase float64
	}{
		{Spectrum{Law: Normal, Scale: 1}, []float64{0x1.278ep-4, 0x1.9706d2p-1, 0x1.3e7518p-2}, 0x1.e3153cdep-1},
		{Spectrum{Law: Cauchy, Scale: 1}, []float64{-0x1.93e356p-5, 0x1.3c622ep-5, 0x1.6d5a6p-4}, 0x1.ceee384cp-2},
		{Spectrum{Law: Laplace, Scale: 1}, []float64{0x1.0507b8p-5, -0x1.97a974p-6, -0x1.dd9c22p-5}, 0x1.ceee384cp-2},
		{Spectrum{Law: Sech, Scale: 1}, []float64{0x1.0104d8p-5, -0x1.92bb98p-6, -0x1.d09150p-5}, 0x1.ceee384cp-2},
		{Spectrum{Law: StudentT, Scale: 1, Freedom: 3}, []float64{0x1.26052980c0fe2p+1, -0x1.67969b0821bccp-1, -0x1.26839d116ce96p-4}, 0x1.d07a0f74p-1},
		{Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 2}, []float64{0x1.b3d4ff04eafbcp-4, 0x1.2c1b0986ebb3cp+0, 0x1.d59adac38017fp-2}, 0x1.e3153cdep-1},
	} {
		got := make([]float64, 3)
		assert.Equal(t, c.phase, c.s.Row(NewStream(1, "golden", 2), 3, got), "law %d: phase", c.s.Law)
		assert.Equal(t, c.want, got, "law %d", c.s.Law)
	}
}

// samePanel compares a panel with features drawn one at a time, bit for bit.
func samePanel[T simd.Float](t *testing.T, name string, s Spectrum, src Source, first, width, d int) {
	t.Helper()
	const canary = 1234567
	drawn := slices.Repeat([]T{canary}, (d+2)*simd.Width)
	drawPanel(s, src, first, width, d, panel[T]{data: drawn})
	phase := drawn[d*simd.Width:]
	_, double := any(phase).([]float64)
	row := make([]float64, d)
	for j := range simd.Width {
		index, i := uint64((first+j)/width), (first+j)%width
		want, turn := byDocument[T](s, src, index, i, d)
		require.Equal(t, T(turn), phase[j], "%s: phase of feature %d", name, first+j)
		if double {
			require.Equal(t, turn, s.Row(src.Stream(index), i, row), name)
		}
		for l, v := range want {
			got := drawn[l*simd.Width+j]
			if math.Float64bits(float64(v)) != math.Float64bits(float64(got)) ||
				double && math.Float64bits(row[l]) != math.Float64bits(float64(got)) {
				require.Failf(t, "different bits", "%s: component %d of feature %d: %v, want %v", name, l, first+j, got, v)
			}
		}
	}
	for _, v := range phase[simd.Width:] {
		require.EqualValues(t, canary, v, "%s: an element beyond the panel", name)
	}
}

func TestDrawPanelIsTheRows(t *testing.T) {
	src := NewSource(7, "features")
	onEachISA(t, func(isa string) {
		for _, c := range laws {
			for d := 0; d <= 20; d++ {
				name := fmt.Sprintf("%s, %s, d = %d", isa, c.name, d)
				samePanel[float64](t, name, c.s, src, 31*d, 32, d)
				samePanel[float32](t, name, c.s, src, 31*d, 32, d)
			}
			for _, d := range []int{50, 123} {
				name := fmt.Sprintf("%s, %s, d = %d", isa, c.name, d)
				samePanel[float64](t, name, c.s, src, 500, 512, d)
				samePanel[float32](t, name, c.s, src, 500, 512, d)
			}
			for _, width := range []int{1, 5, 32, 48, 64, 512} {
				for _, first := range []int{0, 1, 47, 48, 500, 1 << 40} {
					name := fmt.Sprintf("%s, %s, %d of streams of %d", isa, c.name, first, width)
					samePanel[float64](t, name, c.s, src, first, width, 3)
					samePanel[float32](t, name, c.s, src, first, width, 3)
				}
			}
			// Streams so wide that positions pass 2³², in the midst of a panel and of a feature.
			for _, first := range []int{1<<32 - 20, 1<<32/5 - 20, 1<<32/3 - 20, 1 << 33} {
				samePanel[float64](t, isa+", "+c.name+", wide", c.s, src, first, 1<<40, 9)
			}
		}
	})
}

// A normal variate is 0 once in ten million; a t variate divided by it must stay finite.
func TestStudentFrequenciesAreBounded(t *testing.T) {
	s := Spectrum{Law: StudentT, Scale: 1, Freedom: 1}
	assert.Equal(t, 0x1p24, s.factor(0))
	assert.Equal(t, 0x1p24, s.factor(0x1p-60))
	assert.Equal(t, 0.5, s.factor(4))
	assert.Zero(t, Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 1}.factor(0))
}

func TestDrawPanelDoesNotAllocate(t *testing.T) {
	drawn := panel[float32]{data: make([]float32, 10*simd.Width)}
	src := NewSource(1, "features")
	onEachISA(t, func(isa string) {
		for _, c := range laws {
			assert.Zero(t, testing.AllocsPerRun(10, func() { drawPanel(c.s, src, 0, 512, 9, drawn) }), "%s, %s", isa, c.name)
		}
	})
}
