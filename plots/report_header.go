package plots

import (
	"fmt"
	"slices"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// ran says what was run and where, in one line.
func ran(exps []claims.Experiment, recs []*records.Record) string {
	parts := []string{printed.Count(len(exps), "experiment") + ", " + printed.Count(len(recs), "run")}
	if p := profiles(exps); p != "" {
		parts[0] += " at profile " + p
	}
	parts = append(parts, dates(recs))
	var machines []string
	for _, r := range recs {
		for _, name := range []string{r.Header.Timing.CPU, r.Header.Timing.Host} {
			machines = figures.AppendNew(machines, name)
		}
	}
	if len(machines) > 0 {
		parts = append(parts, strings.Join(machines, ", "))
	}
	return strings.Join(parts, " · ")
}

// profiles lists the profiles at which the experiments ran.
func profiles(exps []claims.Experiment) string {
	var names []string
	for _, e := range exps {
		names = figures.AppendNew(names, e.Profile)
	}
	return strings.Join(names, ", ")
}

// dates returns the first and the last day on which a run started or ended.
func dates(recs []*records.Record) string {
	var days []string
	for _, r := range recs {
		stamp := r.Header.Timing.Started
		if r.End != nil && r.End.Timing.Finished != "" {
			days = figures.AppendNew(days, day(r.End.Timing.Finished))
		}
		days = figures.AppendNew(days, day(stamp))
	}
	slices.Sort(days)
	switch len(days) {
	case 0:
		return "no records"
	case 1:
		return days[0]
	}
	return days[0] + " to " + days[len(days)-1]
}

// day returns the date of an RFC 3339 time.
func day(stamp string) string {
	date, _, _ := strings.Cut(stamp, "T")
	return date
}

// facts returns the provenance of the records: program, machine and precision. It lists every distinct value once.
func facts(recs []*records.Record) []fact {
	names := []string{"repro", "commit", "Go", "system", "CPU", "threads", "precision"}
	values := make([][]string, len(names))
	for _, r := range recs {
		p, t := r.Header.Provenance, r.Header.Timing
		commit := p.Commit
		if p.Dirty {
			commit = strings.TrimSpace(commit + " with uncommitted changes")
		}
		for i, v := range []string{p.Version, commit, p.Go, t.Host, t.CPU, fmt.Sprint(t.Threads), p.Precision} {
			values[i] = figures.AppendNew(values[i], v)
		}
	}
	var out []fact
	for i, name := range names {
		if len(values[i]) > 0 {
			out = append(out, fact{name, strings.Join(values[i], "; ")})
		}
	}
	return out
}

// A fact is a line of the provenance.
type fact struct{ Name, Value string }
