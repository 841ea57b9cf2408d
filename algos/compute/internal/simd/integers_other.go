//go:build !amd64 || purego

package simd

// integersOf returns nil for portable code.
func integersOf() *integerSet { return nil }
