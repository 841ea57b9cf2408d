package changes

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/schedules"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
	"repro/runner"
)

// The campaign measures how often the gate is wrong. It takes hours, so it runs only where its experiments are named:
//
//	go test ./results/changes -run TestCampaign -v -timeout 0 -args -campaign 'dai2014/ridge dai2014/rate' -trials 59
var (
	campaign = flag.String("campaign", "", "ids of experiments for TestCampaign, separated by spaces")
	trials   = flag.Int("trials", 59, "trials of TestCampaign: 59 without an alarm show that fewer than 5 % are false")
)

// TestCampaign counts the false alarms between fresh seeds, and the faults of step sizes that the looks of a check find.
func TestCampaign(t *testing.T) {
	if *campaign == "" {
		t.Skip("name its experiments with -campaign")
	}
	refs, err := catalog.Resolve(strings.Fields(*campaign))
	require.NoError(t, err)
	s := falseAlarms(t, refs, nil, *trials)
	t.Logf("%d false alarms in %d trials of %d numbers: 95 %% interval %.1f to %.1f %%; improvements in %d trials; states %v\n%s",
		s.alarms, *trials, s.numbers, 100*s.low, 100*s.high, s.improved, s.states, strings.Join(s.regressed, "\n"))
	assert.LessOrEqual(t, s.low, Alpha, "more alarms than the level allows")
	for _, f := range faultsFound(t, refs, nil) {
		t.Logf("%s: %d numbers, %d moved, %d by twice the margin, of these %d found at once and %d at any look, 95 %% interval %.0f to %.0f %%; %d alarms",
			f.fault, f.numbers, f.moved, f.far, f.first, f.found, 100*f.low, 100*f.high, f.alarms)
	}
}

// The campaign on a small experiment: fresh seeds are never identical, and a wrong exponent is found.
func TestCampaignOfASmallExperiment(t *testing.T) {
	text, err := os.ReadFile("../../cmd/repro/cli/testdata/gate.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("gate.toml", []byte(strings.ReplaceAll(string(text), "faultable", "inverse")), 0o666))
	refs, set := []catalog.Ref{{Path: "gate.toml"}}, []string{"repeat.seeds=3"}
	s := falseAlarms(t, refs, set, 2)
	assert.Equal(t, 3, s.numbers)
	assert.Zero(t, s.states[isIdentical], "fresh seeds")
	assert.Equal(t, 6, s.states[Same]+s.states[isMoved]+s.states[Undecided]+s.states[Worse]+s.states[Better])

	table := faultsFound(t, refs, set)
	require.Len(t, table, len(seededFaults))
	assert.Equal(t, 3, table[0].numbers, "every claim has a method with a step")
	assert.Zero(t, table[0].far, "2 % more step moves nothing far")
	last := table[len(table)-1]
	assert.NotZero(t, last.far)
	assert.Equal(t, last.far, last.found, "%+v", last)
}

// A selfTested is what trials without a fault gave. Every alarm is false.
type selfTested struct {
	alarms    int     // trials with a regressed number
	low, high float64 // 95 % interval of the share of trials with an alarm
	improved  int     // trials with an improved number
	numbers   int     // of a trial
	states    map[State]int
	regressed []string
}

// falseAlarms compares fresh seeds with other fresh seeds of the same code: the seeds of either side are as many as those of the
// profile, paired by their rank, so that they have nothing in common. That is the worst that a change which changes nothing
// can do, such as another stream of random numbers. A trial is one look at the level Alpha.
func falseAlarms(t *testing.T, refs []catalog.Ref, set []string, trials int) selfTested {
	all := fresher(t, refs, set, 2*trials, nil)
	s := selfTested{states: map[State]int{}}
	for i := range trials {
		var found []Change
		for _, f := range all {
			base, now := Take(f.exp, f.block(2*i, 1)), Take(f.exp, f.block(2*i+1, 1))
			found = append(found, Compare(f.exp, base, now, Options{})...)
		}
		Decide(found, Level(Alpha))
		n := count(found)
		for state, k := range n {
			s.states[state] += k
		}
		s.numbers = len(found)
		if n[Worse] > 0 {
			s.alarms++
		}
		if n[Better] > 0 {
			s.improved++
		}
		for _, c := range found {
			if detail(c) == Worse {
				s.regressed = append(s.regressed, fmt.Sprintf("trial %d: %s: %s", i+1, numberOf(c), c.Reason))
			}
		}
	}
	s.low, s.high = stats.Share(s.alarms, trials, stats.Level)
	return s
}

// numberOf tells the number of a change from those of other claims.
func numberOf(c Change) string { return c.Experiment + " " + c.Claim + " " + c.Rival }

// apart is how far the seeds of the campaign are from those of the profile: no accepted seed is among them.
const apart = 10_000

// A fresh is an experiment at profile ci with the records of fresh seeds.
type fresh struct {
	exp   claims.Experiment // without planned cells
	first uint64            // seed
	seeds int               // of the profile
	recs  []*records.Record
}

// fresher runs experiments with fresh seeds, as many times those of the profile as it is told, with more edits if there are any.
// Specs that edits leaves as they are do not run.
func fresher(t *testing.T, refs []catalog.Ref, set []string, times int, edits func(*experiments.Spec) []string) []fresh {
	var all []fresh
	for _, ref := range refs {
		asked, err := catalog.Load(ref, experiments.LoadOptions{Profile: experiments.CI, Set: set})
		require.NoError(t, err)
		options := experiments.LoadOptions{Profile: experiments.CI, Seeds: times * asked.Repeat.Seeds, Set: append(slices.Clone(set), fmt.Sprintf("repeat.first=%d", asked.Repeat.First+apart))}
		if edits != nil {
			more := edits(asked)
			if len(more) == 0 {
				continue
			}
			options.Set = append(options.Set, more...)
		}
		spec, err := catalog.Load(ref, options)
		require.NoError(t, err)
		out := t.TempDir()
		_, err = runner.Run(t.Context(), spec.Expand(), runner.Options{Out: out, Library: datasets.NewLibrary()})
		require.NoError(t, err)
		store, err := records.Open(out)
		require.NoError(t, err)
		f := fresh{exp: spec.Experiment(), first: spec.Repeat.First, seeds: asked.Repeat.Seeds, recs: store.Records}
		f.exp.Expected = nil
		all = append(all, f)
	}
	return all
}

// block returns the records of the k-th block of seeds, as many times those of the profile as it is told, as copies whose seeds
// are those of the first block.
func (f fresh) block(k, times int) []*records.Record {
	var all []*records.Record
	n := uint64(times * f.seeds)
	from := f.first + uint64(k)*n
	for _, r := range f.recs {
		if s := r.Header.Seed; s >= from && s < from+n {
			c := *r
			c.Header.Seed = f.first + (s - from)
			c.Header.Cell = fmt.Sprintf("%s-seed%d", c.Header.Method, c.Header.Seed)
			all = append(all, &c)
		}
	}
	return all
}

// A seededFault changes the step sizes of methods, as a mistake in the code would. step is the setting of a method as its
// records have it: a number or the table of a schedule. ok is false if the fault does not apply to it.
type seededFault struct {
	name string
	of   func(step any) (value string, ok bool)
}

// seededFaults are step sizes by a factor, and the decrease 1/t by a power of it.
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
			return asTOML(by * s), s > 0
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

func asTOML(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

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
			s += fmt.Sprintf(" %s = %s", k, asTOML(t[k].(float64)))
		}
	}
	return s + " }"
}

