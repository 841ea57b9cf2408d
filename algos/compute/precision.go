package compute

import "repro/algos/compute/internal/simd"

// A Precision is the floating-point type in which operators compute. Matrices are float64 in either.
type Precision string

// The precisions. In Float32, operands are rounded to float32 when they are packed, and sums over more than 96 points
// continue in float64. Products of matrices with few columns (see Engine.Gemm) are computed in float64 in either.
const (
	Float64 Precision = "float64"
	Float32 Precision = "float32"
)

// sizeof returns the bytes of an element.
func sizeof[T simd.Float]() int {
	switch any(T(0)).(type) {
	case float32:
		return 4
	}
	return 8
}
