package cli

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"repro/algos/schedules"
	"repro/experiments"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A seededFault changes the step sizes of methods, as a mistake in the code would. step is the setting of a method as its
// records have it: a number or the table of a schedule. ok is false if the fault does not apply to it.
type seededFault struct {
	name string
	of   func(step any) (value string, ok bool)
}

// seededFaults are the faults of check --power: step sizes by a factor, and the decrease 1/t by a power of it.
var seededFaults = []seededFault{
	{"step sizes × 1.02", stepFactor(1.02)},
	{"step sizes × 1.05", stepFactor(1.05)},
	{"step sizes × 1.1", stepFactor(1.1)},
	{"step sizes × 1.5", stepFactor(1.5)},
	{"decrease 1/t → 1/t^0.9", stepExponent(0.9)},
	{"decrease 1/t → 1/t^0.7", stepExponent(0.7)},
}

// stepFactor multiplies step sizes.
func stepFactor(by float64) func(any) (string, bool) {
	return func(step any) (string, bool) {
		switch s := step.(type) {
		case float64:
			return number(by * s), s > 0
		case map[string]any:
			t := maps.Clone(s)
			for _, k := range []string{"gamma0", "theta"} {
				if v, ok := t[k].(float64); ok {
					t[k] = by * v
					return inlineTable(t), true
				}
			}
		}
		return "", false
	}
}

