//go:build !purego

package simd

const haveAVX2, haveAVX512, haveNEON = false, false, true // every arm64 processor that Go supports has NEON
