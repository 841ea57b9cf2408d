//go:build slurm

package engines

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// load is a spec of 12 cells that take about 2 s each on one processor, so six shards run for about 4 s each.
const load = `schema = 1
paper = "load"
title = "a small problem"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 9000
test = 60
[problem]
loss = "square"
nu = 1e-4
kernel = { name = "gaussian", bandwidth = 0.2 }
[budget]
epochs = 2.0
[evaluate]
points = 8
metrics = ["l2-error", "test-mse"]
surface = 4
predictions = true
[repeat]
seeds = 6
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 8
block = 16
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "norma"
algorithm = "norma"
batch = 8
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
`

// A site is a folder with the spec, the program, and the state of an undisturbed run on one machine.
type site struct {
	t       *testing.T
	c       *cluster
	dir     string
	program string
	want    map[string]string
	flags   []string // of submit, besides those that choose the cells
}

// newSite builds the program and runs the spec in one process.
func newSite(t *testing.T, changes ...string) *site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &site{t: t, dir: dir, program: filepath.Join(dir, "repro")}
	out, err := exec.Command("go", "build", "-o", s.program, "../").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "load.toml"), []byte(strings.NewReplacer(changes...).Replace(load)), 0o644))
	status, text := s.repro(nil, "run", "load.toml", "--profile", "paper", "--out", "alone")
	require.Zero(t, status, text)
	s.want = s.state("alone")
	require.NotEmpty(t, s.want)
	return s
}

// with returns the site for a subtest on a cluster.
func (s *site) with(t *testing.T, c *cluster, flags ...string) *site {
	own := *s
	own.t, own.c, own.flags = t, c, flags
	return &own
}

