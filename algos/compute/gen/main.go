// Command gen writes the assembly of package simd, for AVX2 and AVX-512, float32 and float64. One call writes one part. To
// write all parts:
//
//	go generate ./algos/compute/internal/simd
//
// If AVX2 and AVX-512 code must give the same bits, the same Go function writes both, as the same sequence of correctly
// rounded operations; only the register width differs.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

var parts = map[string]func(){}

func main() {
	part := flag.String("part", "", "which part to write: tile, vector, pack, random, bricks or distances")
	flag.Parse() // together with avo's own -out, -stubs and -pkg
	write, ok := parts[*part]
	if !ok {
		fmt.Fprintf(os.Stderr, "gen: unknown part %q\n", *part)
		os.Exit(2)
	}
	ConstraintExpr("!purego")
	write()
	Generate()
}
