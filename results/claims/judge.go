package claims

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Case is an experiment with its records and the verdicts on its claims. Judge makes it once; what commands print, reports show and
// exports describe takes cases.
type Case struct {
	Experiment
	Records  []*records.Record // that belong to the experiment: Experiment.Own
	Verdicts []Verdict         // in the order of the claims
}

// Of returns the case of an experiment, nil if there is none.
func Of(cases []Case, id string) *Case {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &cases[i]
}

// On returns the verdict on the claim of that id, nil if there is none.
func (c Case) On(claim string) *Verdict {
	i := slices.IndexFunc(c.Verdicts, func(v Verdict) bool { return v.Claim == claim })
	if i < 0 {
		return nil
	}
	return &c.Verdicts[i]
}

// Verdicts returns the verdicts of all cases.
func Verdicts(cases []Case) []Verdict {
	all := []Verdict{}
	for _, c := range cases {
		all = append(all, c.Verdicts...)
	}
	return all
}

// SizeOf says at which size cases are: the published or a reduced one, if all are of papers and at one profile, and otherwise their profiles.
func SizeOf(cases []Case) string {
	profiles := strings.Join(unique(printed.Each(cases, func(c Case) string { return c.Profile })), ", ")
	switch {
	case profiles == "":
		return ""
	case strings.Contains(profiles, ",") || slices.ContainsFunc(cases, func(c Case) bool { return c.Paper.Title == "" }):
		return "at profile " + profiles
	case profiles == "paper":
		return "at the published size"
	}
	return "at a reduced size (profile " + profiles + ")"
}

// Judge measures and judges every claim of an experiment from records, among which there may be those of others.
//
// A claim fails if a run that it needs failed or diverged. It is not run if a cell that it needs is missing or was skipped, except
// seeds that the file of an imported method lacks, of which it warns,
// and inconclusive if one was interrupted or timed out. Otherwise its numbers are compared. Only records of the settings
// that the spec has at profile paper, of the paper's data and, for a claim about seconds, of a timed run can reproduce a
// claim or deviate from it; of a claim that holds at any size, the sizes may differ. With others the claim is not
// comparable, and AtSize is the verdict on the numbers alone.
func Judge(exp Experiment, recs []*records.Record) Case {
	j := Case{Experiment: exp, Records: exp.Own(recs), Verdicts: make([]Verdict, 0, len(exp.Claims))}
	for _, c := range exp.Claims {
		c = exp.measured(c)
		needed := c.Methods()
		var used []*records.Record
		for _, r := range j.Records {
			if slices.Contains(needed, r.Header.Method) {
				used = append(used, r)
			}
		}
		slices.SortStableFunc(used, records.ByMethodAndSeed)
		v := newVerdict(exp, c)
		v.judge(j, needed, used, recs)
		v.Planned = v.Of.planned
		v.outdate(exp.outdated(used))
		j.Verdicts = append(j.Verdicts, v)
	}
	return j
}

// judge measures and judges the claim from planned, the records of the methods it needs; all are those of the experiment at any profile.
func (v *Verdict) judge(j Case, needed []string, planned, all []*records.Record) {
	if gone := records.Listing(planned, (*records.Record).Absent); gone != "" {
		v.Warnings = append(v.Warnings, "judged without "+gone)
	}
	v.Records = slices.DeleteFunc(slices.Clone(planned), (*records.Record).Absent)
	if len(v.Records) < len(planned) { // a file has no more seeds than these
		for _, m := range needed {
			v.Of.planned = min(v.Of.planned, len(records.Select(v.Records, m)))
		}
	}
	c, used := v.Of, v.Records
	for _, w := range claimWarnings(needed, used) {
		v.Warnings = append(v.Warnings, w.Error())
	}
	ended := used
	if c.Best != "" { // a run that diverged says that its settings are not the best
		ended = slices.DeleteFunc(slices.Clone(used), func(r *records.Record) bool { return r.Status() == records.Diverged })
	}
	if why := failures(ended); why != "" {
		v.Verdict, v.Reason = Failed, why
		return
	}
	if why := missing(j.Experiment, needed, planned, used, all); why != "" {
		v.Verdict, v.Reason = NotRun, why
		return
	}
	if why := interrupted(ended); why != "" {
		v.Verdict, v.Reason = Inconclusive, why+"; run it again to continue it"
	} else {
		v.Verdict, v.Reason = v.decide()
	}
	if v.Verdict == Failed {
		return
	}
	why, smaller, atSize := j.incomparable(c, used, j.leaders(needed, j.Records))
	v.Smaller = smaller
	switch {
	case why != "" && atSize:
		v.Reason = fmt.Sprintf("%s; judged by these runs the verdict would be %s: %s", why, v.Verdict, v.Reason)
		v.Verdict, v.AtSize = NotComparable, v.Verdict
	case why != "":
		v.Verdict, v.Reason = NotComparable, why+"; "+v.Reason
	}
}

// decide measures the claim from complete records and concludes from its numbers.
func (v *Verdict) decide() (Word, string) {
	numbers, err := measure(v.Of, v.Records)
	for _, m := range numbers {
		v.Warnings = append(v.Warnings, m.Warnings...)
	}
	for i := range numbers {
		if err == nil {
			err = numbers[i].overflow(v.Of)
		}
	}
	if err != nil {
		return undecided(err)
	}
	v.Numbers = numbers
	return conclude(v.Of, numbers, v)
}

// measured returns a claim with what the experiment knows of its metric.
func (e Experiment) measured(c Claim) Claim {
	metric := e.Metric(c.Metric)
	c.planned, c.fixed = e.planned(c), e.deterministic(c)
	c.Larger, c.Signed, c.shareOf, c.shown = metric.Better == "larger", metric.Signed, metric.ShareOf, e.Unit(c.Metric)
	return c
}

