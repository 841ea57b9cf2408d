//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// vectorSets returns the instruction sets that this processor has, best first.
func vectorSets() []*instructionSet {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return nil
	case !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL:
		return []*instructionSet{avx2}
	}
	if cpu.X86.HasAVX512VNNI {
		avx512.integers = &integersAVX512U8
	}
	return []*instructionSet{avx512, avx2}
}
