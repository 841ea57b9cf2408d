package claims

import (
	"fmt"
	"slices"
)

// Gate returns the exit status of `repro verify --gate`: 0 all claims hold, 1 some deviate, 3 some
// are inconclusive, 4 some were not run or are not comparable, 5 a run failed.
//
// The worst that was found wins, in the order 5, 1, 4, 3, 0: a failed run puts everything about it in
// doubt; a deviation is a finding that no missing cell takes back; what was never compared says less
// than what was compared and left open. No verdicts at all are incomplete, not a pass.
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
			panic(fmt.Sprintf("results: unknown verdict %q", v.Verdict))
		}
		worst = max(worst, slices.Index(precedence, s))
	}
	return precedence[worst]
}
