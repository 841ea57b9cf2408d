package compute

import (
	"fmt"
	"math"
	"sync"

	"repro/algos/compute/internal/simd"
)

// A Law is the distribution of the frequencies ω of random features, up to scale. It is the Fourier transform of a kernel
// k(x, z) = κ(x - z), κ(δ) = E cos(ω·δ) [Rahimi and Recht, NIPS 2007, §3, Fig. 1]. The formulas for κ below hold for
// Scale = 1 and frequencies in radians; ‖·‖ is the Euclidean norm.
type Law int

const (
	// Normal has independent standard normal components: κ(δ) = exp(-‖δ‖²/2).
	Normal Law = iota
	// Cauchy has independent standard Cauchy components: κ(δ) = exp(-Σ|δ_l|).
	Cauchy
	// Laplace has independent components of density exp(-|t|)/2: κ(δ) = Π 1/(1 + δ_l²).
	Laplace
	// StudentT is a vector of standard normals divided by √(χ²_ν/ν), the multivariate t distribution of
	// ν degrees of freedom: the Matérn kernel of order ν/2. ν = 1 is κ(δ) = exp(-‖δ‖), ν = 3 is
	// κ(δ) = (1 + √3‖δ‖)·exp(-√3‖δ‖).
	StudentT
	// ScaledNormal is a vector of standard normals times √χ²_ν. Given χ², κ is exp(-χ²‖δ‖²/2), whose mean
	// is κ(δ) = (1 + ‖δ‖²)^(-ν/2).
	ScaledNormal
	// Sech has independent components of density sech(πt/2)/2, the hyperbolic secant distribution:
	// κ(δ) = Π sech(δ_l).
	Sech
)

// A Spectrum is the distribution of the frequencies of random features: Scale times variates of Law. Feature i of a
// stream uses the words of counters i·n … (i+1)·n-1, where n is the least number of counters that holds the words of d
// components:
//
//   - Normal: the components from words 0 … 2⌈d/2⌉-1 in pairs (simd.Normals); the phase from the next.
//   - Cauchy, Laplace and Sech: component l from word l (simd.Variate); the phase from word d.
//   - StudentT and ScaledNormal: components and phase as Normal; one word unused; then χ²_ν as the sum
//     of the squares of ν normals, added in float64 in order, from 2⌈ν/2⌉ words in pairs. StudentT's is
//     at least 2⁻⁴⁸.
//
// The variates are float32 of the same bits on every platform, and so is all that follows.
type Spectrum struct {
	Law     Law
	Scale   float64
	Freedom int // degrees of freedom ν ≥ 1 of StudentT and ScaledNormal; the other laws ignore it
}

// transforms are those of words by law: Normal where none is given.
var transforms = [...]simd.Variate{Cauchy: simd.Cauchy, Laplace: simd.Laplace, Sech: simd.Sech}

// leastChiSquared is a lower bound on χ² in StudentT, so that frequencies are finite even if all normals round to 0. A
// normal variate is below its root, 2⁻²⁴, with probability 5e-8.
const leastChiSquared = 0x1p-48

// layout returns the word of the phase, the first word of χ² and the number of counters of a feature.
func (s Spectrum) layout(d int) (phase, chi, counters int) {
	even := d + d%2
	switch s.Law {
	case Normal:
		return even, 0, even/4 + 1
	case Cauchy, Laplace, Sech:
		return d, 0, d/4 + 1
	case StudentT, ScaledNormal:
		if s.Freedom < 1 {
			panic(fmt.Sprintf("compute: Spectrum: %d degrees of freedom, must be at least 1", s.Freedom))
		}
		return even, even + 2, (even + 2 + s.Freedom + s.Freedom%2 + 3) / 4
	}
	panic(fmt.Sprintf("compute: Spectrum: unknown law %d", s.Law))
}

// radial reports whether each feature multiplies its normals by a random factor.
func (s Spectrum) radial() bool { return s.Law == StudentT || s.Law == ScaledNormal }

// factor returns the factor of the normals of a radial law, given χ².
func (s Spectrum) factor(chi float64) float64 {
	if s.Law == ScaledNormal {
		return s.Scale * math.Sqrt(chi)
	}
	return s.Scale / math.Sqrt(max(chi, leastChiSquared)/float64(s.Freedom))
}

// Row sets dst to the len(dst) components of the frequency of feature i of a stream, and returns the feature's phase, a
// uniform multiple of 2⁻³² turns in [0, 1). A component is the product in float64 of a factor and a float32 variate; the
// factor is Scale, for StudentT Scale/√(χ²/ν), for ScaledNormal Scale·√χ². Row does not advance the stream. Do not mix
// it with the sequential methods of Stream, which use the same words.
func (s Spectrum) Row(st *Stream, i int, dst []float64) (phase float64) {
	return spectrumRow(s, st, uint64(i), dst)
}

// spectrumRow is Row with components in T: the product in T of the factor and the variate, each rounded to T.
func spectrumRow[T simd.Float](s Spectrum, st *Stream, i uint64, dst []T) (phase float64) {
	at, chi, counters := s.layout(len(dst))
	r := rowWords{stream: st, first: i * uint64(counters)}
	factor := s.Scale
	if v := transforms[s.Law]; v != simd.Normal {
		for k := range dst {
			dst[k] = T(v.Of(r.word(k)))
		}
	} else {
		for k := 0; k < len(dst); k += 2 {
			a, b := simd.Normals(r.word(k), r.word(k+1))
			dst[k] = T(a)
			if k+1 < len(dst) {
				dst[k+1] = T(b)
			}
		}
	}
	phase = float64(r.word(at)) * 0x1p-32
	if s.radial() {
		sum := 0.0
		for k := 0; k < s.Freedom; k += 2 {
			a, b := simd.Normals(r.word(chi+k), r.word(chi+k+1))
			sum += float64(float64(a) * float64(a))
			if k+1 < s.Freedom {
				sum += float64(float64(b) * float64(b))
			}
		}
		factor = s.factor(sum)
	}
	for k := range dst {
		dst[k] *= T(factor)
	}
	return phase
}

