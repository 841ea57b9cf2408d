//go:build !purego

package simd

// vectorSets returns NEON, which every arm64 processor that Go supports has.
func vectorSets() []*instructionSet { return []*instructionSet{neon} }

var neon = &instructionSet{name: NEON, single: kernelsNEONF32, double: kernelsNEONF64}
