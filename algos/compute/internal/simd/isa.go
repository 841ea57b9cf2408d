// Package simd holds the inner loops of the compute core: vector functions, micro-kernels of matrix products, packing, and
// the transforms of the random streams, each for AVX-512, for AVX2 and in portable Go. algos/compute/gen generates the
// assembly. NEON has assembly for Tile, TileStrips, Weigh, Squares, Accumulate, RowDots and the vector functions. With NEON
// the other functions run Go code that gives the bits of the vector code.
//
// AVX2, AVX-512 and NEON give the same bits: they perform the same correctly rounded operations in the same order. Excepted
// are the sign and payload of NaN, and results of Weigh that round up to the smallest normal number: NEON flushes them to 0.
// Portable code gives the same bits on every platform. Where the documentation says so (the random streams), these are the
// bits of the vector code; elsewhere the last places differ, because portable code does not fuse multiplications with
// additions.
package simd

import (
	"fmt"
	"os"
	"slices"
)

// Float is the element type of a vector.
type Float interface{ float32 | float64 }

// Instruction sets, in order of preference.
const (
	AVX512  = "avx512"
	AVX2    = "avx2"
	NEON    = "neon"
	Generic = "generic"
)

// portable is the instruction set without vector code.
var portable = &instructionSet{name: Generic}

// available are the instruction sets that this processor can run, best first; the last is portable code. current is the one in use.
var (
	available = append(vectorSets(), portable)
	current   = initial(os.Getenv("REPRO_CPU"))
)

// initial returns want if this processor has it, else the best instruction set that it has.
func initial(want string) *instructionSet {
	return available[max(0, slices.Index(Available(), want))]
}

// Available returns the instruction sets that this processor can run, best first. The last is "generic".
func Available() (names []string) {
	for _, s := range available {
		names = append(names, s.name)
	}
	return names
}

// ISA returns the instruction set in use.
func ISA() string { return current.name }

// Select changes the instruction set in use. It returns an error if the processor lacks it. No other function of this
// package may run at the same time.
func Select(isa string) error {
	i := slices.Index(Available(), isa)
	if i < 0 {
		return fmt.Errorf("instruction set %q: this processor has %v", isa, Available())
	}
	current = available[i]
	return nil
}
