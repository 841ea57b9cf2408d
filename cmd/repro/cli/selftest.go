package cli

import (
	"context"
	"fmt"

	"repro/experiments"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// apart is how far the seeds of a self-test are from those of the profile: no accepted seed is among them.
const apart = 10_000

// A selfTested is the outcome of a self-test in JSON. Every alarm is false.
type selfTested struct {
	Trials    int                   `json:"trials"`
	Alarms    int                   `json:"alarms"` // trials with a regressed number
	Low       float64               `json:"low"`    // 95 % interval of the share of trials with an alarm
	High      float64               `json:"high"`
	Improved  int                   `json:"improvements"` // trials with an improved number
	Numbers   int                   `json:"numbers"`      // of a trial
	States    map[changes.State]int `json:"states"`       // of all numbers of all trials
	Regressed []string              `json:"regressed"`
}

// selfTest compares fresh seeds with other fresh seeds of the same code: the seeds of either side are as many as those of the
// profile, paired by their rank, so that they have nothing in common. That is the worst that a change which changes nothing
// can do, such as another stream of random numbers. A trial is one look at the level Alpha.
func (a *app) selfTest(ctx context.Context, specs []*experiments.Spec, trials int) error {
	fresh, exps, store, err := a.fresher(ctx, specs, 2*trials, "")
	if err != nil {
		return err
	}
	t := selfTested{Trials: trials, States: map[changes.State]int{}, Regressed: []string{}}
	for i := range trials {
		var all []changes.Change
		for k, exp := range exps {
			n := specs[k].Repeat.Seeds
			from := fresh[k].Repeat.First
			base := changes.Take(exp, block(store.Of(exp.ID), from, n, 2*i))
			now := changes.Take(exp, block(store.Of(exp.ID), from, n, 2*i+1))
			all = append(all, changes.Compare(exp, base, now, changes.Options{})...)
		}
		changes.Decide(all, changes.Level(changes.Alpha))
		n := changes.Count(all)
		for s, k := range n {
			t.States[s] += k
		}
		t.Numbers = len(all)
		if n[changes.Regressed] > 0 {
			t.Alarms++
		}
		if n[changes.Improved] > 0 {
			t.Improved++
		}
		for _, c := range all {
			if c.State == changes.Regressed {
				t.Regressed = append(t.Regressed, fmt.Sprintf("trial %d: %s %s: %s", i+1, c.Experiment, claimName(c), c.Reason))
			}
		}
	}
	t.Low, t.High = stats.Share(t.Alarms, trials, stats.Level)
	if a.json {
		err = printJSON(a.stdout, t)
	} else {
		for _, r := range t.Regressed {
			a.stdout.message("%s", r)
		}
		a.stdout.message("%d false alarms in %d trials of %s: 95 %% interval %.1f to %.1f %%; improvements in %d trials",
			t.Alarms, trials, count(t.Numbers, "number"), 100*t.Low, 100*t.High, t.Improved)
		var words []string
		for _, s := range changes.States {
			if t.States[s] > 0 {
				words = append(words, fmt.Sprintf("%d %s", t.States[s], s))
			}
		}
		a.stdout.message("the numbers of all trials: %v", words)
	}
	if err == nil && t.Low > changes.Alpha {
		return exit{1}
	}
	return err
}

// fresher runs every spec with fresh seeds, blocks times as many as it has, with more edits if there are any. It returns the
// specs with these seeds, their experiments without planned cells, and the records.
func (a *app) fresher(ctx context.Context, specs []*experiments.Spec, blocks int, out string, edits ...func(*experiments.Spec) []string) ([]*experiments.Spec, []claims.Experiment, *records.Store, error) {
	own := *a
	if out != "" {
		own.out = out
	}
	var fresh []*experiments.Spec
	var exps []claims.Experiment
	for _, s := range specs {
		options := a.loadOptions(a.profile)
		options.Seeds = blocks * s.Repeat.Seeds
		options.Set = append(append([]string{}, options.Set...), fmt.Sprintf("repeat.first=%d", s.Repeat.First+apart))
		for _, edit := range edits {
			options.Set = append(options.Set, edit(s)...)
		}
		f, err := experiments.Load(ref(s), options)
		if err != nil {
			return nil, nil, nil, err
		}
		exp := f.Experiment()
		exp.Expected = nil
		fresh, exps = append(fresh, f), append(exps, exp)
	}
	if _, err := own.train(ctx, fresh, expand(fresh)); err != nil {
		return nil, nil, nil, err
	}
	store, err := own.open()
	return fresh, exps, store, err
}

// block returns the records of the k-th n seeds from first on, as copies whose seeds are those of the first block.
func block(recs []*records.Record, first uint64, n, k int) []*records.Record {
	var all []*records.Record
	from := first + uint64(k*n)
	for _, r := range recs {
		if s := r.Header.Seed; s >= from && s < from+uint64(n) {
			c := *r
			c.Header.Seed = first + (s - from)
			c.Header.Cell = fmt.Sprintf("%s-seed%d", c.Header.Method, c.Header.Seed)
			all = append(all, &c)
		}
	}
	return all
}
