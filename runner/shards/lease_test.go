package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beat is the time between heartbeats of the tests.
const beat = 200 * time.Millisecond

func take(t *testing.T, out string) (*Lease, error) {
	t.Helper()
	return Take(out, filepath.Join(out, "shards", "p"), "3", Holder{Job: "7_3"}, beat)
}

func TestLeaseIsHeldByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := t.TempDir()
		first, err := take(t, out)
		require.NoError(t, err)
		_, err = take(t, out)
		held := Held{}
		require.ErrorAs(t, err, &held)
		assert.Equal(t, []any{"7_3", beat.Seconds(), 1}, []any{held.Holder.Job, held.Holder.Every, held.Holder.Beats})
		require.NoError(t, first.Release("complete"))

		began := time.Now()
		second, err := take(t, out)
		require.NoError(t, err)
		assert.Zero(t, time.Since(began), "a lease that was released is free at once")
		time.AfterFunc(beat/2, func() { assert.NoError(t, second.Release("stopped")) })
		third, err := take(t, out)
		require.NoError(t, err, "and so is one that is released while another process looks at it")
		require.NoError(t, third.Release("complete"))
		files, err := os.ReadDir(filepath.Join(out, "shards", "p"))
		require.NoError(t, err)
		require.Len(t, files, 1, "one file a shard")
		assert.Equal(t, "3.3.lease", files[0].Name())
	})
}

// Of many that wait for the same silent holder, one takes its lease. That is left to chance unless they try often.
func TestOneOfManyTakesAnExpiredLease(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "shards", "p")
			require.NoError(t, os.MkdirAll(dir, 0o777))
			require.NoError(t, os.WriteFile(path(dir, "3", 5), []byte(`{"id":1,"host":"gone","every":0.2,"beat":"2099-01-01T00:00:00Z"}`), 0o666))
			var wg sync.WaitGroup
			var taken, held atomic.Int32
			for range 8 {
				wg.Go(func() {
					l, err := take(t, out)
					if err != nil {
						assert.ErrorAs(t, err, &Held{})
						held.Add(1)
						return
					}
					taken.Add(1)
					defer func() { assert.NoError(t, l.Release("")) }()
					time.Sleep(8 * beat)
				})
			}
			wg.Wait()
			assert.Equal(t, int32(1), taken.Load(), "a heartbeat in the future of this clock does not keep a lease")
			assert.Equal(t, int32(7), held.Load())
		})
	}
}

// A holder is silent after 2.5 of its heartbeats, or of the usual ones if it does not say how long these are, or cannot mean it.
func TestHowLongAHolderMayBeSilent(t *testing.T) {
	for every, want := range map[string]time.Duration{"0.2": 500 * time.Millisecond, "60": 150 * time.Second, "0": 25 * time.Second, "600": 25 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "shards", "p")
			require.NoError(t, os.MkdirAll(dir, 0o777))
			for _, generation := range []int{9, 10} {
				require.NoError(t, os.WriteFile(path(dir, "3", generation), fmt.Appendf(nil, `{"id":1,"host":"gone","every":%s}`, every), 0o666))
			}
			began := time.Now()
			l, err := take(t, out)
			require.NoError(t, err)
			assert.InEpsilon(t, want.Seconds(), time.Since(began).Seconds(), 0.1, "every %s s", every) // a look each fifth of a heartbeat
			assert.Equal(t, 11, l.generation)
			require.NoError(t, l.Release(""))
		})
	}
}

