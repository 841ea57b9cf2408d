//go:build (!amd64 && !arm64) || purego

package simd

func cosVector[T Float]([]T, T) bool                  { return false }
func exp2Vector[T Float]([]T, T) bool                 { return false }
func logVector[T Float]([]T) bool                     { return false }
func sqrtVector[T Float]([]T) bool                    { return false }
func clampBelowVector[T Float]([]T, T) bool           { return false }
func scaleVector[T Float]([]T, T) bool                { return false }
func powerVector[T Float]([]T, uint64, int) bool      { return false }
func reciprocalVector[T Float]([]T) bool              { return false }
func affineVector[T Float](_ []T, _, _ T) bool        { return false }
func mulPolyVector[T Float](_, _ []T, _, _, _ T) bool { return false }
