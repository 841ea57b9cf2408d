package simd

import "unsafe"

// An instructionSet is what an instruction set has assembly for. nil stands for portable code.
type instructionSet struct {
	name     string
	single   kernels[float32]
	double   kernels[float64]
	integers *integerSet

	philox           func(dst *uint32, n int, at *uint32, from int, keys *uint32)
	narrow           func(dst *float32, src *float64, n int) // converts 8n numbers
	squaredDistances func(k int, a, b, c *float64)

	// On n bricks, see the functions of the same names.
	brickSymMul, brickDots, brickAddRows func(n int, a, x, y *float64)
	brickAddOuter, brickSubOuter         func(n, k int, c, a, b *float64, stride int)
}

// kernels are the functions of an instruction set for elements of type T. They take the addresses of first elements.
type kernels[T Float] struct {
	tiles  *tileSet[T]
	panels *panelSet[T]
	rows   *rowTiles[T]
	packing[T]

	cos, exp2, clampBelow, scale func(z *T, n int, s T) // cos is cosOverLead
	log, sqrt, reciprocal        func(z *T, n int)
	power                        func(z *T, n int, exponent uint64, steps int)
	affine                       func(z *T, n int, a, b T)
	mulPoly                      func(z *T, n int, t *T, c0, c1, c2 T)

	weigh      func(k int, a, b *T, ldb int, c *T) // of 4k rows
	squares    func(k int, b *T, ldb int, c *T)
	accumulate func(n int, acc *float64, x *T) // 48n elements

	variates [3]func(dst *T, words *uint32, n int, scale *T) // by variate, of 48n words; of 96n for normals

	peak      func(rounds int)
	peakFlops int // of a round
}

// packing is the functions that move elements. AVX-512 and AVX2 share them.
type packing[T Float] struct {
	pack                 func(dst *T, ldd int, src *float64, lds int, mean *float64, n int)
	add, set, setStream  func(dst *float64, ldd int, src *T, lds int, alpha float64, rows, n int)
	spread, spreadStream func(dst *T, stride int, src *float64, lds, rows, n, groups int)
	strips               func(dst *T, stride int, src *T, n int)
	transpose            func(dst *T, ldd int, src *T, lds, n int)
}

// first returns the address of the first element of z. It hides it from escape analysis, which cannot see that the functions of
// a table keep no pointers, and would move arrays from the stacks of callers to the heap.
func first[T any](z []T) *T {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(z)))
	return *(**T)(unsafe.Pointer(&at))
}

// kernelsOf returns the functions in use for elements of type T.
func kernelsOf[T Float]() *kernels[T] {
	if unsafe.Sizeof(T(0)) == 4 {
		return (*kernels[T])(unsafe.Pointer(&current.single))
	}
	return (*kernels[T])(unsafe.Pointer(&current.double))
}
