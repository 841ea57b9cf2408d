package changes

import (
	"fmt"
	"math"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// doubts says why an accepted number guards little: it is not reproduced, or its seeds could not tell a change by twice the margin. It is
// empty if there is no reason to doubt.
func (n Number) doubts(c claims.Claim, in Snapshot) string {
	var all []string
	if n.Word != claims.Reproduced {
		text := "it is " + string(n.Word)
		if n.Word == claims.Deviates {
			text = "it deviates"
		}
		of := c.Quantity()
		if n.Rival != "" && n.Log {
			of = claims.Ratio
		}
		if accept, err := c.Accepts(of); err == nil && n.Mean != nil {
			text += fmt.Sprintf(": %s, and accepted is %s", printed.Number(*n.Mean), accept)
		}
		all = append(all, text)
	}
	planned, _ := in.Claims[c.ID][seedsKey].(float64)
	floor := floors(in.Series).ofClaim(c)
	if text := n.blind(int(planned)); text != "" && in.Claims[c.ID][exactKey] == nil && !(floor > 0 && allWithin(n.Values, floor)) {
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// blind says what a check could not tell after a harmless change, one that draws other random numbers of the same law: then seeds are
// not paired, and differences of two of them have twice their variance. It is empty if a check with the planned seeds, or with those of the
// last look, finds what moved by twice the margin.
func (n Number) blind(planned int) string {
	if n.Why != "" || len(n.Values) == 0 {
		return ""
	}
	values, back := n.Values, func(v float64) float64 { return v }
	if n.Log {
		back = math.Expm1
		values = make([]float64, len(n.Values))
		for i, v := range n.Values {
			values[i] = math.Log(v)
		}
	}
	e := stats.MeanInterval(values)
	if e.N == 1 {
		return "one seed has no interval, so a check cannot tell whether a change is harmless; accept 2 seeds or more"
	}
	last := Looks[len(Looks)-1]
	seeds := min(e.N, max(planned, last.Seeds))
	beyond := stats.Detectable(seeds, last.Alpha) * math.Sqrt2 * e.SD
	margin := n.scaled()
	switch {
	case beyond <= margin:
		return ""
	case !e.Bounded() || math.IsInf(beyond, 0):
		return "its seeds have no interval, so a check cannot tell whether a change is harmless"
	}
	c := Change{Log: n.Log, Margin: n.Margin, Detectable: records.Value(margin + beyond)}
	if n.Log {
		c.Detectable = records.Value(math.Exp(margin + beyond))
	}
	if c.Detectable == nil { // a factor that no float64 holds
		return "its seeds spread too far for any check to tell whether a change is harmless"
	}
	enough := Change{Log: n.Log, Margin: back(beyond)}.MarginText()
	text := fmt.Sprintf("with other random numbers, %s find a change of %s only, and the margin is %s", printed.Count(seeds, "seed"), c.DetectableText(), c.MarginText())
	switch need := math.Ceil(float64(seeds) * beyond / margin * beyond / margin); {
	case need <= float64(last.Seeds):
		text += fmt.Sprintf("; accept %s (--seeds) or a margin of %s", printed.Count(int(need), "seed"), enough)
	case need < 1e6:
		text += fmt.Sprintf("; give the profile %s (repeat.seeds) or a margin of %s", printed.Count(int(need), "seed"), enough)
	default:
		text += "; it needs a margin of " + enough
	}
	return text
}

// Doubts says of each claim that would be accepted why its numbers guard little, as doubts do, in the order of the claims and by rival.
func Doubts(exp claims.Experiment, now Snapshot, chosen func(claim string) bool) (all []Doubt) {
	for _, c := range exp.Claims {
		for _, n := range ofClaim(now.Numbers, c.ID) {
			if text := n.doubts(c, now); text != "" && chosen(c.ID) && !timed(c) && n.whole(now.Numbers) {
				all = append(all, Doubt{c.ID, Change{Claim: c.ID, Rival: n.Rival}.Label() + ": " + text})
			}
		}
	}
	return all
}

// A Doubt is a claim whose numbers guard little, with the reason.
type Doubt struct{ Claim, Text string }

// WordsText counts the verdicts on the numbers of chosen claims.
func (s Snapshot) WordsText(chosen func(claim string) bool) string {
	count := map[claims.Word]int{}
	for _, n := range s.Numbers {
		if chosen(n.Claim) && n.whole(s.Numbers) {
			count[n.Word]++
		}
	}
	var parts []string
	for _, w := range claims.Words {
		if count[w] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[w], w))
		}
	}
	return strings.Join(parts, ", ")
}

// UnprovenText lists the claims that were accepted although they were not reproduced, empty if there are none.
func (o Outcome) UnprovenText() string {
	var all []string
	for _, c := range o.Changes {
		if c.unproven != "" {
			all = append(all, fmt.Sprintf("%s#%s (%s)", c.Experiment, c.Label(), c.unproven))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "accepted without being reproduced: " + printed.List(all)
}