// stepExponent replaces a decrease as 1/t by one as 1/t^p.
func stepExponent(p float64) func(any) (string, bool) {
	return func(step any) (string, bool) {
		s, ok := step.(map[string]any)
		if !ok {
			return "", false
		}
		t := map[string]any{"schedule": faultSchedule, "exponent": p}
		switch s["schedule"] {
		case "inverse":
			t["gamma0"], t["t0"], t["offset"] = s["gamma0"], s["t0"], 1.0
		case "theta":
			t["gamma0"], t["t0"], t["offset"] = s["theta"], 1.0, 0.0
		default:
			return "", false
		}
		return inlineTable(t), true
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// inlineTable writes settings as an inline table of TOML.
func inlineTable(t map[string]any) string {
	s := "{"
	for i, k := range slices.Sorted(maps.Keys(t)) {
		if i > 0 {
			s += ","
		}
		if text, ok := t[k].(string); ok {
			s += fmt.Sprintf(" %s = %q", k, text)
		} else {
			s += fmt.Sprintf(" %s = %s", k, number(t[k].(float64)))
		}
	}
	return s + " }"
}

// faultSchedule is the name of the schedule of stepExponent, which only check --power registers.
const faultSchedule = "fault-power"

// A faultPower is γ_t = γ₀/(o + t/t₀)^p.
type faultPower struct {
	Gamma0   float64 `toml:"gamma0" want:"> 0" doc:"γ₀"`
	T0       float64 `toml:"t0" want:"> 0" doc:"t₀"`
	Offset   float64 `toml:"offset" want:">= 0" doc:"o"`
	Exponent float64 `toml:"exponent" want:"> 0" doc:"p"`
}

func (s *faultPower) Gamma(t int) float64 {
	return s.Gamma0 * math.Pow(s.Offset+float64(t)/s.T0, -s.Exponent)
}

var registerFault = sync.OnceFunc(func() {
	schedules.Register(faultSchedule, "γ_t = γ₀/(o + t/t₀)^p, a seeded fault", func() schedules.Schedule {
		return &faultPower{Gamma0: 1, T0: 1, Offset: 1, Exponent: 1}
	})
})

// edits returns the edits of a spec that make the fault in all its methods with such step sizes.
func (f seededFault) edits(s *experiments.Spec) []string {
	var edits []string
	done := map[string]bool{}
	for _, c := range s.Expand() {
		id := c.Method.ID
		method, _ := c.Settings["method"].(map[string]any)
		if c.Method.Group != "" || done[id] {
			continue
		}
		done[id] = true
		for _, key := range []string{"step", "eta"} {
			if value, ok := f.of(method[key]); ok {
				edits = append(edits, fmt.Sprintf("method.%s.%s=%s", strconv.Quote(id), key, value))
			}
		}
	}
	return edits
}

// A faultFound says how often a fault was found, in JSON. A number moved if it did so over all seeds; it moved far if by more
// than twice its margin, which is the tolerance of a claim that has one.
type faultFound struct {
	Fault   string  `json:"fault"`
	Numbers int     `json:"numbers"` // whose methods have the fault
	Moved   int     `json:"moved"`   // by more than the margin
	Far     int     `json:"far"`     // by more than twice the margin
	First   int     `json:"first"`   // of the far ones, found at the first look
	Found   int     `json:"found"`   // of the far ones, found at any look
	Low     float64 `json:"low"`     // 95 % interval of the share found
	High    float64 `json:"high"`
	Alarms  int     `json:"alarms"` // numbers that regressed or failed
}

// looksOfPower are the seeds of the looks of check --power, in multiples of those of the profile, as 10, 20 and 40 are of 10.
var looksOfPower = []int{1, 2, 4}

// A powerRun is the specs of check --power with fresh seeds, as they are.
type powerRun struct {
	asked, specs []*experiments.Spec // as asked for, and with the fresh seeds
	exps         []claims.Experiment
	store        *records.Store
}

// power runs the specs as they are and with every seeded fault, with fresh seeds, and counts in how many numbers the looks of a
// check find the fault.
func (a *app) power(ctx context.Context, specs []*experiments.Spec) error {
	registerFault()
	r := powerRun{asked: specs}
	var err error
	if r.specs, r.exps, r.store, err = a.fresher(ctx, specs, slices.Max(looksOfPower), filepath.Join(a.out, "as-is")); err != nil {
		return err
	}
	table := []faultFound{}
	for _, f := range seededFaults {
		with := slices.DeleteFunc(slices.Clone(specs), func(s *experiments.Spec) bool { return len(f.edits(s)) == 0 })
		if len(with) == 0 {
			continue
		}
		_, _, faulty, err := a.fresher(ctx, with, slices.Max(looksOfPower), filepath.Join(a.out, "faulty"), f.edits)
		if err != nil {
			return err
		}
		table = append(table, r.find(f.name, with, faulty))
	}
	if a.json {
		return printJSON(a.stdout, table)
	}
	a.printPower(table)
	return nil
}

// find makes the looks at the specs with a fault, and counts what they find.
func (r powerRun) find(name string, with []*experiments.Spec, faulty *records.Store) faultFound {
	found := faultFound{Fault: name}
	first, any, alarms := map[string]bool{}, map[string]bool{}, map[string]bool{} // numbers found at the first look and at any
	var last []changes.Change
	for k, look := range looksOfPower {
		last = r.look(look, with, faulty)
		changes.Decide(last, changes.Level(changes.Looks[k].Alpha))
		for _, c := range last {
			bad := c.State == changes.Regressed || c.State == changes.Failed
			if bad || c.State == changes.Improved {
				any[changeKey(c)] = true
				first[changeKey(c)] = first[changeKey(c)] || k == 0
			}
			alarms[changeKey(c)] = alarms[changeKey(c)] || bad
		}
	}
	for _, c := range last {
		if c.Unchanged() {
			continue
		}
		found.Numbers++
		if alarms[changeKey(c)] {
			found.Alarms++
		}
		by := c.Margins()
		if c.State == changes.Failed {
			by = math.Inf(1)
		}
		if by > 1 {
			found.Moved++
		}
		if by <= 2 {
			continue
		}
		found.Far++
		if any[changeKey(c)] {
			found.Found++
		}
		if first[changeKey(c)] {
			found.First++
		}
	}
	if found.Far > 0 {
		found.Low, found.High = stats.Share(found.Found, found.Far)
	}
	return found
}

// look compares the specs with a fault with the specs as they are, on the first seeds: as many times those of the profile.
func (r powerRun) look(times int, with []*experiments.Spec, faulty *records.Store) []changes.Change {
	var all []changes.Change
	for i, s := range r.specs {
		if !slices.ContainsFunc(with, func(w *experiments.Spec) bool { return w.ID == s.ID }) {
			continue
		}
		n, known := r.asked[i].Repeat.Seeds, map[uint64]bool{}
		for j := range n {
			known[s.Repeat.First+uint64(j)] = true
		}
		was := changes.Take(r.exps[i], block(r.store.Of(s.ID), s.Repeat.First, times*n, 0))
		is := changes.Take(r.exps[i], block(faulty.Of(s.ID), s.Repeat.First, times*n, 0))
		all = append(all, changes.Compare(r.exps[i], was, is, changes.Options{AnySettings: true, Known: known})...)
	}
	return all
}

// printPower prints the table of check --power.
func (a *app) printPower(table []faultFound) {
	g := grid{head: []string{"fault", "numbers", "moved", "by 2 margins", "found at once", "found", "95 %", "alarms"}, right: []int{2, 3, 4, 5, 6, 8}}
	for _, f := range table {
		interval := "-"
		if f.Far > 0 {
			interval = fmt.Sprintf("%.0f to %.0f %%", 100*f.Low, 100*f.High)
		}
		g.rows = append(g.rows, []string{f.Fault, strconv.Itoa(f.Numbers), strconv.Itoa(f.Moved), strconv.Itoa(f.Far), strconv.Itoa(f.First), strconv.Itoa(f.Found), interval, strconv.Itoa(f.Alarms)})
	}
	a.print(g)
}

// changeKey tells the number of a change from those of other claims.
func changeKey(c changes.Change) string { return c.Experiment + " " + claimName(c) }
