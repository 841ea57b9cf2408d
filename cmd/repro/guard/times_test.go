package guard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/changes"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// A fakeRace is a race on a clock of its own: the new program takes ratio times as long as the old one, both with noise.
type fakeRace struct {
	race
	ratio   map[string]float64 // by method
	noise   float64            // standard deviation of the logarithm of a time
	random  *rand.Rand
	clock   time.Time
	order   []int // of the programs that ran
	notes   []string
	missing string // method that the old program does not have
	cells   [2]string
}

func newFakeRace(seed uint64, noise float64, budget time.Duration, ratio map[string]float64) *fakeRace {
	f := &fakeRace{ratio: ratio, noise: noise, random: rand.New(rand.NewPCG(seed, 7)), clock: time.Unix(0, 0)}
	f.budget, f.now = budget, func() time.Time { return f.clock }
	f.note = func(format string, args ...any) { f.notes = append(f.notes, fmt.Sprintf(format, args...)) }
	f.measure = func(_ context.Context, program int) (map[changes.Timed]took, error) {
		f.order = append(f.order, program)
		f.clock = f.clock.Add(time.Second)
		all := map[changes.Timed]took{}
		for _, method := range []string{"a", "b", "c", "d", "e", "f"} {
			r, ok := f.ratio[method]
			if !ok || method == f.missing && program == 0 {
				continue
			}
			all[changes.Timed{Experiment: "own/x", Method: method}] = took{math.Pow(r, float64(program)) * math.Exp(f.noise*f.random.NormFloat64()), f.cells[program]}
		}
		return all, nil
	}
	return f
}

// states returns the states of methods, and how many rounds there were.
func (f *fakeRace) states(t *testing.T) (states map[string]changes.State, rounds int, all []changes.Timing) {
	t.Helper()
	all, err := f.run(t.Context())
	require.NoError(t, err)
	states = map[string]changes.State{}
	for _, x := range all {
		states[x.Method], rounds = x.State, x.Rounds
	}
	return states, rounds, all
}

func TestRace(t *testing.T) {
	f := newFakeRace(1, 0.01, time.Hour, map[string]float64{"a": 1.5, "b": 1, "c": 0.5, "d": 1.1})
	states, rounds, all := f.states(t)
	assert.Equal(t, map[string]changes.State{"a": changes.Regressed, "b": changes.Equivalent, "c": changes.Improved, "d": changes.Equivalent}, states)
	assert.Equal(t, 5, rounds, "five rounds decide")
	assert.Equal(t, []int{0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, f.order, "in alternation")
	assert.Equal(t, 1, changes.TimeStatus(all))
	assert.InDelta(t, 1.5, all[0].Ratio, 0.03)
	assert.Less(t, all[0].Low, all[0].Ratio)

	f = newFakeRace(2, 0.3, time.Hour, map[string]float64{"a": 1.2})
	states, rounds, all = f.states(t)
	assert.Equal(t, changes.Inconclusive, states["a"])
	assert.Equal(t, 20, rounds)
	assert.Equal(t, 3, changes.TimeStatus(all))

	f = newFakeRace(2, 0.3, 15*time.Second, map[string]float64{"a": 1.2}) // a round takes 2 s
	_, rounds, _ = f.states(t)
	assert.Equal(t, 5, rounds, "ten rounds lie beyond the budget")
	assert.Equal(t, []string{"5 more rounds would take 10 s, and 5.0 s of the budget is left; give more with --budget"}, f.notes)

	f = newFakeRace(2, 0.01, time.Hour, map[string]float64{"a": 1, "b": 1})
	f.missing = "b"
	states, _, _ = f.states(t)
	assert.Len(t, states, 1)
	assert.Equal(t, []string{"own/x b ran with the new program only; it is left out"}, f.notes)
	f = newFakeRace(2, 0.01, time.Hour, map[string]float64{"a": 1})
	f.cells = [2]string{"one setting", "another"}
	states, _, _ = f.states(t)
	assert.Empty(t, states)
	assert.Equal(t, []string{"own/x a has other settings or seeds in the two programs; it is left out"}, f.notes)

	_, _, all = newFakeRace(2, 0, time.Hour, map[string]float64{"a": 1.2, "b": 1.21, "c": 1}).states(t)
	assert.Equal(t, []changes.State{changes.Inconclusive, changes.Regressed, changes.Equivalent}, []changes.State{all[0].State, all[1].State, all[2].State}, "without noise")
	_, _, all = newFakeRace(2, 0, time.Hour, nil).states(t)
	assert.Equal(t, 4, changes.TimeStatus(all))
	_, err := newFakeRace(2, 0, time.Hour, map[string]float64{"a": 0}).run(t.Context())
	assert.ErrorContains(t, err, "own/x a has no training time in round 1 of the new program")
	broken := newFakeRace(2, 0, time.Hour, nil)
	broken.measure = func(context.Context, int) (map[changes.Timed]took, error) { return nil, errors.New("broken") }
	_, err = broken.run(t.Context())
	assert.ErrorContains(t, err, "broken")
}

// Six methods that are 1.2 times as slow, at the edge, give an alarm in at most 5 % of races, although each race has up to three
// looks: 38 of 500 lie 2.7 standard deviations above 25. Without a change there is none, and methods that are 1.4 times as slow are
// found.
func TestRaceErrorRates(t *testing.T) {
	alarms := func(ratio float64) (n int) {
		six := map[string]float64{}
		for _, method := range []string{"a", "b", "c", "d", "e", "f"} {
			six[method] = ratio
		}
		for seed := range uint64(500) {
			if states, _, _ := newFakeRace(seed, 0.08, time.Hour, six).states(t); len(states) == 6 {
				for _, s := range states {
					if s == changes.Regressed {
						n++
						break
					}
				}
			}
		}
		return n
	}
	edge, none, slow := alarms(changes.Slower), alarms(1), alarms(1.4)
	t.Logf("alarms in 500 races: %d at the edge, %d without a change, %d at 1.4", edge, none, slow)
	assert.LessOrEqual(t, edge, 38)
	assert.Zero(t, none)
	assert.GreaterOrEqual(t, slow, 490)
}

// fake writes a program that copies the records of its n-th call from a folder into the output folder.
func fake(t *testing.T, seconds ...float64) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	dir := t.TempDir()
	for i, s := range seconds {
		for seed := range uint64(2) {
			r := recordstest.Record("dsg", seed+1, 0.5, 0.25)
			for k := range r.Points {
				r.Points[k].Timing = records.PointTiming{Setup: s / 8, Train: 3 * s / 8 * float64(k) / float64(len(r.Points)-1)}
			}
			recordstest.Write(t, filepath.Join(dir, strconv.Itoa(i+1)), r)
		}
	}
	program := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, []byte(fmt.Sprintf(`#!/bin/sh
echo "$@" >>%[1]s/calls
n=$(wc -l <%[1]s/calls)
while [ "$1" != --out ]; do shift; done
[ -d %[1]s/$((n)) ] || { echo "no more records" >&2; exit 5; }
mkdir -p "$2" && cp -r %[1]s/$((n))/records "$2"
`, dir)), 0o700))
	return program
}

