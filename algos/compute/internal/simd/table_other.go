//go:build (!amd64 && !arm64) || purego

package simd

func vectorSets() []*instructionSet { return nil }
