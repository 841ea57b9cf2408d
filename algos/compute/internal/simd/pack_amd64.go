//go:build !purego

package simd

// packsVectors reports whether there is vector code of the functions that pack.
func packsVectors() bool { return current != Generic }
