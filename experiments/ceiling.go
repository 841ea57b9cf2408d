package experiments

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A ceiling bounds the magnitude of a number of a spec, so that a slip of the keyboard is refused before it takes memory or
// overflows. Zero is no ceiling.
type ceiling struct {
	most float64
	why  string
}

// Ceilings of keys without a tag of their own. The product of two integers that they allow fits in 64 bits.
var (
	integers = ceiling{math.MaxInt32, "no matrix can have more rows or columns"}
	seeds    = ceiling{1<<53 - 1, "readers of records keep larger integers inexactly"}
	reals    = ceiling{1e100, "products of it could overflow"}
)

// ceilingOf returns the ceiling of a key from its tag, such as most:"1e5 a record has a line for each", or the one of its
// type.
func ceilingOf(tag string, t reflect.Type) ceiling {
	if tag != "" {
		number, why, _ := strings.Cut(tag, " ")
		most, err := strconv.ParseFloat(number, 64)
		if err != nil || why == "" {
			panic("experiments: most tag " + strconv.Quote(tag))
		}
		return ceiling{most, why}
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return integers
	case reflect.Uint64:
		return seeds
	case reflect.Float64:
		return reals
	}
	return ceiling{}
}

// stated reports whether the ceiling is the key's own.
func (c ceiling) stated() bool {
	return c.most > 0 && c != integers && c != seeds && c != reals
}

// check returns what is wrong with x, empty if nothing is. Infinity, which is no value of a key, is nobody's concern here.
func (c ceiling) check(x float64) string {
	if c.most == 0 || math.Abs(x) <= c.most || math.IsInf(x, 0) {
		return ""
	}
	if x < 0 {
		return fmt.Sprintf("must be >= %v, got %v: %s", -c.most, x, c.why)
	}
	return fmt.Sprintf("must be <= %v, got %v: %s", c.most, x, c.why)
}
