package runner

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// steps is a grid of step sizes, of which the last diverges, for two batches.
const steps = `
[[method]]
id = "sgd"
algorithm = "sgd-rf"
features = 20
sampling = "replacement"
step = { schedule = "constant" }
grid = { batch = [3, 100], "step.gamma0" = [0.01, 0.1, 1.0, 1e100] }
[[method]]
id = "own"
algorithm = "sgd-rf"
features = 20
`

// shorter is a method that could share its features with those of steps, but ends between two of their evaluations.
const shorter = `
[[method]]
id = "shorter"
algorithm = "sgd-rf"
features = 20
batch = 3
sampling = "replacement"
budget = { steps = 5 }
step = { schedule = "constant", gamma0 = 0.01 }
`

func TestTeamsWriteTheRecordsOfCellsAlone(t *testing.T) {
	s := spec(t, head+steps+shorter)
	alone := t.TempDir()
	for _, c := range s.Expand() {
		_, err := Run(context.Background(), []experiments.Cell{c}, Options{Out: alone, Threads: 1, Library: datasets.NewLibrary()})
		require.NoError(t, err)
	}
	want := canonical(t, alone, s)
	require.Equal(t, records.Diverged, record(t, alone, s, "sgd,batch=3,gamma0=1e+100-seed1").Status())
	for _, threads := range []int{1, 3} {
		out := t.TempDir()
		sum := execute(t, s, Options{Out: out, Threads: threads})
		assert.Equal(t, 4, sum.Status[records.Diverged])
		assert.Equal(t, want, canonical(t, out, s), "%d threads", threads)
	}
	t.Run("interrupted", func(t *testing.T) {
		out := t.TempDir()
		interrupted := 0
		for ; ; interrupted++ {
			require.Less(t, interrupted, 100)
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			_, err := Run(ctx, s.Expand(), Options{Out: out, Threads: 2, Library: datasets.NewLibrary(), Checkpoint: time.Nanosecond,
				Observe: func(e Event) {
					if e.Kind == Started || e.Kind == Ended {
						if n++; n == 9 {
							cancel()
						}
					}
				}})
			cancel()
			if err == nil {
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			// A cell that begins again is behind the others of its team.
			require.NoError(t, files.Remove(out, files.Path(out, "checkpoints", s.ID, fmt.Sprintf("sgd,batch=3,gamma0=%v-seed1.gob", []string{"0.01", "0.1", "1"}[interrupted%3]))))
		}
		assert.Greater(t, interrupted, 1)
		assert.Equal(t, want, canonical(t, out, s))
	})
}

// apart has two methods that differ in their step, and others that differ in what a team has in common.
const apart = `
[[method]]
algorithm = "sgd-rf"
features = 20
each = [
  { id = "a", step = { schedule = "constant", gamma0 = 0.1 } },
  { id = "b", step = { schedule = "constant", gamma0 = 0.2 } },
  { id = "loss", loss = "huber", step = { schedule = "constant", gamma0 = 0.1 } },
  { id = "nu", nu = 0.5, step = { schedule = "constant", gamma0 = 0.1 } },
  { id = "budget", budget = { steps = 5 }, step = { schedule = "constant", gamma0 = 0.1 } },
  { id = "kernel", kernel = { name = "laplace", bandwidth = { rule = "median" } }, step = { schedule = "constant", gamma0 = 0.1 } },
  { id = "data", data = { train = 300 }, step = { schedule = "constant", gamma0 = 0.1 } },
]
`

func TestWhoSharesWithWhom(t *testing.T) {
	s := spec(t, head+steps)
	all := s.Expand()
	cells := make([]*experiments.Cell, len(all))
	for i := range all {
		cells[i] = &all[i]
	}
	sizes := func(cells []*experiments.Cell, workers int) (n []int) {
		var together []*experiments.Cell
		for _, group := range teams(cells, workers) {
			n, together = append(n, len(group)), append(together, group...)
		}
		assert.ElementsMatch(t, cells, together)
		return n
	}
	assert.Equal(t, []int{4, 4, 1, 4, 4, 1}, sizes(cells, 2), "a batch of a seed; the step that a method finds itself is its own matter")
	assert.Equal(t, []int{3, 1, 3, 1, 1, 3, 1, 3, 1, 1}, sizes(cells, 7), "every worker has something to do")
	for _, s := range shards(t, all, 6) {
		for _, i := range s {
			if key, ok := teamOf(&all[i]); ok {
				mates := 0
				for _, j := range s {
					if other, _ := teamOf(&all[j]); other == key {
						mates++
					}
				}
				assert.Equal(t, 4, mates, "a team stays in one shard")
			}
		}
	}
	e := NewNominalEstimator(datasets.NewLibrary())
	first, second := estimate(t, e, cells[4]), estimate(t, e, cells[5])
	assert.Less(t, second.Seconds, first.Seconds, "the first of a team pays for the features")
	e.Apart()
	assert.Equal(t, first, estimate(t, e, cells[5]))
	p := EmptyPlan(Options{Threads: 1})
	for _, c := range cells[4:8] { // the team of a batch
		p.Add(c, records.ToDo, first)
	}
	assert.Equal(t, p.whole(first.Common+4*(first.Bytes-first.Common)), p.Cost().Bytes, "the cells of a team are there at a time, their rows once")
	assert.Positive(t, first.Common)
	assert.Greater(t, first.Bytes, first.Common)
	var each []*experiments.Cell
	for _, c := range spec(t, strings.NewReplacer(`, "exact-distance"`, "", "reference = \"krr\"\n", "").Replace(head)+apart, "repeat.seeds=1").Expand() {
		each = append(each, &c)
	}
	assert.Equal(t, []int{2, 1, 1, 1, 1, 1}, sizes(each, 1), "what else they differ in")
	timed := spec(t, head+"timed = true\n"+steps).Expand()
	assert.Equal(t, []int{1, 1}, sizes([]*experiments.Cell{&timed[0], &timed[1]}, 1), "seconds count")
}

// A mate is a hazard whose fits make their steps together, three at a time.
type mate struct{ hazard }

func (a *mate) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := a.hazard.Start(p)
	return &mateFit{f.(*hazardFit)}, err
}

