package runner

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/builds"
	"repro/results/printed"
	"repro/results/records"
)

// maxReplaced is the longest training time in seconds of a record that a run replaces without being told to.
const maxReplaced = 60

// A replacement sums up the records of one experiment that a run would replace.
type replacement struct {
	records  int
	profiles []string
	seconds  float64 // of training
}

// Guard returns an error if running the cells would replace complete records of other settings that took more than a
// minute of training each, unless Options.Fresh is set. Run calls it first; a caller that prints something before a run
// can call it earlier. The notes say, a line each, which files changed since cells ran on them, which therefore run again, and
// how many complete cells another build of the program made.
func Guard(cells []experiments.Cell, o Options) (notes []string, err error) {
	if o.Fresh {
		return nil, nil
	}
	all := map[string]*replacement{}
	var ids []string
	found := make([]records.Found, len(cells))
	records.Parallel(len(cells), func(i int) { found[i] = o.find(&cells[i]) })
	for i, f := range found {
		if f.State != records.Other || f.Trained() <= maxReplaced {
			continue
		}
		c := &cells[i]
		e := all[c.Experiment]
		if e == nil {
			e = &replacement{}
			all[c.Experiment] = e
			ids = append(ids, c.Experiment)
		}
		e.records++
		e.seconds += f.Trained()
		if !slices.Contains(e.profiles, f.Header.Profile) {
			e.profiles = append(e.profiles, f.Header.Profile)
		}
	}
	notes = append(changedFiles(cells, found), otherBuilds(found)...)
	if len(ids) == 0 {
		return notes, nil
	}
	var parts []string
	for _, id := range ids {
		parts = append(parts, all[id].of(id))
	}
	return notes, fmt.Errorf("%s holds complete records of other settings, which this run would replace: %s; choose another folder with --out, or replace them with --fresh",
		o.Out, strings.Join(parts, ", "))
}

// changedFiles says of every file that has another content than the one on which complete cells ran.
func changedFiles(cells []experiments.Cell, found []records.Found) (notes []string) {
	count := map[[2]string]int{} // by experiment and file
	var order [][2]string
	for i, r := range found {
		if !r.Complete() {
			continue
		}
		for _, name := range r.Header.OtherContent(cells[i].Settings) {
			key := [2]string{cells[i].Experiment, name}
			if count[key]++; count[key] == 1 {
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		notes = append(notes, fmt.Sprintf("%s: %s changed since %s used it; all that need it run again", key[0], key[1], printed.Count(count[key], "run")))
	}
	return notes
}

// otherBuilds says how many complete cells another build of the program made, in one line.
func otherBuilds(found []records.Found) []string {
	here := builds.This()
	n := 0
	var builds []string
	for _, r := range found {
		if !r.Ended() || !r.Complete() {
			continue
		}
		p := r.Header.Provenance.Program
		if p.Go, p.Dirty = here.Go, here.Dirty; p != here {
			n++
			if name := p.Version + " " + p.Commit[:min(12, len(p.Commit))]; !slices.Contains(builds, name) {
				builds = append(builds, name)
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of another build (%s) kept; --fresh runs them again with this one", printed.Count(n, "complete run"), printed.List(builds))}
}

// of returns in words what would be replaced of the experiment with the given id.
func (e *replacement) of(id string) string {
	profile := "profile"
	if len(e.profiles) > 1 {
		profile += "s"
	}
	took := fmt.Sprintf("%.0f min", e.seconds/60)
	if e.seconds >= 90*60 {
		took = fmt.Sprintf("%.1f h", e.seconds/3600)
	}
	return fmt.Sprintf("%d of %s at %s %s (%s of training)", e.records, id, profile, strings.Join(e.profiles, ", "), took)
}
