//go:build !purego

package simd

// vectorSets returns NEON, which every arm64 processor that Go supports has.
func vectorSets() []*instructionSet { return []*instructionSet{assembled(NEON, 0, 16)} }
