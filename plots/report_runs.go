package plots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A runsView is a row of the table of runs: the runs of a method that ended alike.
type runsView struct {
	Method, Label, Status string
	Seeds                 string
	Steps                 string
	Seconds               string // of the median run
	N                     int
	Odd                   bool // neither done nor out of budget
}

// runsViews lists the runs of an experiment, then the planned runs without a record.
func runsViews(exp claims.Experiment, recs []*records.Record) []runsView {
	type group struct {
		view    runsView
		seeds   []uint64
		seconds []float64
	}
	var groups []*group
	have := map[string]bool{}
	for _, r := range recs {
		have[r.Header.Cell] = true
		s := r.Status()
		v := runsView{Method: r.Header.Method, Label: r.Header.Label, Status: string(s), Odd: s != records.Done && s != records.Budget}
		if r.End != nil {
			v.Steps = strconv.Itoa(r.End.Steps)
			if r.End.Reason != "" {
				v.Status += ": " + r.End.Reason
			}
		} else if k := len(r.Points); k > 0 {
			v.Steps = strconv.Itoa(r.Points[k-1].Step)
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
		}
	}
	var out []runsView
	for _, g := range groups {
		g.view.N, g.view.Seeds = len(g.seeds), seedList(g.seeds)
		if len(g.seconds) > 0 {
			g.view.Seconds = number(stats.Median(g.seconds))
		}
		out = append(out, g.view)
	}
	for _, m := range exp.Methods {
		missing := 0
		for _, p := range exp.Expected {
			if p.Method == m.ID && !have[p.Cell] {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, runsView{Method: m.ID, Label: m.Label, Status: "no record", N: missing, Odd: true})
		}
	}
	return out
}

// seedList writes seeds, with consecutive ones as a range.
func seedList(seeds []uint64) string {
	seeds = slices.Sorted(slices.Values(seeds))
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
