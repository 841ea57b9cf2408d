package compute_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"repro/algos/compute"
)

// conformance checks what package compute promises of operators and products against an oracle, the plain sums of the
// formulas, in both precisions: results are within derived error bounds of the oracle, identical points have distance exactly
// 0, operands do not change, bits do not depend on threads, cache or previous operations, NaN and Inf do not spread to other
// rows and columns, and no access is outside the operands. Without -short it tests every small shape of products.
//
// Operands are only read and may share memory in any way; a kernel recognises K(x, x) by it. Results must not share memory
// with operands.
func conformance(t *testing.T) {
	for _, p := range []compute.Precision{compute.Float32, compute.Float64} {
		s := suite{p, map[int]*compute.Engine{}}
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

// A suite is the set of checks for engines of one precision.
type suite struct {
	precision compute.Precision
	engines   map[int]*compute.Engine // by threads
}

// engine returns the engine with the given number of threads. All cases share it: what one leaves in its memory must not
// affect the next.
func (s suite) engine(threads int) *compute.Engine {
	if s.engines[threads] == nil {
		s.engines[threads] = compute.NewEngine(compute.Options{Threads: threads, Precision: s.precision})
	}
	return s.engines[threads]
}

// cached returns a new engine with three threads and a cache of the given bytes.
func (s suite) cached(bytes int64) *compute.Engine {
	return compute.NewEngine(compute.Options{Threads: 3, Precision: s.precision, CacheBytes: bytes})
}

// roundoff returns the unit roundoff of tiles plus that of the oracle: if an engine rounds n times, the oracle rounds at
// most n times.
func (s suite) roundoff() float64 {
	if s.precision == compute.Float32 {
		return 0x1p-24 + 0x1p-53
	}
	return 2 * 0x1p-53
}

// Sizes near those of micro-tiles (4, 8 and 24 rows or columns), panels (48) and runs of panels (96).
var (
	points  = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 63, 64, 65, 70, 95, 96, 97, 143, 145, 193, 300}
	inputs  = []int{0, 1, 2, 3, 15, 16, 17, 50, 123, 300}
	columns = []int{0, 1, 2, 3, 10, 49, 100}
	widths  = []int{1, 5, 32, 48, 64, 512}
)

// A sampler draws the same shapes in every run, and draws the elements of each list equally often.
type sampler struct {
	r     *rand.Rand
	decks map[*int][]int
}

func newSampler(seed uint64) *sampler {
	return &sampler{rand.New(rand.NewPCG(seed, 0)), map[*int][]int{}}
}

// pick returns an element of the list. It goes through the list in random order, then again in another.
func (s *sampler) pick(list []int) int {
	deck := s.decks[&list[0]]
	if len(deck) == 0 {
		deck = slices.Clone(list)
		s.r.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	}
	s.decks[&list[0]] = deck[1:]
	return deck[0]
}

// yes returns true with probability 1/2.
func (s *sampler) yes() bool { return s.r.IntN(2) == 1 }

// samples returns how many cases to draw.
func samples(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}

// manyProcessors sets GOMAXPROCS for the test, so that goroutines run concurrently on machines with few processors.
func manyProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(8)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func dims(numbers ...int) string { return fmt.Sprint(numbers) }
