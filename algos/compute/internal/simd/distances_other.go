//go:build !amd64 || purego

package simd

func squaredDistances(c, a, b []float64) { squaredDistancesGeneric(c, a, b) }
