package claims

import "slices"

// A Debt is an inconclusive claim, with what would settle it if mean and spread stay as measured. What is not known is nil.
type Debt struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Seeds      int      `json:"seeds"`
	Needed     *int     `json:"seeds_needed"` // nil if no number of seeds would settle it
	Seconds    *float64 `json:"seconds"`      // of all the runs of that many seeds of the claim's methods
	Reason     string   `json:"reason"`
}

// Debts returns the inconclusive ones of verdicts on an experiment's claims, how many of them more seeds would settle, and the
// seconds that all of these runs take. seconds is the time of one seed of every method whose cost is known.
func Debts(exp Experiment, verdicts []Verdict, seconds map[string]float64) (debts []Debt, settled int, total float64) {
	most := map[string]int{} // seeds needed by method
	for _, v := range verdicts {
		if v.Experiment != exp.ID || v.Verdict != Inconclusive {
			continue
		}
		d := Debt{Experiment: v.Experiment, Claim: v.Claim, Seeds: v.Seeds, Reason: v.Reason}
		i := slices.IndexFunc(exp.Claims, func(c Claim) bool { return c.ID == v.Claim })
		if n := v.SeedsNeeded(); n > 0 && i >= 0 {
			settled++
			sum := 0.0
			for _, m := range exp.Claims[i].Methods() {
				sum += seconds[m] * float64(n)
				most[m] = max(most[m], n)
			}
			d.Needed, d.Seconds = &n, &sum
		}
		debts = append(debts, d)
	}
	for m, n := range most {
		total += seconds[m] * float64(n)
	}
	return debts, settled, total
}
