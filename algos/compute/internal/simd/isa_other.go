//go:build (!amd64 && !arm64) || purego

package simd

const haveAVX2, haveAVX512, haveNEON = false, false, false
