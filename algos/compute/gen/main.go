// Command gen writes the assembly of package simd, for AVX2, AVX-512 and NEON, float32 and float64. One call writes one part
// for AVX2 and AVX-512 with avo, or everything for NEON, which avo lacks. To write all parts:
//
//	go generate ./algos/compute/internal/simd
//
// If AVX2 and AVX-512 code must give the same bits, the same Go function writes both, as the same sequence of correctly
// rounded operations; only the register width differs. NEON code repeats that sequence, and golden hashes compare its bits.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	. "github.com/mmcloughlin/avo/build"
)

var parts = map[string]func(){
	"tile": tiles, "vector": functions, "pack": packs, "random": random, "bricks": bricks, "distances": distances, "integers": integers,
}

func main() {
	part := flag.String("part", "", fmt.Sprint("which part to write, of ", slices.Sorted(maps.Keys(parts))))
	flag.Parse() // together with avo's own -out, -stubs and -pkg
	if *neonDir != "" {
		if err := writeNEON(*neonDir); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
		return
	}
	write, ok := parts[*part]
	if !ok {
		fmt.Fprintf(os.Stderr, "gen: unknown part %q\n", *part)
		os.Exit(2)
	}
	ConstraintExpr("!purego")
	write()
	Generate()
}
