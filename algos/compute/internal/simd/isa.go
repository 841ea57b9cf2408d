// Package simd holds the inner loops of the compute core: vector functions, micro-kernels of matrix products, packing, and
// the transforms of the random streams, each for AVX-512, for AVX2 and in portable Go. algos/compute/gen generates the
// assembly. NEON has assembly for Tile, TileStrips, Weigh, Squares, Accumulate, RowDots and the vector functions. With NEON
// the other functions run Go code that gives the bits of the vector code.
//
// AVX2, AVX-512 and NEON give the same bits: they perform the same correctly rounded operations in the same order. Excepted
// are the sign and payload of NaN, and results of Weigh that round up to the smallest normal number: NEON flushes them to 0.
// Portable code gives the same bits on every platform. Where the documentation says so (the random streams), these are the
// bits of the vector code; elsewhere the last places differ, because portable code does not fuse multiplications with
// additions. In programs for js that are built with the tag lanes, functions of package lanes do the work of portable code.
package simd

import (
	"fmt"
	"math"
	"os"
	"slices"
	"unsafe"
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
func initial(want string) *instructionSet { return available[max(0, slices.Index(Available(), want))] }

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

// An instructionSet is what an instruction set has functions for. nil, or the address 0, stands for portable code.
type instructionSet struct {
	name     string
	single   kernels[float32]
	double   kernels[float64]
	integers *integerSet

	philox           func(dst *uint32, n int, at *uint32, from int, keys *uint32)
	narrow           uintptr
	squaredDistances func(k int, a, b, c *float64)

	// On n bricks, see the functions of the same names.
	brickSymMul, brickDots, brickAddRows func(n int, a, x, y *float64)
	brickAddOuter, brickSubOuter         func(n, k int, c, a, b *float64, stride int)
}

// kernels are the functions of an instruction set for elements of type T. They take the addresses of first elements. What is an
// uintptr is the address of a function in assembly, which the entry of its signature calls.
type kernels[T Float] struct {
	tiles  *tileSet
	panels *panelSet
	rows   *rowTiles

	pack, transpose, strips, add, set, setStream, spread, spreadStream uintptr // see callPack
	accumulate                                                         uintptr // see callSum

	// They replace n elements of z: by a function of each, of it and the parameters, or of it, the parameters and those of t.
	cos, exp2, clampBelow, scale, log, sqrt, reciprocal, affine, mulPoly vectorFunc[T] // cos is cosOverLead
	power                                                                func(z *T, n int, exponent uint64, steps int)

	weigh   func(k int, a, b *T, ldb int, c *T) // of 4k rows
	squares func(k int, b *T, ldb int, c *T)

	// Whole functions: Tile with rows of a in strips, Panels.Tile, RowDots of 8n terms, and those of packing for any rows and columns.
	cover          func(op Op, m, n, k int, a *T, lda, strip int, b *T, ldb int, c *T, ldc int, add bool)
	panel          func(form Form, columns bool, m, n, k int, a *T, lda, strip int, b, c *T, s T)
	rowDots        func(m int, dst *float64, ldd int, a *T, lda int, rows *int, b *float64, c, n int)
	addAny, setAny func(dst *float64, ldd int, src *T, lds int, alpha float64, rows, n int)
	transposeAny   func(dst *T, ldd int, src *T, lds, rows, n int)
	packAny        func(dst *T, ldd int, src *float64, lds int, mean *float64, rows, n int)

	variates [Sech + 1]func(dst *T, words *uint32, n int, scale *T) // of 48n words; of 96n for Normal
}

type vectorFunc[T Float] func(z *T, n int, a, b, c T, t *T)

// first returns the address of the first element of z. It hides it from escape analysis, which cannot see that the functions of
// a table keep no pointers, and would move arrays from the stacks of callers to the heap. Between the conversions nothing may be called,
// not even a check of the race detector's builds: it could move the stack, and the address would be one in the old stack.
//
//go:nosplit
//go:nocheckptr
func first[T any](z []T) *T {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(z)))
	return *(**T)(unsafe.Pointer(&at))
}

// scalar returns the bits of a parameter.
func scalar[T Float](v T) uint64 {
	if unsafe.Sizeof(v) == 4 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// address returns the address of the first element of z.
func address[T any](z []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(z)) }

// kernelsOf returns the functions in use for elements of type T.
func kernelsOf[T Float]() *kernels[T] {
	if unsafe.Sizeof(T(0)) == 4 {
		return (*kernels[T])(unsafe.Pointer(&current.single))
	}
	return (*kernels[T])(unsafe.Pointer(&current.double))
}
