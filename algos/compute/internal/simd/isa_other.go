//go:build !amd64 || purego

package simd

const haveAVX2, haveAVX512 = false, false
