package changes

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var recorded = flag.String("records", "", "output folder of a check with more seeds, for TestFalseAlarmsOfAllLayers")

// TestFalseAlarmsOfAllLayers compares seeds of this program with other seeds of it, for all experiments of an output folder at once,
// claims and layers, as a check does, and counts the trials with an alarm. Equal bits cannot help: no two seeds are the same. A trial draws
// two sets of seeds without a seed in common, twice as many as the profile has or half of those that there are. It looks first at as
// many as the profile has, and then, at experiments that are not settled, at all: the fresh ones must confirm.
//
//	repro check --seeds 40 --set repeat.first=200001 --budget 0s --out forty
//	go test ./results/changes -run TestFalseAlarmsOfAllLayers -v -timeout 0 -args -records $PWD/forty
func TestFalseAlarmsOfAllLayers(t *testing.T) {
	if *recorded == "" {
		t.Skip("name a folder with -records")
	}
	store, err := records.Open(*recorded)
	require.NoError(t, err)
	ids := map[string]bool{}
	for _, r := range store.Records {
		ids[r.Header.Experiment] = true
	}
	var all []fresh
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		spec, err := catalog.Load(catalog.Ref{ID: id}, experiments.LoadOptions{Profile: experiments.CI})
		require.NoError(t, err)
		f := fresh{exp: spec.Experiment(), first: spec.Repeat.First, seeds: spec.Repeat.Seeds}
		f.exp.Profile = store.Of(id)[0].Header.Profile // edited, if the seeds are others
		f.recs = f.exp.Own(store.Of(id))
		f.exp.Expected = nil
		all = append(all, f)
		t.Logf("%s: %d seeds a side of %d", id, f.side(), len(f.distinct()))
		require.Greater(t, f.side(), 1)
	}
	require.NotEmpty(t, all)
	random := rand.New(rand.NewPCG(1, 2))
	alarms, early, layers, numbers, hypotheses := 0, 0, 0, 0, 0
	states := map[string]int{}
	for trial := range *trials {
		var now gate
		var sides [][2][]*records.Record
		for _, f := range all {
			a, b := f.draw(random)
			sides = append(sides, [2][]*records.Record{a, b})
			now.compare(f, a, f.early(b), Options{})
		}
		now.decide(Looks[0].Alpha)
		early += one(now.alarm("") != "")
		for i, f := range all {
			if f.side() > f.seeds && now.open(f.exp.ID) {
				now.compare(f, sides[i][0], sides[i][1], Options{Known: f.known()})
			}
		}
		now.decide(Alpha - Looks[0].Alpha)
		numbers, hypotheses = len(now.numbers), 0
		for _, s := range now.shifts {
			hypotheses += one(s.P != nil)
			states[s.about()+" "+string(detail(s))]++
			if detail(s) == isMoved && s.Part != OfBits {
				t.Logf("trial %d: %s: %s", trial+1, detail(s), strings.Join(append([]string{s.Experiment}, s.Row()...), " "))
			}
		}
		if text := now.alarm(""); text != "" {
			alarms++
			layers += one(slices.ContainsFunc(now.shifts, func(s Shift) bool { return s.Fails(FailsOn()) }))
			t.Logf("trial %d:%s", trial+1, text)
		}
	}
	most := distuv.Beta{Alpha: float64(alarms + 1), Beta: float64(*trials - alarms)}.Quantile((1 + stats.Level) / 2) // exact [Clopper & Pearson 1934]
	t.Logf("%d experiments, %d numbers and about %d shifts in a trial: %d of %d trials with an alarm, %d of them by layers, %d at the first look; fewer than %.1f %% with 95 %%\n%v",
		len(all), numbers, hypotheses, alarms, *trials, layers, early, 100*most, states)
	if *trials >= 59 && alarms > *trials/59 {
		t.Errorf("%d alarms in %d trials", alarms, *trials)
	}
}

// A gate is what a check has compared.
type gate struct {
	numbers []Change
	shifts  []Shift
}

// compare compares an experiment, in place of what it had.
func (g *gate) compare(f fresh, was, is []*records.Record, o Options) {
	base, now := Take(f.exp, was), Take(f.exp, is)
	g.numbers = append(slices.DeleteFunc(g.numbers, func(c Change) bool { return c.Experiment == f.exp.ID }), Compare(f.exp, base, now, o)...)
	g.shifts = append(slices.DeleteFunc(g.shifts, func(s Shift) bool { return s.Experiment == f.exp.ID }), Shifts(f.exp, base, now, o)...)
}

func (g *gate) decide(alpha float64) {
	Decide(g.numbers, Level(alpha))
	DecideShifts(g.shifts)
}

// alarm lists what fails the gate, of an experiment or, without one, of all.
func (g *gate) alarm(experiment string) string {
	text, of := "", func(id string) bool { return experiment == "" || id == experiment }
	for _, c := range g.numbers {
		if detail(c) == records.Worse && of(c.Experiment) {
			text += fmt.Sprintf("\n\t%s: %s", numberOf(c), c.Reason)
		}
	}
	for _, s := range g.shifts {
		if s.Fails(FailsOn()) && of(s.Experiment) {
			text += fmt.Sprintf("\n\t%s: %s: %s", detail(s), strings.Join(append([]string{s.Experiment}, s.Row()...), " "), s.Reason)
		}
	}
	return text
}

// open reports whether a check would look at more seeds of an experiment.
func (g *gate) open(experiment string) bool {
	return g.alarm(experiment) != "" || slices.ContainsFunc(g.numbers, func(c Change) bool { return c.Experiment == experiment && detail(c) == records.Undecided })
}

