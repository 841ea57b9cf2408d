// Command gen writes the assembly of package simd: one part of it for AVX2 and AVX-512, float32 and
// float64 alike. To write all parts:
//
//	go generate ./algos/compute/internal/simd
//
// Where AVX2 and AVX-512 code must give the same bits, both are made by the same Go function from the
// same sequence of exactly rounded operations; only the width of a register differs.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

var parts = map[string]func(){}

func main() {
	part := flag.String("part", "", "which part to write: tile, vector, pack or random")
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
