package kernels

import (
	"fmt"
	"math"
)

// A Restricted kernel is defined on a part of the inputs only.
type Restricted interface {
	Kernel
	// Outside returns the first component of x outside the kernel's domain, -1 if it is x as a whole, and what the value
	// must be; need is empty if x is inside.
	Outside(x []float64) (column int, need string)
}

// Outside calls k.Outside if k is Restricted; any other kernel is defined everywhere.
func Outside(k Kernel, x []float64) (column int, need string) {
	if r, ok := k.(Restricted); ok {
		return r.Outside(x)
	}
	return 0, ""
}

// histogram is the domain of kernels on histograms: components that are not negative.
type histogram struct{}

func (histogram) Outside(x []float64) (column int, need string) {
	for l, v := range x {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return l, ">= 0"
		}
	}
	return 0, ""
}

// outsideSkewed is Outside of the kernels of log(x + c): x_l > -c.
func outsideSkewed(x []float64, c float64) (column int, need string) {
	for l, v := range x {
		if !(v+c > 0 && v+c <= math.MaxFloat64) {
			return l, fmt.Sprintf("> %v", -c)
		}
	}
	return 0, ""
}