// A holder notices within two or three heartbeats that it has lost its lease, and leaves what is there as it is.
func TestHolderNoticesThatItsLeaseIsGone(t *testing.T) {
	const other = `{"id":1}`
	for name, harm := range map[string]func(dir string) error{
		"a later generation, as after a pause of this process": func(dir string) error { return os.WriteFile(path(dir, "3", 2), []byte(other), 0o666) },
		"its file is of another one":                           func(dir string) error { return os.WriteFile(path(dir, "3", 1), []byte(other), 0o666) },
		"its file is gone":                                     func(dir string) error { return os.Remove(path(dir, "3", 1)) },
		"it cannot write":                                      func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			out := t.TempDir()
			l, err := take(t, out)
			require.NoError(t, err)
			dir := filepath.Join(out, "shards", "p")
			require.NoError(t, harm(dir))
			began := time.Now()
			select {
			case <-l.Gone():
			case <-time.After(20 * beat):
			}
			assert.LessOrEqual(t, time.Since(began), 3*beat, name)
			assert.Error(t, l.Release("complete"), name)
			if last, err := newest(dir, "3"); err == nil {
				assert.Contains(t, []string{other, ""}, last.text, name)
			}
		})
	}
}

func TestLeaseOfADeadProcessOfThisMachineIsFree(t *testing.T) {
	if place() == "" {
		t.Skip("this system does not say in which place a number of a process is unique")
	}
	synctest.Test(t, func(t *testing.T) {
		out := t.TempDir()
		l, err := take(t, out)
		require.NoError(t, err)
		close(l.stop)
		<-l.done
		l.holder.Process = 1 << 30 // none has this number
		require.NoError(t, l.write())
		began := time.Now()
		l, err = take(t, out)
		require.NoError(t, err)
		assert.Zero(t, time.Since(began), "nobody waits for a heartbeat")
		require.NoError(t, l.Release("complete"))
	})
}

func TestStates(t *testing.T) {
	out := t.TempDir()
	p := New([]string{"x/y"}, 4, []Cell{{Experiment: "x/y", Cell: "a-seed1", Digest: "d", Shard: 1}})
	require.NoError(t, p.Save(out))
	dir := p.Dir(out)
	l, err := Take(out, dir, "2", Holder{}, Every)
	require.NoError(t, err)
	old := path(dir, "3", 1)
	require.NoError(t, os.WriteFile(old, []byte(`{"id":1,"host":"elsewhere","every":10}`), 0o666))
	past := time.Now().Add(-26 * time.Second)
	require.NoError(t, os.Chtimes(old, past, past))
	other, err := Take(out, dir, "submit", Holder{}, Every)
	require.NoError(t, err)
	states, err := p.States(out)
	require.NoError(t, err)
	require.Len(t, states, 2)
	assert.True(t, states[2].Alive)
	assert.False(t, states[3].Alive)
	require.NoError(t, l.Release("complete"))
	require.NoError(t, other.Release(""))
	states, err = p.States(out)
	require.NoError(t, err)
	assert.False(t, states[2].Alive)
	assert.Equal(t, "complete", states[2].Ended)
}

func TestPlans(t *testing.T) {
	out := t.TempDir()
	cells := []Cell{{Experiment: "x/y", Cell: "a-seed1", Digest: "d", Shard: 1}, {Experiment: "x/y", Cell: "a-seed2", Digest: "e", Shard: 2}}
	old, now := New(nil, 2, cells), New(nil, 1, []Cell{{Experiment: "x/y", Cell: "a-seed1", Digest: "f", Shard: 1}})
	assert.NotEqual(t, old.ID, now.ID)
	assert.Equal(t, old.ID, New([]string{"other words"}, 2, cells).ID)
	require.NoError(t, old.Save(out))
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(old.Dir(out), "plan.json"), past, past))
	require.NoError(t, now.Save(out))
	all, err := Plans(out)
	require.NoError(t, err)
	require.Len(t, all, 2)
	of := Latest(all)
	assert.Equal(t, now.Cells, of[all[0]])
	assert.Equal(t, cells[1:], of[all[1]], "a cell is one of the latest plan that has it")
}

