package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
)

// onEach runs a test with every instruction set there is.
func onEach(t *testing.T, test func(t *testing.T)) {
	defer func(isa string) { require.NoError(t, simd.Select(isa)) }(simd.ISA())
	for _, isa := range simd.Available() {
		t.Run(isa, func(t *testing.T) {
			require.NoError(t, simd.Select(isa))
			test(t)
		})
	}
}

// TestConformance runs the suite. Instruction sets do not race differently, and portable code is very slow
// under the detector.
func TestConformance(t *testing.T) {
	if underRace {
		conformance(t)
		return
	}
	onEach(t, conformance)
}

// TestBitsOfVectorCode compares all operations with AVX2 and AVX-512 bit by bit.
func TestBitsOfVectorCode(t *testing.T) {
	for _, precision := range []compute.Precision{compute.Float32, compute.Float64} {
		var want []operationResult
		onEach(t, func(t *testing.T) {
			if simd.ISA() == simd.Generic {
				return // rounds differently, and is compared with the oracle
			}
			got := results(compute.NewEngine(compute.Options{Threads: 2, Precision: precision}))
			if want == nil {
				want = got
			}
			mustEqualResults(t, want, got)
		})
	}
}

// FuzzShapes compares operations of any shape with the oracle.
func FuzzShapes(f *testing.F) {
	for op := range byte(8) {
		for flags := range byte(8) {
			f.Add(op, uint16(49), uint16(97), uint16(17), byte(3), flags, byte(1))
			f.Add(op, uint16(1), uint16(300), uint16(2), byte(49), flags, byte(2))
		}
		f.Add(op, uint16(0), uint16(5), uint16(3), byte(1), byte(0), byte(0))
		f.Add(op, uint16(5), uint16(0), uint16(3), byte(1), byte(1), byte(0))
		f.Add(op, uint16(48), uint16(96), uint16(0), byte(2), byte(6), byte(6))
	}
	f.Fuzz(func(t *testing.T, op byte, m, n, k uint16, columns, flags, threads byte) {
		fuzzCase{Operation: op, M: m, N: n, K: k, Columns: columns, Flags: flags, Threads: threads}.check(t)
	})
}