// distinct lists the seeds of the records.
func (f fresh) distinct() []uint64 {
	var all []uint64
	for _, r := range f.recs {
		all = append(all, r.Header.Seed)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// side returns the number of seeds of a side of a trial.
func (f fresh) side() int { return min(2*f.seeds, len(f.distinct())/2) }

// known returns the seeds of the first look.
func (f fresh) known() map[uint64]bool {
	known := map[uint64]bool{}
	for i := range f.seeds {
		known[f.first+uint64(i)] = true
	}
	return known
}

// early returns the records of the seeds of the first look.
func (f fresh) early(recs []*records.Record) []*records.Record {
	known := f.known()
	return slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool { return !known[r.Header.Seed] })
}

// draw returns the records of two random sets of seeds without a seed in common, as copies whose seeds are those of the profile. A
// method with fewer seeds has half of its own on each side; its only one is on both.
func (f fresh) draw(random *rand.Rand) (a, b []*records.Record) {
	seeds := f.distinct()
	random.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	own := map[string][]uint64{} // seeds of a method, in the order of seeds
	for _, seed := range seeds {
		for _, r := range f.recs {
			if r.Header.Seed == seed {
				own[r.Header.Method] = append(own[r.Header.Method], seed)
			}
		}
	}
	add := func(r *records.Record, to []*records.Record, rank int) []*records.Record {
		c := *r
		c.Header.Seed = f.first + uint64(rank)
		c.Header.Cell = fmt.Sprintf("%s-seed%d", c.Header.Method, c.Header.Seed)
		return append(to, &c)
	}
	for _, r := range f.recs {
		all := own[r.Header.Method]
		n, rank := min(2*f.seeds, len(all)/2), slices.Index(all, r.Header.Seed)
		switch {
		case len(all) == 1:
			a, b = add(r, a, 0), add(r, b, 0)
		case rank < n:
			a = add(r, a, rank)
		case rank < 2*n:
			b = add(r, b, rank-n)
		}
	}
	return a, b
}

var (
	detected = flag.String("detect", "", "id of an experiment for TestDetection")
	blocks   = flag.Int("blocks", 10, "sets of seeds of TestDetection, each as many as the profile has")
)

// TestDetection makes all step sizes of an experiment a little too large, and prints in which share of sets of seeds one look of the claims
// and of every layer notices it:
//
//	go test ./results/changes -run TestDetection -v -timeout 0 -args -detect dai2014/ridge
func TestDetection(t *testing.T) {
	if *detected == "" {
		t.Skip("name an experiment with -detect")
	}
	t.Log("\n" + detection(t, []catalog.Ref{{ID: *detected}}, nil, *blocks, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5))
}

// The table of a small experiment: nothing notices a change of rounding, and the level a large one.
func TestDetectionOfASmallExperiment(t *testing.T) {
	text, err := os.ReadFile("../../cmd/repro/cli/testdata/gate.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("gate.toml", []byte(strings.ReplaceAll(string(text), "faultable", "inverse")), 0o666))
	table := detection(t, []catalog.Ref{{Path: "gate.toml"}}, nil, 2, 1+1e-12, 2)
	lines := strings.Split(table, "\n")
	require.Len(t, lines, 5, table)
	assert.Equal(t, "| × 1 | 0/2 | 0/2 | 0/2 | 0/2 | 0/2 |", lines[2])
	assert.Contains(t, lines[3], "| 2/2 | 2/2 |", "a warning counts as noticed: %s", lines[3])
}

// detection returns the rows of a table: of how many sets of seeds claims, levels, shapes, any of these, and any of these or a warning
// notice step sizes that are too large by each factor.
func detection(t *testing.T, refs []catalog.Ref, set []string, blocks int, factors ...float64) string {
	asIs := fresher(t, refs, set, blocks, nil)
	var s strings.Builder
	s.WriteString("| step sizes | claims | level | shape | any | any, or a warning |\n|---|--:|--:|--:|--:|--:|\n")
	for _, by := range factors {
		faulty := fresher(t, refs, set, blocks, func(s *experiments.Spec) []string { return stepEdits(s, by) })
		require.NotEmpty(t, faulty, "no step size to change")
		var n [5]int
		for k := range blocks {
			var numbers []Change
			var shifts []Shift
			for i, f := range faulty {
				was, now := Take(asIs[i].exp, asIs[i].block(k, 1)), Take(asIs[i].exp, f.block(k, 1))
				numbers = append(numbers, Compare(asIs[i].exp, was, now, Options{anySettings: true})...)
				shifts = append(shifts, Shifts(asIs[i].exp, was, now, Options{anySettings: true})...)
			}
			Decide(numbers, Level(Looks[0].Alpha))
			DecideShifts(shifts)
			count := count(numbers)
			layer := func(l CurvePart) bool {
				return slices.ContainsFunc(shifts, func(s Shift) bool { return s.Part == l && (detail(s) == records.Worse || detail(s) == records.Better) })
			}
			claims, level, shape := count[records.Worse]+count[isFailed]+count[records.Better] > 0, layer(OfLevel), layer(OfShape)
			any := claims || level || shape
			warned := any || slices.ContainsFunc(shifts, func(s Shift) bool { return detail(s) == isMoved && s.Part != OfBits })
			for i, yes := range []bool{claims, level, shape, any, warned} {
				n[i] += one(yes)
			}
		}
		fmt.Fprintf(&s, "| × %s |", printed.Number(by))
		for _, k := range n {
			fmt.Fprintf(&s, " %d/%d |", k, blocks)
		}
		s.WriteString("\n")
	}
	return s.String()
}
