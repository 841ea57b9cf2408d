package records

import (
	"cmp"
	"fmt"
	"slices"

	"repro/results/printed"
)

// Select returns the records of one method, sorted by seed.
func Select(recs []*Record, method string) []*Record {
	var out []*Record
	for _, r := range recs {
		if r.Header.Method == method {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, ByMethodAndSeed)
	return out
}

// Listing names the records that match, each with its ending, as printed.List does.
func Listing(recs []*Record, match func(*Record) bool) string {
	var names []string
	for _, r := range recs {
		if match(r) {
			names = append(names, fmt.Sprintf("%s seed %d %s", r.Header.Method, r.Header.Seed, r.Ending()))
		}
	}
	return printed.List(names)
}

// ByMethodAndSeed orders records by method, seed and cell.
func ByMethodAndSeed(a, b *Record) int {
	return cmp.Or(
		cmp.Compare(a.Header.Method, b.Header.Method),
		cmp.Compare(a.Header.Seed, b.Header.Seed),
		cmp.Compare(a.Header.Cell, b.Header.Cell),
	)
}
