// Package computetest is the conformance suite of the compute core: what package compute promises of
// its operators and products, checked against sums written down as the formulas have them.
//
// What may share memory: operands are only read, so they may overlap in any way, and a kernel of a set
// of points with itself is recognised by it. Results share no memory with operands.
package computetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"repro/algos/compute"
)

// Run checks engines made by newEngine, in both precisions: values against an oracle with derived
// error bounds, exact distances of identical points, operands untouched, the same bits whatever
// the threads, the cache and the history of the engine, poisoned values kept to their rows and columns,
// and no access outside operands. Without -short it tries every small shape of products.
func Run(t *testing.T, newEngine func(compute.Options) *compute.Engine) {
	for _, p := range []compute.Precision{compute.Float32, compute.Float64} {
		s := suite{newEngine, p, map[int]*compute.Engine{}}
		t.Run(string(p), func(t *testing.T) {
			t.Run("kernels", s.kernels)
			t.Run("kernels beyond one group", s.largeKernels)
			t.Run("symmetric kernels", s.symmetric)
			t.Run("distances", s.distances)
			t.Run("features", s.features)
			t.Run("features beyond one group", s.largeFeatures)
			t.Run("products", s.products)
			t.Run("products beyond one group", s.largeProducts)
			t.Run("same bits", s.sameBits)
			t.Run("shared operands", s.sharedOperands)
			t.Run("poisoned kernels", s.poisonedKernels)
			t.Run("poisoned features", s.poisonedFeatures)
			t.Run("poisoned products", s.poisonedProducts)
			t.Run("inside memory", s.insideMemory)
		})
	}
}

// A suite is the checks of engines of one precision.
type suite struct {
	newEngine func(compute.Options) *compute.Engine
	precision compute.Precision
	engines   map[int]*compute.Engine // by threads
}

// engine returns the engine of so many threads that cases share: what they leave in its memory must
// not show.
func (s suite) engine(threads int) *compute.Engine {
	if s.engines[threads] == nil {
		s.engines[threads] = s.newEngine(compute.Options{Threads: threads, Precision: s.precision})
	}
	return s.engines[threads]
}

// cached returns an engine of its own, of three threads, that keeps so many bytes of frequencies.
func (s suite) cached(bytes int64) *compute.Engine {
	return s.newEngine(compute.Options{Threads: 3, Precision: s.precision, CacheBytes: bytes})
}

// roundoff is the unit roundoff of tiles and that of the oracle together: relative errors that an engine
// may make n times, the oracle makes at most n times, too.
func (s suite) roundoff() float64 {
	if s.precision == compute.Float32 {
		return 0x1p-24 + 0x1p-53
	}
	return 2 * 0x1p-53
}

// Sizes near those of micro-tiles (4, 8 and 24 rows or columns), panels (48) and blocks of the reduced
// side (96).
var (
	points  = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 63, 64, 65, 70, 95, 96, 97, 143, 145, 193, 300}
	inputs  = []int{0, 1, 2, 3, 15, 16, 17, 50, 123, 300}
	columns = []int{0, 1, 2, 3, 10, 49, 100}
	widths  = []int{1, 5, 32, 48, 64, 512}
)

// A sampler draws shapes, the same ones every time, and visits each list evenly.
type sampler struct {
	r     *rand.Rand
	decks map[*int][]int
}

func newSampler(seed uint64) *sampler {
	return &sampler{rand.New(rand.NewPCG(seed, 0)), map[*int][]int{}}
}

// pick returns an element of the list: each once in random order, and again.
func (s *sampler) pick(list []int) int {
	deck := s.decks[&list[0]]
	if len(deck) == 0 {
		deck = slices.Clone(list)
		s.r.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	}
	s.decks[&list[0]] = deck[1:]
	return deck[0]
}

// yes is true half the time.
func (s *sampler) yes() bool { return s.r.IntN(2) == 1 }

// samples returns how many cases to draw.
func samples(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}

// manyProcessors lets goroutines run at the same time where the machine has fewer processors, until
// the test ends.
func manyProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(8)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func dims(numbers ...int) string { return fmt.Sprint(numbers) }
