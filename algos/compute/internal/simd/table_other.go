//go:build (!amd64 && !arm64) || purego

package simd

import "unsafe"

func vectorSets() []*instructionSet { return nil }

// The entries of assembly, which is not called because no instruction set has it.
func callSum(uintptr, int, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int, int) {}
func callPack(uintptr, unsafe.Pointer, int, unsafe.Pointer, int, int, unsafe.Pointer, int, uint64) {
}
func callTile(uintptr, int, int, unsafe.Pointer, int, unsafe.Pointer, int, unsafe.Pointer, int, int, unsafe.Pointer) {
}
func callRow(uintptr, int, unsafe.Pointer, int, int, int, int, int, int, int, unsafe.Pointer, int, unsafe.Pointer, int, unsafe.Pointer, int) {
}
func callPanel(uintptr, int, int, unsafe.Pointer, int, int, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int, uint64) {
}