// A holder is silent after 2.5 of its own heartbeats, and of the usual ones only if it does not say how long these are.
func TestHeartbeatsAreTheHolders(t *testing.T) {
	out := t.TempDir()
	p := New([]string{"x/y"}, 4, []Cell{{Experiment: "x/y", Cell: "a-seed1", Digest: "d", Shard: 1}})
	require.NoError(t, p.Save(out))
	for shard, c := range map[int]struct {
		every string
		age   time.Duration
		alive bool
	}{1: {`"every":2,`, 7 * time.Second, false}, 2: {`"every":60,`, 100 * time.Second, true}, 3: {"", 20 * time.Second, true}, 4: {"", 30 * time.Second, false}} {
		file := path(p.Dir(out), fmt.Sprint(shard), 1)
		require.NoError(t, os.WriteFile(file, []byte(`{"id":1,`+c.every+`"host":"elsewhere"}`), 0o666))
		past := time.Now().Add(-c.age)
		require.NoError(t, os.Chtimes(file, past, past))
		states, err := p.States(out)
		require.NoError(t, err)
		assert.Equal(t, c.alive, states[shard].Alive, "shard %d", shard)
	}
}

// A holder whose process has ended is not alive, however new its heartbeat is; of a process elsewhere nothing is known.
func TestADeadHolderIsNotAlive(t *testing.T) {
	out := t.TempDir()
	p := New(nil, 3, []Cell{{Experiment: "x/y", Cell: "a-seed1", Digest: "d", Shard: 1}})
	require.NoError(t, p.Save(out))
	for shard, h := range map[int]Holder{1: {ID: 1, Place: place(), Process: os.Getpid()}, 2: {ID: 2, Place: place(), Process: 1 << 30}, 3: {ID: 3, Place: "elsewhere", Process: 1 << 30}} {
		text, err := json.Marshal(h)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path(p.Dir(out), fmt.Sprint(shard), 1), text, 0o666))
	}
	states, err := p.States(out)
	require.NoError(t, err)
	for shard, alive := range map[int]bool{1: true, 2: place() == "", 3: true} {
		assert.Equal(t, alive, states[shard].Alive, "shard %d", shard)
	}
}

// A plan is another one if it has another cell, shard, number of shards or setting of a cell, and the same whatever its words are.
func TestPlansAreNamedByWhatTheyRun(t *testing.T) {
	cells := func(change func(c *Cell)) []Cell {
		all := []Cell{{Experiment: "p/x", Cell: "a-seed1", Profile: "paper", Digest: "d", Shard: 1, Command: "run p/x"}, {Experiment: "p/x", Cell: "a-seed2", Digest: "e", Shard: 2}}
		change(&all[0])
		return all
	}
	id := New([]string{"p/x"}, 2, cells(func(*Cell) {})).ID
	for name, change := range map[string]func(c *Cell){
		"experiment": func(c *Cell) { c.Experiment = "p/y" }, "cell": func(c *Cell) { c.Cell = "b-seed1" },
		"settings": func(c *Cell) { c.Digest = "f" }, "shard": func(c *Cell) { c.Shard = 2 },
	} {
		assert.NotEqual(t, id, New([]string{"p/x"}, 2, cells(change)).ID, name)
	}
	assert.NotEqual(t, id, New([]string{"p/x"}, 3, cells(func(*Cell) {})).ID)
	assert.Equal(t, id, New([]string{"p/*"}, 2, cells(func(c *Cell) { c.Profile, c.Command = "smoke", "run p/*" })).ID)
}

// Of a cell that two plans have, the latest counts, and cells of one name in two experiments are two.
func TestLatestCells(t *testing.T) {
	x, y := Cell{Experiment: "p/x", Cell: "a-seed1"}, Cell{Experiment: "p/y", Cell: "a-seed1"}
	late, early := New(nil, 1, []Cell{x}), New(nil, 2, []Cell{x, y})
	assert.Equal(t, map[*Plan][]Cell{late: {x}, early: {y}}, Latest([]*Plan{late, early}))
}

func TestParse(t *testing.T) {
	i, n, plan, err := Parse("3/8@0a1b")
	require.NoError(t, err)
	assert.Equal(t, []any{3, 8, "0a1b"}, []any{i, n, plan})
	for _, wrong := range []string{"", "3", "0/8", "9/8", "a/b", "3/"} {
		_, _, _, err := Parse(wrong)
		assert.ErrorContains(t, err, "want i/n", wrong)
	}
}