// rowWords reads the words of one feature (row) of a stream.
type rowWords struct {
	stream *Stream
	first  uint64 // first counter of the row
	loaded int    // 1 + index of the counter in block; 0 if there is none
	block  [4]uint32
}

// word returns word k of the row.
func (r *rowWords) word(k int) uint32 {
	if n := k / 4; n+1 != r.loaded {
		r.block, r.loaded = r.stream.words(r.first+uint64(n)), n+1
	}
	return r.block[k%4]
}

// drawRows is the largest number of rows of words drawn at a time.
const drawRows = 32

// drawPanel draws 48 (simd.Width) consecutive features, beginning with feature first, of the endless sequence in which
// feature f is row f mod width of stream f/width of src. It sets the first d rows of a panel to their components, and the next to
// their phases. In float64 these are the results of Row. In float32 a component is the product in float32 of
// the same variate and the factor rounded to float32, and a phase is rounded to float32, which can make it 1.
func drawPanel[T simd.Float](s Spectrum, src Source, first, width, d int, to panel[T]) {
	var phases [simd.Width]T
	phase := phases[:]
	if to.strips {
		defer to.cut(d, phase)
	} else {
		phase = to.data[d*simd.Width:][:simd.Width]
	}
	at, chi, counters := s.layout(d)
	var c simd.Counters
	if !place(&c, first, width, counters) {
		drawColumns(s, src, first, width, d, to, phase)
		return
	}
	var scale [simd.Width]T
	for j := range scale {
		scale[j] = T(s.Scale)
	}
	if s.radial() {
		drawFactors(s, src, chi, &c, &scale)
	}
	b := drawBuffers.Get().(*drawBuffer)
	defer drawBuffers.Put(b)
	words, cut := &b.words, either[[]T](b.single[:], b.double[:])
	for k := 0; k <= at; k += drawRows {
		simd.Words(words[:], k/4, min(drawRows, at-k+4)/4, &c, src.key)
		if n := min(drawRows, d-k); n > 0 {
			part := cut[:n*simd.Width]
			if !to.strips {
				part = to.data[k*simd.Width:][:n*simd.Width]
			}
			simd.Variates(transforms[s.Law], part, words[:], &scale)
			if to.strips {
				to.cut(k, part)
			}
		}
		if at < k+drawRows {
			for j, w := range words[(at-k)*simd.Width:][:simd.Width] {
				phase[j] = T(float64(w) * 0x1p-32)
			}
		}
	}
}

// A drawBuffer is memory for rows of words, and for variates before they are cut into strips.
type drawBuffer struct {
	words  [drawRows * simd.Width]uint32
	single [drawRows * simd.Width]float32
	double [drawRows * simd.Width]float64
}

var drawBuffers = sync.Pool{New: func() any { return new(drawBuffer) }}

// place sets c to the first counter of each feature of a panel. It returns false if the low half of a counter's position
// overflows within the panel.
func place(c *simd.Counters, first, width, counters int) bool {
	if first < 0 || width < 1 {
		panic(fmt.Sprintf("compute: drawPanel: first feature %d must not be negative, width %d must be positive", first, width))
	}
	stream, row := uint64(first/width), first%width
	for j := 0; j < simd.Width; stream, row = stream+1, 0 {
		end := j + min(simd.Width-j, width-row)
		position := uint64(row) * uint64(counters)
		low, high := uint32(position), uint32(position>>32)
		if uint64(low)+uint64(end-j)*uint64(counters) > math.MaxUint32 {
			return false
		}
		for ; j < end; j++ {
			c[0][j], c[1][j], c[2][j], c[3][j] = low, high, uint32(stream), uint32(stream>>32)
			low += uint32(counters)
		}
	}
	return true
}

// drawColumns is drawPanel for counters that overflow: it draws one feature at a time.
func drawColumns[T simd.Float](s Spectrum, src Source, first, width, d int, to panel[T], phase []T) {
	column := make([]T, d)
	for j := range simd.Width {
		f := first + j
		phase[j] = T(spectrumRow(s, src.Stream(uint64(f/width)), uint64(f%width), column))
		for l, v := range column {
			to.data[to.index(l, j)] = v
		}
	}
}

// drawFactors sets scale to the factor of each feature of a panel, for a radial law whose words for χ² begin at word chi.
func drawFactors[T simd.Float](s Spectrum, src Source, chi int, c *simd.Counters, scale *[simd.Width]T) {
	const rows = 8 // rows of words drawn at a time
	var words [rows * simd.Width]uint32
	var normals [rows * simd.Width]float64
	var sum, one [simd.Width]float64
	for j := range one {
		one[j] = 1
	}
	for k, end := chi, chi+s.Freedom; k < end; {
		n := min(rows/4, (end-1)/4-k/4+1)
		next := min(end, k/4*4+4*n)
		simd.Words(words[:], k/4, n, c, src.key)
		part := normals[:(next-k)*simd.Width]
		simd.Variates(simd.Normal, part, words[k%4*simd.Width:], &one)
		for i, v := range part {
			sum[i%simd.Width] += float64(v * v)
		}
		k = next
	}
	for j := range scale {
		scale[j] = T(s.factor(sum[j]))
	}
}
