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

// A runsView is a row of the table of runs: the runs of a method, or of all combinations of a method's grid, that ended
// alike.
type runsView struct {
	Method, Label, Status string
	Seeds, Steps, Seconds string // each as a range
	N                     int
	Odd                   bool // neither done nor out of budget
}

// runsViews lists the runs of an experiment, then the planned runs without a record.
func runsViews(j claims.Case) []runsView {
	type group struct {
		view           runsView
		seeds          []uint64
		steps, seconds []float64
	}
	var groups []*group
	have := map[string]bool{}
	for _, r := range j.Records {
		have[r.Header.Cell] = true
		s := r.Status()
		v := runsView{Method: gridOf(r.Header.Method), Status: string(s), Odd: s != records.Done && s != records.Budget}
		v.Label = methodLabel(j.Experiment, v.Method)
		if v.Odd && r.End != nil && r.End.Reason != "" {
			v.Status += ": " + r.End.Reason
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.view == v })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{view: v})
		}
		g := groups[i]
		g.seeds = append(g.seeds, r.Header.Seed)
		if k := len(r.Points); k > 0 {
			t := r.Points[k-1].Timing
			g.seconds = append(g.seconds, t.Setup+t.Train)
			g.steps = append(g.steps, float64(r.Points[k-1].Step))
		}
	}
	var out []runsView
	for _, g := range groups {
		g.view.N, g.view.Seeds, g.view.Steps, g.view.Seconds = len(g.seeds), seedList(g.seeds), spread(g.steps), spread(g.seconds)
		out = append(out, g.view)
	}
	missing := map[string]int{}
	var without []string
	for _, p := range j.Expected {
		if !have[p.Cell] {
			m := gridOf(p.Method)
			without = figures.AppendNew(without, m)
			missing[m]++
		}
	}
	for _, m := range without {
		out = append(out, runsView{Method: m, Label: methodLabel(j.Experiment, m), Status: "no record", N: missing[m], Odd: true})
	}
	return out
}

// gridOf returns the id of the method to whose grid a method belongs, and its own if it belongs to none.
func gridOf(method string) string {
	base, _, _ := strings.Cut(method, ",")
	return base
}

// spread writes the smallest and the largest of some values.
func spread(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	low, high := figures.Number(slices.Min(values)), figures.Number(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

// seedList writes seeds, with consecutive ones as a range.
func seedList(seeds []uint64) string {
	seeds = slices.Compact(slices.Sorted(slices.Values(seeds)))
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d–%d", seeds[i], seeds[j]))
		} else {
			parts = append(parts, fmt.Sprint(seeds[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// ran says what was run and where, in one line.
func ran(cases []claims.Case, recs []*records.Record) string {
	parts := []string{amount(cases), dates(recs)}
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

// amount says how much was run, and at which profiles.
func amount(cases []claims.Case) string {
	n := 0
	for _, j := range cases {
		n += len(j.Records)
	}
	s := printed.Count(len(cases), "experiment") + ", " + printed.Count(n, "run")
	if p := claims.Profiles(cases); p != "" {
		s += " at profile " + p
	}
	return s
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
	names := []string{"program", "system", "CPU", "threads", "precision"}
	values := make([][]string, len(names))
	for _, r := range recs {
		p, t := r.Header.Provenance, r.Header.Timing
		for i, v := range []string{p.Name() + " " + p.String(), t.Host, t.CPU, fmt.Sprint(t.Threads), p.Precision} {
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