func (*mate) Traits() algos.Traits { return algos.Traits{Shared: "mates"} }

type mateFit struct{ *hazardFit }

func (f *mateFit) Leap(n int, others ...algos.Fit) (done []algos.Iterations) {
	f.call(fmt.Sprint("leap of ", 1+len(others)), f.Seen)
	for _, g := range append([]algos.Fit{f}, others...) {
		i := algos.Iterations{Made: min(n, 3)}
		for range i.Made {
			g.(*mateFit).hazardFit.Step()
			i.Progress.Seen++
		}
		done = append(done, i)
	}
	return done
}

func init() {
	algos.Register[*mateFit]("test-mate", "makes its steps with others", func() algos.Algorithm { return &mate{} })
}

// mates is a spec of three mates that make 20 steps.
var mates = strings.ReplaceAll(strings.Split(hazardous, "[[method]]")[0], "points = 6", "at = [10]") + `
[[method]]
id = "mate"
algorithm = "test-mate"
grid = { name = ["a", "b", "c"] }
`

func TestATeamLeapsTogether(t *testing.T) {
	s := spec(t, mates)
	out := t.TempDir()
	leapsOf := func() (leaps []string) {
		var mu sync.Mutex
		during(t, func(_, part string, step int) {
			if strings.HasPrefix(part, "leap") {
				mu.Lock()
				defer mu.Unlock()
				leaps = append(leaps, fmt.Sprint(part, " after ", step))
			}
		})
		require.Equal(t, 3, execute(t, s, Options{Out: out, Threads: 1}).Status[records.Budget])
		return leaps
	}
	want := []string{"leap of 3 after 0", "leap of 3 after 3", "leap of 3 after 6", "leap of 3 after 9", "leap of 3 after 10", "leap of 3 after 13", "leap of 3 after 16", "leap of 3 after 19"}
	assert.Equal(t, want, leapsOf())
	require.NoError(t, os.Remove(records.Path(out, s.ID, "mate,name=b-seed1")))
	for i := range want {
		want[i] = strings.Replace(want[i], "3 after", "1 after", 1)
	}
	assert.Equal(t, want, leapsOf(), "the others are complete")
}

func TestATeamThatPanics(t *testing.T) {
	s := spec(t, mates)
	out := t.TempDir()
	during(t, func(_, part string, step int) {
		if part == "leap of 3" && step > 9 {
			panic("of a test")
		}
	})
	assert.Equal(t, 3, execute(t, s, Options{Out: out, Threads: 1}).Status[records.Failed])
	for _, c := range s.Expand() {
		assert.Contains(t, record(t, out, s, c.Name).End.Reason, "panic: of a test; its stack is in failures/")
		text, err := os.ReadFile(files.Path(out, "failures", s.ID, c.Name+".txt"))
		require.NoError(t, err)
		assert.Contains(t, string(text), "mateFit).Leap", "the stack of the panic")
	}
}

// slowMate makes the iterations of all in 3 seconds.
type slowMate struct{ algos.Fit }

func (slowMate) Leap(_ int, others ...algos.Fit) []algos.Iterations {
	time.Sleep(3 * time.Second)
	return make([]algos.Iterations, 1+len(others))
}

// The seconds of the cells of a team are those that all of them took.
func TestATeamsSecondsAreDivided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cells := []*leap{{fit: takeIn(slowMate{}), n: 4}, {fit: takeIn(slowMate{}), n: 4}, {fit: takeIn(slowMate{}), n: 4}}
		makeTogether(cells)
		for _, l := range cells {
			assert.NoError(t, l.panicked)
			assert.InDelta(t, 1, l.made.seconds, 1e-9)
		}
	})
}