// repro runs the program and returns its exit status and what it prints.
func (s *site) repro(env []string, args ...string) (int, string) {
	cmd := exec.Command(s.program, args...)
	cmd.Dir, cmd.Env = s.dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		if cmd.ProcessState == nil {
			return -1, err.Error()
		}
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (s *site) submit(env []string, out string, more ...string) (int, string) {
	args := slices.Concat([]string{"submit", "load.toml", "--profile", "paper", "--out", out, "--shards", "6"}, s.flags, more)
	status, text := s.repro(env, args...)
	s.t.Logf("submit: %d\n%s", status, text)
	return status, text
}

// submitted submits and requires success.
func (s *site) submitted(out string, more ...string) {
	s.t.Helper()
	status, text := s.submit(s.c.env, out, more...)
	require.Zero(s.t, status, text)
}

// state returns the records of an output folder without what varies, and the predictions, by path.
func (s *site) state(out string) map[string]string {
	s.t.Helper()
	state := map[string]string{}
	for _, part := range []string{"records", "predictions", "checkpoints", "locks", "failures"} {
		err := filepath.WalkDir(filepath.Join(s.dir, out, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			var text []byte
			if part == "records" {
				text, err = recordstest.Canonical(path)
			} else {
				text, err = os.ReadFile(path)
			}
			name, _ := filepath.Rel(filepath.Join(s.dir, out), path)
			state[name] = string(text)
			return err
		})
		require.NoError(s.t, err)
	}
	return state
}

// same requires that the folder has the records and predictions of the undisturbed run, none doubled, none lost, and no
// checkpoint or lock; and that merging it into an empty folder gives the same.
func (s *site) same(out string) {
	s.t.Helper()
	got := s.state(out)
	for path, want := range s.want {
		text, ok := got[path]
		require.True(s.t, ok, "%s is missing", path)
		require.Equal(s.t, want, text, path)
	}
	for path := range got {
		require.Contains(s.t, s.want, path, "%s is left", path)
	}
	store, err := records.Open(filepath.Join(s.dir, out))
	require.NoError(s.t, err)
	require.Empty(s.t, store.Warnings, "no cell is in two records")
	status, text := s.repro(nil, "merge", out, "--out", out+"-merged")
	require.Zero(s.t, status, text)
	require.Equal(s.t, s.want, s.state(out+"-merged"))
}

// counts returns the number of cells in every state that status prints.
func (s *site) counts(env []string, out string) map[string]int {
	s.t.Helper()
	cmd := exec.Command(s.program, "status", "--out", out, "--json")
	cmd.Dir, cmd.Env = s.dir, env
	text, err := cmd.Output()
	require.NoError(s.t, err)
	var got struct {
		Cells []struct {
			State string `json:"state"`
		} `json:"cells"`
	}
	require.NoError(s.t, json.Unmarshal(text, &got))
	counts := map[string]int{}
	for _, c := range got.Cells {
		counts[c.State]++
	}
	return counts
}

// A running is a shard that a process holds.
type running struct {
	Job     string `json:"job"`
	Process int    `json:"process"`
	Ended   string `json:"ended"`
	file    string
}

// holders returns the shards that processes hold.
func (s *site) holders(out string) []running {
	files, err := filepath.Glob(filepath.Join(s.dir, out, "shards", "*", "[0-9]*.lease"))
	require.NoError(s.t, err)
	var all []running
	for _, f := range files {
		text, err := os.ReadFile(f)
		r := running{file: filepath.Base(f)}
		if err == nil && json.Unmarshal(text, &r) == nil && r.Ended == "" {
			all = append(all, r)
		}
	}
	return all
}

// busy waits until processes hold at least n shards, and a cell has a checkpoint or a record, and returns the holders.
func (s *site) busy(out string, n int) []running {
	s.t.Helper()
	var all []running
	s.c.until(fmt.Sprintf("%d running shards", n), 60*time.Second, func() bool {
		all = s.holders(out)
		_, err := os.Stat(filepath.Join(s.dir, out, "records"))
		return len(all) >= n && err == nil
	})
	return all
}

// complete waits for the queue to end, submits what is missing, at most so many times, and then requires the state of the
// undisturbed run.
func (s *site) complete(out string, again int) {
	s.t.Helper()
	s.c.empty(15 * time.Minute)
	for range again {
		if n := s.counts(s.c.env, out)["complete"]; n == 12 {
			break
		}
		s.submitted(out)
		s.c.empty(15 * time.Minute)
	}
	require.Equal(s.t, map[string]int{"complete": 12}, s.counts(s.c.env, out))
	s.same(out)
	for _, name := range []string{"report.html", "verdicts.json"} {
		assert.FileExists(s.t, filepath.Join(s.dir, out, name), "the job that follows the arrays has judged and reported")
	}
}

// TestSlurm disturbs jobs of a real Slurm. However they are disturbed, the records must become those of a run on one machine.
func TestSlurm(t *testing.T) {
	c := startCluster(t, 1001)
	base := newSite(t)
	scenario := func(name string, do func(s *site, out string)) {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			do(base.with(t, c), name)
			t.Logf("%s took %.0f s", name, time.Since(began).Seconds())
		})
	}

	// The cluster has no accounting: sacct and sacctmgr fail in all of this test.
	scenario("undisturbed", func(s *site, out string) {
		assert.Contains(t, c.ask("sacct"), "disabled")
		s.submitted(out)
		s.busy(out, 2)
		status, text := s.submit(c.env, out)
		assert.Zero(t, status)
		assert.Contains(t, text, "wait or run and are not sent again")
		assert.Contains(t, text, "nothing to submit")
		s.complete(out, 0)
		status, text = s.submit(c.env, out)
		assert.Zero(t, status)
		assert.Contains(t, text, "nothing to submit")
	})
	scenario("two-submits", func(s *site, out string) {
		var wg sync.WaitGroup
		status := make([]int, 2)
		for i := range status {
			wg.Go(func() { status[i], _ = s.submit(c.env, out) })
		}
		wg.Wait()
		assert.Contains(t, status, 0)
		assert.Subset(t, []int{0, 2}, status, "the other one refuses, or finds the jobs in the queue")
		sent, err := Read(s.plan(out))
		require.NoError(t, err)
		require.Len(t, sent.Arrays, 1)
		s.complete(out, 0)
	})
	scenario("kill-repro", func(s *site, out string) {
		s.submitted(out)
		for _, r := range s.busy(out, 2) {
			if err := syscall.Kill(r.Process, syscall.SIGKILL); err != nil {
				assert.ErrorIs(t, err, syscall.ESRCH, "it may have ended")
			}
		}
		s.complete(out, 0)
	})
	scenario("kill-slurmd", func(s *site, out string) {
		s.submitted(out)
		first := s.busy(out, 2)[0]
		node := strings.TrimSpace(c.ask("squeue", "-h", "-j", first.Job, "-o", "%N"))
		require.Contains(t, c.nodes, node)
		require.NoError(t, c.nodes[node].Process.Kill())
		c.nodes[node].Wait()
		delete(c.nodes, node)
		c.until("a node that is down", time.Minute, func() bool { return strings.Contains(c.ask("sinfo", "-h", "-n", node, "-o", "%T"), "down") })
		c.startNode(node)
		s.complete(out, 1)
		c.until("four idle nodes", time.Minute, func() bool { return strings.Count(c.ask("sinfo", "-h", "-N", "-o", "%T"), "idle") == 4 })
	})
	scenario("requeue-twice", func(s *site, out string) {
		s.submitted(out)
		job := s.busy(out, 1)[0].Job
		for range 2 {
			c.ask("scontrol", "requeue", job)
			time.Sleep((requeueDelay + 3) * time.Second)
		}
		s.complete(out, 0)
	})
	scenario("usr1", func(s *site, out string) {
		s.submitted(out)
		job := s.busy(out, 1)[0].Job
		c.ask("scancel", "--signal=USR1", "--batch", job)
		c.until("the job to be sent back", 30*time.Second, func() bool {
			return strings.Contains(c.ask("scontrol", "show", "job", job), "Restarts=1")
		})
		s.complete(out, 0)
	})
	scenario("scancel", func(s *site, out string) {
		s.submitted(out)
		job, _, _ := strings.Cut(s.busy(out, 2)[0].Job, "_")
		c.ask("scancel", job)
		c.empty(time.Minute)
		counts := s.counts(c.env, out)
		assert.Zero(t, counts["failed"], "a cancelled cell has not failed")
		assert.NotZero(t, counts["unknown"])
		s.complete(out, 1)
	})
	scenario("squeue-empty", func(s *site, out string) {
		bin := filepath.Join(s.dir, "bin")
		require.NoError(t, os.Mkdir(bin, 0o755))
		for _, command := range []string{"squeue", "sacct"} {
			require.NoError(t, os.WriteFile(filepath.Join(bin, command), []byte("#!/bin/sh\nexit 0\n"), 0o755))
		}
		env := append(slices.Clone(c.env), "PATH="+bin+":"+os.Getenv("PATH"))
		status, text := s.submit(env, out, "--at-once", "2")
		require.Zero(t, status, text)
		s.busy(out, 2)
		counts := s.counts(env, out)
		assert.NotZero(t, counts["unknown"], "no answer is unknown: %v", counts)
		assert.Zero(t, counts["failed"]+counts["queued"], "%v", counts)
		status, text = s.submit(env, out)
		assert.Equal(t, 2, status, "nobody can say whether the jobs live")
		assert.Contains(t, text, "does not say which of them wait or run")
		s.complete(out, 1)
	})
}

