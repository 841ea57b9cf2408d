//go:build !amd64 || purego

package simd

func brickSymMulVector(y, a, x []float64, n int) bool  { return false }
func brickDotsVector(out, a, x []float64, n int) bool  { return false }
func brickAddRowsVector(y, a, w []float64, n int) bool { return false }

func brickAddOuterVector(c, a, b []float64, n, k, stride int, subtract bool) bool { return false }
