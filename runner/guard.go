package runner

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/records"
)

// dear is the training time in seconds beyond which a record is not replaced unasked.
const dear = 60

// A replacement is what a run would replace of one experiment.
type replacement struct {
	records  int
	profiles []string
	seconds  float64 // of training
}

// Guard returns an error if running the cells would replace records of other settings that are
// complete and took more than a minute of training each, unless Options.Fresh asks for it. Run begins
// with it; a caller that has something to say before a run asks first.
func Guard(cells []experiments.Cell, o Options) error {
	if o.Fresh {
		return nil
	}
	all := map[string]*replacement{}
	var ids []string
	for _, c := range cells {
		r, err := records.Read(records.Path(o.Out, c.Experiment, c.Name))
		if err != nil || r.Header.Digest == c.Digest || !r.Status().Complete() || trained(r) <= dear {
			continue
		}
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

// trained returns the seconds of setup and training that a record took.
func trained(r *records.Record) float64 {
	if len(r.Points) == 0 {
		return 0
	}
	t := r.Points[len(r.Points)-1].Timing
	return t.Setup + t.Train
}

// of says what would be replaced of an experiment.
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