// plan returns the only plan's folder below an output folder.
func (s *site) plan(out string) string {
	s.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(s.dir, out, "shards", "*", "plan.json"))
	require.NoError(s.t, err)
	require.Len(s.t, dirs, 1)
	return filepath.Dir(dirs[0])
}

// TestSlurmArraySize has six shards where an array may have five tasks.
func TestSlurmArraySize(t *testing.T) {
	c := startCluster(t, 5)
	s := newSite(t).with(t, c)
	s.submitted("out")
	sent, err := Read(s.plan("out"))
	require.NoError(t, err)
	require.Len(t, sent.Arrays, 2)
	assert.Len(t, sent.Arrays[0].Shards, 5)
	s.complete("out", 0)
}

// TestSlurmTimeLimit has one shard of 12 cells that together take longer than the time limit of a job.
func TestSlurmTimeLimit(t *testing.T) {
	c := startCluster(t, 1001)
	s := newSite(t, "train = 9000", "train = 18000").with(t, c, "--shards", "1", "--longest", "1m")
	s.submitted("out")
	restarted := false
	c.until("the end of a job that starts again", 20*time.Minute, func() bool {
		restarted = restarted || strings.Contains(c.ask("scontrol", "show", "job"), "Restarts=1")
		return restarted && strings.TrimSpace(c.ask("squeue", "-h")) == ""
	})
	s.complete("out", 0)
}
