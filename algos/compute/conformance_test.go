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
