//go:build ignore

// Quadrature prints the errors of composite rules on [0, 1] with n panels, as CSV: Simpson's rule, or Gauss' with three points.
//
//	go build -o quadrature quadrature.go && ./quadrature simpson
package main

import (
	"fmt"
	"math"
	"os"
)

// A rule integrates f over the panel from a of the length h.
type rule func(f func(float64) float64, a, h float64) float64

func simpson(f func(float64) float64, a, h float64) float64 {
	return h / 6 * (f(a) + 4*f(a+h/2) + f(a+h))
}

// gauss is exact for degree 5: its nodes are 0 and ±√(3/5) on [-1, 1].
func gauss(f func(float64) float64, a, h float64) float64 {
	const node = 0.7745966692414834
	middle := a + h/2
	return h / 18 * (5*f(middle-node*h/2) + 8*f(middle) + 5*f(middle+node*h/2))
}

func composite(one rule, f func(float64) float64, n int) (sum float64) {
	h := 1 / float64(n)
	for i := range n {
		sum += one(f, float64(i)*h, h)
	}
	return sum
}

// Of cos 8x the integral is sin(8)/8. The derivatives of √x are infinite at 0, and its integral is 2/3.
func wave(x float64) float64 { return math.Cos(8 * x) }

func main() {
	rules := map[string]rule{"simpson": simpson, "gauss": gauss}
	one, known := rules[os.Args[len(os.Args)-1]]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: quadrature simpson|gauss")
		os.Exit(2)
	}
	fmt.Println("n,smooth,root")
	for n := 2; n <= 256; n *= 2 {
		smooth := math.Abs(composite(one, wave, n) - math.Sin(8)/8)
		root := math.Abs(composite(one, math.Sqrt, n) - 2./3)
		fmt.Printf("%d,%.17g,%.17g\n", n, smooth, root)
	}
}