// claimWarnings returns a warning for each method whose records differ in settings, one if all differ in their runs, and
// one if files are not the published ones.
func claimWarnings(methods []string, recs []*records.Record) []error {
	var warnings []error
	for _, m := range methods {
		if keys := records.VariedSettings(records.Select(recs, m)); len(keys) > 0 {
			warnings = append(warnings, fmt.Errorf("%s mixes runs that vary in %s", m, strings.Join(keys, ", ")))
		}
	}
	if keys := records.VariedRuns(recs); len(keys) > 0 {
		warnings = append(warnings, fmt.Errorf("mixes runs that vary in %s", strings.Join(keys, ", ")))
	}
	var differ []string
	for _, r := range recs {
		for _, d := range r.Header.Provenance.Data {
			if d.Differs != "" {
				differ = append(differ, d.Name)
			}
		}
	}
	if differ = unique(differ); len(differ) > 0 {
		warnings = append(warnings, fmt.Errorf("ran on files that are not the published ones, as its records say: %s", strings.Join(differ, ", ")))
	}
	return warnings
}

// failures names the records that failed or diverged; it is empty if none did.
func failures(recs []*records.Record) string {
	return records.Listing(recs, func(r *records.Record) bool { return r.Status() == records.Failed || r.Status() == records.Diverged })
}

// interrupted names the records without their whole curve; it is empty if there are none.
func interrupted(recs []*records.Record) string {
	return records.Listing(recs, func(r *records.Record) bool { return r.Status() != records.Done && r.Status() != records.Budget })
}

// missing names the cells that the claim needs and that have no record or were skipped; it is empty if there are none. Those of
// planned that are not used have no curve in a file. all are the records at any profile.
func missing(exp Experiment, needed []string, planned, used, all []*records.Record) string {
	if s := records.Listing(used, func(r *records.Record) bool { return r.Status() == records.Skipped }); s != "" {
		return s
	}
	have := map[string]bool{}
	for _, r := range planned {
		have[r.Header.Cell] = true
	}
	var absent, methods []string
	for _, p := range exp.Expected {
		if !have[p.Cell] && slices.Contains(needed, p.Method) {
			absent, methods = append(absent, p.Cell), append(methods, p.Method)
		}
	}
	for _, m := range needed {
		if len(records.Select(used, m)) == 0 && !slices.Contains(methods, m) {
			absent, methods = append(absent, m), append(methods, m)
		}
	}
	if len(absent) == 0 {
		return ""
	}
	why := "no record of " + printed.List(absent)
	if exp.Profile != "" {
		why += " at profile " + exp.Profile
	}
	if other := otherProfiles(exp, methods, all); len(other) > 0 {
		why += "; there are records at profile " + strings.Join(other, ", ")
	}
	return why
}

// otherProfiles lists the profiles at which the methods have records, except the experiment's own.
func otherProfiles(exp Experiment, methods []string, recs []*records.Record) []string {
	var names []string
	for _, r := range recs {
		if h := r.Header; h.Experiment == exp.ID && h.Profile != exp.Profile && slices.Contains(methods, h.Method) {
			names = append(names, h.Profile)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// leaders returns the records of the methods whose time the given methods take.
func (e Experiment) leaders(methods []string, own []*records.Record) []*records.Record {
	var recs []*records.Record
	for _, m := range e.Methods {
		if m.TimeOf != "" && slices.Contains(methods, m.ID) && !slices.Contains(methods, m.TimeOf) {
			recs = append(recs, records.Select(own, m.TimeOf)...)
		}
	}
	return recs
}

// incomparable returns why records cannot be compared with the paper; it is empty if they can. smaller reports whether their size is
// below the paper's, and atSize whether their numbers still decide the claim at the size they ran. leaders are the records of
// methods whose time others take.
func (e Experiment) incomparable(c Claim, recs, leaders []*records.Record) (why string, smaller, atSize bool) {
	reasons, smaller := e.departed(c, recs, leaders)
	for _, r := range recs {
		if s := r.Header.Provenance.Substitute; s != "" {
			reasons = append(reasons, "ran on substitute data: "+s)
		}
	}
	if of := c.Quantity(); of == OfMetric && records.Timed(c.Metric) || of == PlaceReached && records.Timed(c.X) {
		reasons = append(reasons, "its seconds were measured on other hardware than the paper's")
	}
	atSize = true
	if why := records.MixedContent(recs); why != "" {
		reasons, atSize = append(reasons, why+"; run all of them again on one"), false
	}
	clock := records.Timed(c.X) || records.Timed(c.At.X) || records.Timed(c.Metric)
	for _, r := range recs {
		h, first := r.Header, recs[0].Header
		switch {
		case !clock && h.Provenance.Exempt == "":
		case !h.Provenance.Timed:
			reasons, atSize = append(reasons, "its seconds were measured beside other runs; run it with repeat.timed = true"), false
		case h.Timing.CPU != first.Timing.CPU || h.Timing.Threads != first.Timing.Threads:
			reasons, atSize = append(reasons, "its seconds come from different machines or numbers of threads"), false
		}
	}
	return strings.Join(unique(reasons), "; "), smaller, atSize
}

// unique returns the texts in their order, without repetitions.
func unique(texts []string) []string {
	var list []string
	for _, s := range texts {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// undecided turns an error on the way to a number into a verdict.
func undecided(err error) (Word, string) {
	if errors.Is(err, stats.ErrNotFinite) {
		return Failed, err.Error()
	}
	return Inconclusive, err.Error()
}