// faultSchedule is the name of the schedule of stepExponent, which only the campaign registers.
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

// A faultFound says how often a fault was found. A number moved if it did so over all seeds; it moved far if by more than twice
// its margin, which is the tolerance of a claim that has one.
type faultFound struct {
	fault     string
	numbers   int     // whose methods have the fault
	moved     int     // by more than the margin
	far       int     // by more than twice the margin
	first     int     // of the far ones, found at the first look
	found     int     // of the far ones, found at any look
	low, high float64 // 95 % interval of the share found
	alarms    int     // numbers that regressed or failed
}

// looksOfPower are the seeds of the looks, in multiples of those of the profile, as 10, 20 and 40 are of 10.
var looksOfPower = []int{1, 2, 4}

// faultsFound runs experiments as they are and with every seeded fault, with fresh seeds, and counts in how many numbers the looks
// of a check find the fault.
func faultsFound(t *testing.T, refs []catalog.Ref, set []string) []faultFound {
	registerFault()
	most := slices.Max(looksOfPower)
	asIs := fresher(t, refs, set, most, nil)
	var table []faultFound
	for _, f := range seededFaults {
		if faulty := fresher(t, refs, set, most, f.edits); len(faulty) > 0 {
			table = append(table, findFault(f.name, asIs, faulty))
		}
	}
	return table
}

// findFault makes the looks at the experiments with a fault, and counts what they find.
func findFault(name string, asIs, faulty []fresh) faultFound {
	found := faultFound{fault: name}
	first, any, alarms := map[string]bool{}, map[string]bool{}, map[string]bool{} // numbers found at the first look and at any
	var last []Change
	for k, times := range looksOfPower {
		last = look(times, asIs, faulty)
		Decide(last, Level(Looks[k].Alpha))
		for _, c := range last {
			bad := detail(c) == Worse || detail(c) == isFailed
			if bad || detail(c) == Better {
				any[numberOf(c)] = true
				first[numberOf(c)] = first[numberOf(c)] || k == 0
			}
			alarms[numberOf(c)] = alarms[numberOf(c)] || bad
		}
	}
	for _, c := range last {
		if c.Unchanged() {
			continue
		}
		found.numbers++
		found.alarms += one(alarms[numberOf(c)])
		by := margins(c)
		found.moved += one(by > 1)
		if by > 2 {
			found.far++
			found.found += one(any[numberOf(c)])
			found.first += one(first[numberOf(c)])
		}
	}
	if found.far > 0 {
		found.low, found.high = stats.Share(found.found, found.far, stats.Level)
	}
	return found
}

// margins returns the measured difference in multiples of the margin, 0 if none was measured, and +Inf if the run failed.
func margins(c Change) float64 {
	switch {
	case c.Failed:
		return math.Inf(1)
	case !c.Tested():
		return 0
	}
	return math.Abs(c.estimate.Mean) / c.margin
}

// look compares the experiments with a fault with themselves as they are, on the first seeds: as many times those of the profile.
func look(times int, asIs, faulty []fresh) []Change {
	var all []Change
	for _, f := range faulty {
		i := slices.IndexFunc(asIs, func(g fresh) bool { return g.exp.ID == f.exp.ID })
		is, known := asIs[i], map[uint64]bool{}
		for j := range is.seeds {
			known[is.first+uint64(j)] = true
		}
		was, now := Take(is.exp, is.block(0, times)), Take(is.exp, f.block(0, times))
		all = append(all, Compare(is.exp, was, now, Options{anySettings: true, Known: known})...)
	}
	return all
}
