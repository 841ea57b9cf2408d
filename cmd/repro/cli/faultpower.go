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

// blocksOfPower is how often a fault is looked for: with as many disjoint sets of seeds.
const blocksOfPower = 4

// A faultFound says how often a fault was found, in JSON. A number moved if it did so over all seeds; it moved far if by more
// than twice its margin, which is the tolerance of a claim that has one.
type faultFound struct {
	Fault   string  `json:"fault"`
	Numbers int     `json:"numbers"` // whose methods have the fault
	Moved   int     `json:"moved"`   // by more than the margin
	Far     int     `json:"far"`     // by more than twice the margin
	Trials  int     `json:"trials"`  // looks at numbers that moved far
	Found   int     `json:"found"`   // of these, regressed, improved or failed
	Low     float64 `json:"low"`     // 95 % interval of the share found
	High    float64 `json:"high"`
	AnyOf   int     `json:"runs_with_an_alarm"` // of blocksOfPower looks at all numbers together
}

// power runs the specs as they are and with every seeded fault, and counts how many faults the gate finds in one look.
func (a *app) power(ctx context.Context, specs []*experiments.Spec) error {
	registerFault()
	base, exps, store, err := a.fresher(ctx, specs, blocksOfPower, filepath.Join(a.out, "as-is"))
	if err != nil {
		return err
	}
	var table []faultFound
	for _, f := range seededFaults {
		var with []*experiments.Spec
		for _, s := range specs {
			if len(f.edits(s)) > 0 {
				with = append(with, s)
			}
		}
		if len(with) == 0 {
			continue
		}
		_, _, faulty, err := a.fresher(ctx, with, blocksOfPower, filepath.Join(a.out, "faulty"), f.edits)
		if err != nil {
			return err
		}
		found := faultFound{Fault: f.name}
		look := func(k, blocks int) []changes.Change {
			var all []changes.Change
			for i, s := range base {
				if !slices.ContainsFunc(with, func(w *experiments.Spec) bool { return w.ID == s.ID }) {
					continue
				}
				n := blocks * specs[i].Repeat.Seeds
				was := changes.Take(exps[i], block(store.Of(s.ID), s.Repeat.First, n, k))
				is := changes.Take(exps[i], block(faulty.Of(s.ID), s.Repeat.First, n, k))
				all = append(all, changes.Compare(exps[i], was, is, changes.Options{AnySettings: true})...)
			}
			changes.Decide(all, changes.Level(changes.Alpha))
			return all
		}
		far := map[string]bool{}
		key := func(c changes.Change) string { return c.Experiment + " " + claimName(c) }
		for _, c := range look(0, blocksOfPower) {
			if c.State == changes.Identical || c.State == changes.NotReproducible {
				continue
			}
			found.Numbers++
			by := c.Margins()
			if by > 1 || c.State == changes.Failed {
				found.Moved++
			}
			if by > 2 || c.State == changes.Failed {
				found.Far++
				far[key(c)] = true
			}
		}
		for k := range blocksOfPower {
			alarm := false
			for _, c := range look(k, 1) {
				hit := c.State == changes.Regressed || c.State == changes.Improved || c.State == changes.Failed
				alarm = alarm || hit && c.State != changes.Improved
				if far[key(c)] {
					found.Trials++
					if hit {
						found.Found++
					}
				}
			}
			if alarm {
				found.AnyOf++
			}
		}
		if found.Trials > 0 {
			found.Low, found.High = stats.Share(found.Found, found.Trials)
		}
		table = append(table, found)
	}
	if a.json {
		return printJSON(a.stdout, orEmpty(table))
	}
	g := grid{head: []string{"fault", "numbers", "moved", "by 2 margins", "found", "95 %", "runs with an alarm"}, right: []int{2, 3, 4, 5}}
	for _, f := range table {
		share, interval := "-", "-"
		if f.Trials > 0 {
			share = fmt.Sprintf("%d of %d", f.Found, f.Trials)
			interval = fmt.Sprintf("%.0f to %.0f %%", 100*f.Low, 100*f.High)
		}
		g.rows = append(g.rows, []string{f.Fault, strconv.Itoa(f.Numbers), strconv.Itoa(f.Moved), strconv.Itoa(f.Far), share, interval, fmt.Sprintf("%d of %d", f.AnyOf, blocksOfPower)})
	}
	a.print(g)
	return nil
}
