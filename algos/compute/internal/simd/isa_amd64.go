//go:build !purego

package simd

import "golang.org/x/sys/cpu"

const haveNEON = false

var (
	haveAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	haveAVX512 = haveAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
	haveVNNI   = haveAVX512 && cpu.X86.HasAVX512VNNI
)
