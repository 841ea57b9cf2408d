package claims

import (
	"fmt"
	"slices"
)

// Gate returns the exit status of `repro verify --gate`: 0 all claims hold, 1 some deviate, 3 some
// are inconclusive, 4 some were not run or are not comparable, 5 a run failed.
//
// With several outcomes the first of 5, 1, 4, 3, 0 is the status. A failed run makes every other outcome doubtful. A
// deviation stands even if other cells are missing. A claim that was not compared says less than one that is inconclusive.
// Without any verdict the status is 4.
func Gate(verdicts []Verdict) int {
	status := map[Word]int{Reproduced: 0, Deviates: 1, Inconclusive: 3, NotComparable: 4, NotRun: 4, Failed: 5}
	precedence := []int{0, 3, 4, 1, 5} // from the mildest
	if len(verdicts) == 0 {
		return status[NotRun]
	}
	worst := 0
	for _, v := range verdicts {
		s, ok := status[v.Verdict]
		if !ok {
			panic(fmt.Sprintf("claims: unknown verdict %q", v.Verdict))
		}
		worst = max(worst, slices.Index(precedence, s))
	}
	return precedence[worst]
}
