package claims

import "slices"

// Headline returns the verdict with the one number of an experiment that matters most: the first claim that deviates, because
// a reader has to know; otherwise the first that is reproduced or inconclusive; otherwise the first that has a number. Specs
// list their main claim first. ok is false if no claim has a number.
func Headline(verdicts []Verdict) (v Verdict, ok bool) {
	for _, words := range [][]Word{{Deviates}, {Reproduced, Inconclusive}, Words} {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Measured != nil && slices.Contains(words, v.Verdict) })
		if i >= 0 {
			return verdicts[i], true
		}
	}
	return Verdict{}, false
}
