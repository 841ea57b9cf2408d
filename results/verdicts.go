package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// paperProfile is the profile at which published numbers can be reproduced.
const paperProfile = "paper"

// Judge returns the verdict on every claim of an experiment, in the order of the claims. The records
// that count are those that Experiment.Records chooses.
//
// A claim that needs a run which failed or diverged has failed; one that needs a cell which is
// missing or was skipped is not run; an interrupted or timed-out cell leaves it inconclusive. Only
// then are numbers compared, and only records at profile paper, on the paper's data, with a clock
// worth reading if the claim speaks of seconds, can reproduce a claim or deviate from it. Others are
// not comparable; AtSize then says what the numbers would have meant. Nor are records of other
// settings than the plan has now.
func Judge(exp Experiment, recs []*Record) []Verdict {
	own := exp.Records(recs)
	verdicts := make([]Verdict, 0, len(exp.Claims))
	for _, c := range exp.Claims {
		c.Larger = exp.Metric(c.Metric).Better == "larger"
		needed := c.methods()
		var used []*Record
		for _, r := range own {
			if slices.Contains(needed, r.Header.Method) {
				used = append(used, r)
			}
		}
		slices.SortStableFunc(used, byMethodAndSeed)
		v := judge(exp, c, needed, used, recs)
		v.outdate(exp.outdated(used))
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// judge judges a claim from the records of the methods it needs; all are the records at any profile.
func judge(exp Experiment, c Claim, needed []string, used, all []*Record) Verdict {
	v := newVerdict(exp, c)
	for _, w := range claimWarnings(needed, used) {
		v.Warnings = append(v.Warnings, w.Error())
	}
	if why := failures(used); why != "" {
		v.Verdict, v.Reason = FailedVerdict, why
		return v
	}
	if why := missing(exp, needed, used, all); why != "" {
		v.Verdict, v.Reason = NotRun, why
		return v
	}
	if why := interrupted(used); why != "" {
		v.Verdict, v.Reason = Inconclusive, why+"; run it again to continue it"
	} else {
		v.Verdict, v.Reason = decide(c, used, &v)
	}
	if v.Verdict == FailedVerdict {
		return v
	}
	why, atSize := incomparable(c, used)
	switch {
	case why != "" && atSize:
		v.Reason = fmt.Sprintf("%s; as it ran the claim would be %s: %s", why, v.Verdict, v.Reason)
		v.Verdict, v.AtSize = NotComparable, v.Verdict
	case why != "":
		v.Verdict, v.Reason = NotComparable, why+"; "+v.Reason
	}
	return v
}

// outdate takes a verdict back if the records of some methods are of other settings than the plan's.
func (v *Verdict) outdate(methods []string) {
	if len(methods) == 0 || v.Verdict == NotRun {
		return
	}
	if v.Verdict != NotComparable {
		v.AtSize = v.Verdict
	}
	v.Verdict = NotComparable
	v.Reason = fmt.Sprintf("the records of %s are of other settings than the spec has now: run it again; %s", atMostThree(methods), v.Reason)
}

// newVerdict copies what a verdict repeats of its claim.
func newVerdict(exp Experiment, c Claim) Verdict {
	v := Verdict{
		Experiment: exp.ID, Claim: c.ID, Kind: c.Kind, Statement: c.Statement, Source: c.Source,
		Method: c.Method, Against: c.Against, Metric: c.Metric, Unit: c.Unit, Column: c.Column,
		Published: c.Published, Tolerance: c.Tolerance, Profile: exp.Profile,
	}
	if c.Published != "" {
		if _, low, high, err := Printed(c.Published); err == nil {
			v.PublishedLow, v.PublishedHigh = &low, &high
		}
	}
	return v
}

// claimWarnings says where the records of one method, or of all of them, are not of one kind.
func claimWarnings(methods []string, recs []*Record) []error {
	var warnings []error
	for _, m := range methods {
		if keys := variedSettings(Select(recs, m)); len(keys) > 0 {
			warnings = append(warnings, fmt.Errorf("%s mixes runs that vary in %s", m, strings.Join(keys, ", ")))
		}
	}
	if keys := variedRuns(recs); len(keys) > 0 {
		warnings = append(warnings, fmt.Errorf("mixes runs that vary in %s", strings.Join(keys, ", ")))
	}
	return warnings
}

// failures says which records failed or diverged, or "".
func failures(recs []*Record) string {
	return listing(recs, func(r *Record) bool { return r.Status() == Failed || r.Status() == Diverged })
}

// interrupted says which records do not hold their whole curve, or "".
func interrupted(recs []*Record) string {
	return listing(recs, func(r *Record) bool { return r.Status() != Done && r.Status() != Budget })
}

// listing names the records that match, the first three with their ending.
func listing(recs []*Record, match func(*Record) bool) string {
	var names []string
	for _, r := range recs {
		if match(r) {
			names = append(names, fmt.Sprintf("%s seed %d %s", r.Header.Method, r.Header.Seed, ending(r)))
		}
	}
	return atMostThree(names)
}

func atMostThree(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// missing says which of the cells the claim needs have no record or were skipped, or "". all are
// the records at any profile.
func missing(exp Experiment, needed []string, used, all []*Record) string {
	if s := listing(used, func(r *Record) bool { return r.Status() == Skipped }); s != "" {
		return s
	}
	have := map[string]bool{}
	for _, r := range used {
		have[r.Header.Cell] = true
	}
	var absent, methods []string
	for _, p := range exp.Expected {
		if !have[p.Cell] && slices.Contains(needed, p.Method) {
			absent, methods = append(absent, p.Cell), append(methods, p.Method)
		}
	}
	for _, m := range needed {
		if len(Select(used, m)) == 0 && !slices.Contains(methods, m) {
			absent, methods = append(absent, m), append(methods, m)
		}
	}
	if len(absent) == 0 {
		return ""
	}
	why := "no record of " + atMostThree(absent)
	if exp.Profile != "" {
		why += " at profile " + exp.Profile
	}
	if other := otherProfiles(exp, methods, all); len(other) > 0 {
		why += ", though there is at " + strings.Join(other, ", ")
	}
	return why
}

// otherProfiles lists the profiles at which the methods have records, the experiment's own apart.
func otherProfiles(exp Experiment, methods []string, recs []*Record) []string {
	var names []string
	for _, r := range recs {
		if h := r.Header; h.Experiment == exp.ID && h.Profile != exp.Profile && slices.Contains(methods, h.Method) {
			names = append(names, h.Profile)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// incomparable says why records cannot be held against the paper, or "". atSize reports whether
// they still say something about the claim as it ran.
func incomparable(c Claim, recs []*Record) (why string, atSize bool) {
	var reasons []string
	for _, r := range recs {
		if h := r.Header; h.Profile != paperProfile {
			reasons = append(reasons, fmt.Sprintf("ran at profile %s, not at the paper's size", h.Profile))
		} else if h.Provenance.Substitute != "" {
			reasons = append(reasons, "ran on substitute data: "+h.Provenance.Substitute)
		}
	}
	if c.Kind == KindValue && timed(c.Metric) || c.Kind == KindReach && timed(c.X) {
		reasons = append(reasons, "seconds on other hardware than the paper's")
	}
	atSize = true
	clock := timed(c.X) || timed(c.At.X) || timed(c.Metric)
	for _, r := range recs {
		h, first := r.Header, recs[0].Header
		switch {
		case !clock && h.Provenance.Exempt == "":
		case !h.Provenance.Timed:
			reasons, atSize = append(reasons, "its seconds were taken beside other work: run it with repeat.timed = true"), false
		case h.Timing.CPU != first.Timing.CPU || h.Timing.Threads != first.Timing.Threads:
			reasons, atSize = append(reasons, "its seconds come from different machines or numbers of threads"), false
		}
	}
	slices.Sort(reasons)
	return strings.Join(slices.Compact(reasons), "; "), atSize
}

// Gate returns the exit status of `repro verify --gate`: 0 all claims hold, 1 some deviate, 3 some
// are inconclusive, 4 some were not run or are not comparable, 5 a run failed.
//
// The worst that was found wins, in the order 5, 1, 4, 3, 0: a failed run puts everything about it in
// doubt; a deviation is a finding that no missing cell takes back; what was never compared says less
// than what was compared and left open. No verdicts at all are incomplete, not a pass.
func Gate(verdicts []Verdict) int {
	status := map[Word]int{Reproduced: 0, Deviates: 1, Inconclusive: 3, NotComparable: 4, NotRun: 4, FailedVerdict: 5}
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

// WriteVerdicts replaces the file at path by the verdicts as one JSON array.
func WriteVerdicts(path string, verdicts []Verdict) error {
	if verdicts == nil {
		verdicts = []Verdict{}
	}
	b, err := json.MarshalIndent(verdicts, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(b, '\n'))
}

// errLost is wrapped where a value that a claim needs is not finite.
var errLost = errors.New("not finite")

// undecided turns an error on the way to a number into a verdict.
func undecided(err error) (Word, string) {
	if errors.Is(err, errLost) {
		return FailedVerdict, err.Error()
	}
	return Inconclusive, err.Error()
}
