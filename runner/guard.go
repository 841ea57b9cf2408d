package runner

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
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
// can call it earlier.
func Guard(cells []experiments.Cell, o Options) error {
	if o.Fresh {
		return nil
	}
	all := map[string]*replacement{}
	var ids []string
	replaced := make([]*records.Record, len(cells)) // nil where nothing is lost
	records.Parallel(len(cells), func(i int) {
		r, err := records.Read(records.Path(o.Out, cells[i].Experiment, cells[i].Name))
		if err == nil && r.Header.Digest != cells[i].Digest && r.Status().Complete() && trained(r) > maxReplaced {
			replaced[i] = r
		}
	})
	for i, r := range replaced {
		if r == nil {
			continue
		}
		c := cells[i]
		e := all[c.Experiment]
		if e == nil {
			e = &replacement{}
			all[c.Experiment] = e
			ids = append(ids, c.Experiment)
		}
		e.records++
		e.seconds += trained(r)
		if !slices.Contains(e.profiles, r.Header.Profile) {
			e.profiles = append(e.profiles, r.Header.Profile)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var parts []string
	for _, id := range ids {
		parts = append(parts, all[id].of(id))
	}
	return fmt.Errorf("%s holds complete records of other settings, which this run would replace: %s; choose another folder with --out, or replace them with --fresh",
		o.Out, strings.Join(parts, ", "))
}

// trained returns the seconds of setup and training of a record.
func trained(r *records.Record) float64 {
	if len(r.Points) == 0 {
		return 0
	}
	t := r.Points[len(r.Points)-1].Timing
	return t.Setup + t.Train
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
