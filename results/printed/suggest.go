package printed

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Longest bounds the length in bytes of words that are compared and quoted whole.
const Longest = 100

// Suggest names the one of names that the user may have meant, or lists them all.
func Suggest(got string, names []string) string {
	best, distance := "", 2+len(got)/4
	for _, n := range names {
		if max(len(got), len(n)) > Longest {
			continue
		}
		if d := EditDistance(strings.ToLower(got), strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(names) == 0:
		return "there are none"
	case len(names) == 1:
		return "it can only be " + Quote(names[0])
	default:
		return "choose one of " + Names(names, Longest)
	}
}

// Names lists names, which may come from a file of others: those that are long, empty or not plain text as Quote writes them, and
// the first most of them.
func Names(names []string, most int) string {
	var shown []string
	for _, n := range names[:min(len(names), most)] {
		if q := Quote(n); len(q) != len(n)+2 || n == "" || strings.TrimSpace(n) != n || strings.Contains(n, ",") {
			n = q
		}
		shown = append(shown, n)
	}
	if left := len(names) - most; left > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(shown, ", ")
}

// EditDistance is the number of insertions, deletions, substitutions and swaps of neighbours that
// turn a into b (Damerau's distance in its restricted form).
func EditDistance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Quote quotes a string that the user gave, shortened if it is long.
func Quote(s string) string {
	if r := []rune(s[:min(len(s), utf8.UTFMax*(Longest+1))]); len(r) > Longest {
		s = string(r[:Longest]) + "…"
	}
	return strconv.Quote(s)
}