// The time of a program is that of the training clock in its records, summed over the seeds.
func TestTrainingTimes(t *testing.T) {
	program := fake(t, 4, 8)
	out := filepath.Join(t.TempDir(), "out")
	words := []string{"own/x", "--profile", "ci"}
	seconds, err := trainingTimes(t.Context(), program, "old", words, true, out)
	require.NoError(t, err)
	key := slices.Collect(func(yield func(changes.Timed) bool) {
		for k := range seconds {
			yield(k)
		}
	})
	require.Len(t, key, 1)
	assert.Equal(t, "dsg", key[0].Method)
	assert.InDelta(t, 4, seconds[key[0]].seconds, 1e-12, "two seeds, each 1/8 for the setup and 3/8 for the steps")
	calls, err := os.ReadFile(filepath.Join(filepath.Dir(program), "calls"))
	require.NoError(t, err)
	assert.Equal(t, "run own/x --profile ci --threads 1 --fresh --out "+out+" --allow-external\n", string(calls))
	assert.NoDirExists(t, out)
	seconds, err = trainingTimes(t.Context(), program, "old", words, false, out)
	require.NoError(t, err)
	assert.InDelta(t, 8, seconds[key[0]].seconds, 1e-12)
	_, err = trainingTimes(t.Context(), program, "old", words, false, out)
	assert.ErrorContains(t, err, "no more records")
	_, err = trainingTimes(t.Context(), filepath.Join(out, "none"), "new", words, false, out)
	assert.ErrorContains(t, err, "the new program ")
}

// Whole races of two fake programs.
func TestRaceOfPrograms(t *testing.T) {
	old, slow := fake(t, 1, 1.01, 0.99, 1, 1.02), fake(t, 1.5, 1.52, 1.49, 1.5, 1.51)
	runs := 0
	r := race{budget: 0, now: time.Now, note: t.Logf, measure: func(ctx context.Context, program int) (map[changes.Timed]took, error) {
		runs++
		return trainingTimes(ctx, []string{old, slow}[program], programs[program], nil, false, filepath.Join(t.TempDir(), strconv.Itoa(runs)))
	}}
	all, err := r.run(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, changes.Regressed, all[0].State)
	assert.InDelta(t, 1.498, all[0].Ratio, 0.01)
	assert.Equal(t, 10, runs)
}
