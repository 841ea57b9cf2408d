//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// vectorSets returns the instruction sets that this processor has, best first.
func vectorSets() []*instructionSet {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	all := (*[6]table)(tables())
	avx2 := assembled(AVX2, 3, 32)
	avx2.integers = integersIn(&all[5], 32, 2)
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL {
		return []*instructionSet{avx2}
	}
	avx512 := assembled(AVX512, 0, 64)
	avx512.integers = avx2.integers
	if cpu.X86.HasAVX512VNNI {
		avx512.integers = integersIn(&all[2], 64, 4)
	}
	return []*instructionSet{avx512, avx2}
}

// integersIn returns the functions of a table of integers, for vectors of bytes and for elements that hold a group of integers.
func integersIn(t *table, bytes, group int) *integerSet {
	return &integerSet{tiles: t.panels(bytes/4, bytes/8), group: group, packLeft: t.at("packLeft"), packRight: t.at("packRight")}
}
