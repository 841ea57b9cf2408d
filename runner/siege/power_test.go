// Package siege lets the power go, or fills or breaks the disk, while commands run. After each disturbance the same command must bring
// the folder to the state of an undisturbed run, byte for byte except times. docs/security.md says what is promised.
//
// REPRO_SIEGE=2000 tries more losses of power than the tests do by themselves:
//
//	REPRO_SIEGE=2000 go test ./runner/siege -run TestALossOfPower -timeout 60m -v
package siege

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/cmd/repro/cli"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/bundles"
	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner"
)

// small is a spec of some milliseconds, with predictions, a surface and a claim that can be accepted.
const small = `schema = 1
paper = "siege"
title = "a small problem"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 64
test = 16
[problem]
loss = "square"
nu = 1e-4
kernel = { name = "gaussian", bandwidth = 0.2 }
[budget]
epochs = 2.0
[evaluate]
points = 3
metrics = ["l2-error", "test-mse"]
surface = 3
predictions = true
[repeat]
seeds = 1
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 32
block = 16
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "norma"
algorithm = "norma"
batch = 32
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "r-pegasos"
algorithm = "r-pegasos"
batch = 32
features = 20
step = { schedule = "constant", gamma0 = 2.0 }
[[claim]]
id = "error"
kind = "value"
statement = "the error is small"
source = "nowhere"
method = "dsg"
metric = "test-mse"
published = "0.1"
published_is = "run"
published_says = "nowhere"
tolerance = 10.0
why = "a test"
`

// A command is one that is given again after a loss of power.
type command struct {
	name   string
	before tree                                          // the folder in which it is given
	give   func(dir string, say func(what string)) error // gives it
	holds  func(dir string, said []string) error         // an error unless all that was said, and what was there before, is in the folder
	same   func(dir string) error                        // an error unless the folder is that of an undisturbed command
	prefix []files.Change                                // of an earlier command that was killed: these may be lost, too
}

// A power is a place for commands on a spec, with its undisturbed run.
type power struct {
	t       *testing.T
	spec    string // path of the spec
	cells   []experiments.Cell
	whole   map[string]string // content of records and predictions of the undisturbed run, by path below the output folder
	library *datasets.Library
	outside string // a folder that keeps its power
}

func newPower(t *testing.T) *power {
	t.Setenv("CI", "")
	outside := t.TempDir()
	t.Chdir(outside) // outside the checkout, whose state of git would get into the records
	spec := filepath.Join(outside, "small.toml")
	require.NoError(t, os.WriteFile(spec, []byte(small), 0o600))
	refs, err := catalog.Resolve([]string{spec})
	require.NoError(t, err)
	s, err := catalog.Load(refs[0], experiments.LoadOptions{Profile: "quick"})
	require.NoError(t, err)
	p := &power{t: t, spec: spec, cells: s.Expand(), library: datasets.NewLibrary(), outside: outside}
	out := t.TempDir()
	require.NoError(t, p.run(out, func(string) {}))
	p.whole, err = p.state(out)
	require.NoError(t, err)
	return p
}

// state returns the records below an output folder, without times and checksums, and the predictions.
func (p *power) state(out string) (map[string]string, error) {
	all := map[string]string{}
	for _, c := range p.cells {
		path := records.Path(out, c.Experiment, c.Name)
		text, err := recordstest.Canonical(path)
		if err != nil {
			return nil, err
		}
		all[strings.TrimPrefix(path, out)] = string(text)
	}
	err := filepath.WalkDir(filepath.Join(out, "predictions"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, out)] = string(text)
		return err
	})
	return all, err
}

// run runs the cells with a checkpoint after every step, or as often as change says.
func (p *power) run(out string, say func(string), change ...func(*runner.Options)) error {
	o := runner.Options{Out: out, Threads: 1, Library: p.library, Checkpoint: time.Nanosecond, Observe: func(e runner.Event) {
		if e.Kind == runner.Ended || e.Kind == runner.Kept {
			say(e.Cell.Name)
		}
	}}
	for _, c := range change {
		c(&o)
	}
	_, err := runner.Run(context.Background(), p.cells, o)
	return err
}

// interrupted leaves a run that was interrupted in its second cell, with a checkpoint.
func (p *power) interrupted(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	checkpoints := 0
	defer files.Through(func(c files.Change, do func() error) error {
		if c.Op == files.OpRename && strings.HasSuffix(c.To, p.cells[1].Name+".gob") {
			if checkpoints++; checkpoints == 2 {
				cancel()
			}
		}
		return do()
	})()
	o := runner.Options{Out: filepath.Join(dir, "out"), Threads: 1, Library: p.library, Checkpoint: time.Nanosecond}
	if _, err := runner.Run(ctx, p.cells, o); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the run was not interrupted: %w", err)
	}
	return nil
}

// ended returns an error unless the cells that were said have ended in a folder as in the undisturbed run.
func (p *power) ended(out string, said []string) error {
	for _, c := range p.cells {
		if !strings.Contains(strings.Join(said, "\n")+"\n", c.Name+"\n") {
			continue
		}
		path := records.Path(out, c.Experiment, c.Name)
		if f := records.Find(out, c.Experiment, c.Name, c.Ran); f.State != records.Settled {
			return fmt.Errorf("%s was said, and its record is %v: %w", c.Name, f.State, f.Err)
		}
		if text, err := recordstest.Canonical(path); err != nil || string(text) != p.whole[strings.TrimPrefix(path, out)] {
			return fmt.Errorf("the record of %s differs: %w", c.Name, err)
		}
	}
	return nil
}

// same returns an error unless an output folder has the state of the undisturbed run, and nothing is left of the disturbance but
// temporary files of what begins so: those of files that cells share, and of a merge, stay until they are old enough that no living
// process can be writing them.
func (p *power) same(out, begin string) error {
	left, err := files.Leftovers(out, func(_, name string) bool { return strings.HasPrefix(name, begin) })
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	got, err2 := p.state(out)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.whole)) {
		if got[name] != p.whole[name] {
			return fmt.Errorf("%s differs from the undisturbed run's", name)
		}
		delete(got, name)
	}
	for _, part := range []string{"checkpoints", "locks"} {
		left, _ := filepath.Glob(filepath.Join(out, part, "*", "*", "*"))
		for _, name := range left {
			got[name] = ""
		}
	}
	if len(got) > 0 {
		return fmt.Errorf("left behind: %v", slices.Sorted(maps.Keys(got)))
	}
	return nil
}

// cli gives a command and says what it prints, a line each.
func (p *power) cli(say func(string), args ...string) error {
	out := sayer{say: say}
	if status := cli.Run(context.Background(), &out, &out, args); status != 0 {
		return fmt.Errorf("repro %s: exit status %d: %s", strings.Join(args, " "), status, out.all.String())
	}
	return nil
}

// A sayer says what is written to it.
type sayer struct {
	say func(string)
	all bytes.Buffer
}

func (s *sayer) Write(b []byte) (int, error) {
	s.say(string(b))
	return s.all.Write(b)
}

// inMemory returns a folder for files that come and go, on a file system in memory if there is one.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "siege-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// made returns the folder that a command makes.
func (p *power) made(make func(dir string) error) tree {
	dir := p.t.TempDir()
	require.NoError(p.t, make(dir))
	return readTree(p.t, dir)
}

func quiet(string) {}

// runs are the commands that run cells.
func (p *power) runs() []command {
	give := func(dir string, say func(string)) error { return p.run(filepath.Join(dir, "out"), say) }
	holds := func(dir string, said []string) error { return p.ended(filepath.Join(dir, "out"), said) }
	same := func(dir string) error { return p.same(filepath.Join(dir, "out"), "truth.") }
	whole := p.made(func(dir string) error { return p.run(filepath.Join(dir, "out"), quiet) })
	half := p.made(p.interrupted)
	all := []command{
		{"run", tree{}, give, holds, same, nil},
		{"run-resumed", half, give, holds, same, nil},
		p.failing(), p.packing(whole),
	}
	first := p.recorded(all[0])
	for k := 1; k <= len(first.log); k++ {
		if c := first.log[k-1]; bytes.HasPrefix(c.Data, []byte(`{"line":"end"`)) {
			all = append(all, command{"run-killed", tree{}, give, holds, same, first.log[:k]})
		}
	}
	return all
}

// failing is a run one of whose cells panics.
func (p *power) failing() command {
	bad := p.cells[1].Name
	start := func(o *runner.Options) {
		o.Start = func(c *experiments.Cell, q *algos.Problem) (algos.Fit, error) {
			if c.Name == bad {
				panic("a mistake")
			}
			return c.Method.Configured.Start(q)
		}
	}
	failed := func(out string) error {
		f := records.Find(out, p.cells[1].Experiment, bad, p.cells[1].Ran)
		text, err := files.Read(files.Path(out, "failures", p.cells[1].Experiment, bad+".txt"))
		if f.Record == nil || f.Status() != records.Failed || !strings.Contains(string(text), "a mistake") {
			return fmt.Errorf("%s failed, and the record or the stack is lost: %w", bad, err)
		}
		return nil
	}
	return command{"run-failed", tree{},
		func(dir string, say func(string)) error { return p.run(filepath.Join(dir, "out"), say, start) },
		func(dir string, said []string) error {
			var others []string
			for _, s := range said {
				if s != bad {
					others = append(others, s)
				} else if err := failed(filepath.Join(dir, "out")); err != nil {
					return err
				}
			}
			return p.ended(filepath.Join(dir, "out"), others)
		},
		func(dir string) error {
			return errors.Join(failed(filepath.Join(dir, "out")), p.ended(filepath.Join(dir, "out"), []string{p.cells[0].Name, p.cells[2].Name}))
		}, nil}
}

// pack packs the records of a folder.
func (p *power) pack(out string) error {
	return records.Pack(out, p.cells[0].Experiment, 1, func(string) func() { return func() {} })
}

// own returns the paths of the records that are files of their own.
func (p *power) own(out string) []string {
	all, err := filepath.Glob(records.Path(out, p.cells[0].Experiment, "*"))
	require.NoError(p.t, err)
	return all
}

// packing packs the records of cells, of which a pack has two: one as it is, and one that has run again since.
func (p *power) packing(whole tree) command {
	want := map[string]string{}
	before := p.made(func(dir string) error {
		out := filepath.Join(dir, "out")
		if err := errors.Join(whole.write(dir), os.Remove(records.Path(out, p.cells[2].Experiment, p.cells[2].Name)), p.pack(out)); err != nil {
			return err
		}
		if err := p.run(out, quiet, func(o *runner.Options) { o.Fresh = true }); err != nil {
			return err
		}
		first := records.Path(out, p.cells[0].Experiment, p.cells[0].Name)
		if err := os.WriteFile(first, []byte(whole[strings.TrimPrefix(first, dir+"/")]), 0o600); err != nil {
			return err
		}
		all, err := records.Texts(out)
		for _, r := range all {
			want[r.Header.Cell] = string(r.Bytes)
		}
		return err
	})
	holds := func(dir string, said []string) error {
		out := filepath.Join(dir, "out")
		all, err := records.Texts(out)
		if err != nil || len(all) != len(want) {
			return fmt.Errorf("of %d records %d are there: %w", len(want), len(all), err)
		}
		for _, r := range all {
			if f := records.Find(out, r.Header.Experiment, r.Header.Cell, nil); string(r.Bytes) != want[r.Header.Cell] || f.State != records.Settled {
				return fmt.Errorf("the record of %s is another one, or is not found: %w", r.Header.Cell, f.Err)
			}
		}
		return nil
	}
	return command{"pack", before,
		func(dir string, say func(string)) error { return p.pack(filepath.Join(dir, "out")) }, holds,
		func(dir string) error {
			out := filepath.Join(dir, "out")
			left, err := files.Leftovers(filepath.Join(out, "records"), func(string, string) bool { return true })
			packs, err2 := filepath.Glob(records.Path(out, p.cells[0].Experiment+"/packs", "*"))
			if own := p.own(out); len(own) > 0 || len(packs) != 1 || len(left) > 0 {
				return fmt.Errorf("%d packs, %v and %v are left: %w", len(packs), own, left, errors.Join(err, err2))
			}
			return holds(dir, nil)
		}, nil}
}

// others are the commands that keep what runs have made.
func (p *power) others() []command {
	out, zip := filepath.Join(p.outside, "out"), filepath.Join(p.outside, "b.zip")
	require.NoError(p.t, p.run(out, quiet))
	require.NoError(p.t, p.cli(quiet, "bundle", zip, p.spec, "--out", out))
	return []command{p.merging(), p.bundling(out, zip), p.accepting()}
}

// merging merges the cells of two folders into one that has some of them and an interrupted one.
func (p *power) merging() command {
	one := func(dir string, cells ...experiments.Cell) error {
		o := runner.Options{Out: dir, Threads: 1, Library: p.library}
		_, err := runner.Run(context.Background(), cells, o)
		return err
	}
	a, b := filepath.Join(p.outside, "a"), filepath.Join(p.outside, "b")
	require.NoError(p.t, errors.Join(one(a, p.cells[0], p.cells[1]), one(b, p.cells[2], p.cells[0])))
	before := p.made(func(dir string) error {
		if err := one(filepath.Join(dir, "out"), p.cells[1], p.cells[2]); err != nil {
			return err
		}
		path := records.Path(filepath.Join(dir, "out"), p.cells[2].Experiment, p.cells[2].Name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text[:len(text)/2], 0o666)
	})
	all := []string{p.cells[0].Name, p.cells[1].Name, p.cells[2].Name}
	return command{"merge", before,
		func(dir string, say func(string)) error {
			return p.cli(say, "merge", a, b, "--out", filepath.Join(dir, "out"))
		},
		func(dir string, said []string) error {
			if strings.Contains(strings.Join(said, ""), "written to") {
				return p.ended(filepath.Join(dir, "out"), all)
			}
			return p.ended(filepath.Join(dir, "out"), all[1:2])
		},
		func(dir string) error { return p.same(filepath.Join(dir, "out"), "") }, nil}
}

// bundling replaces a bundle by another one.
func (p *power) bundling(out, zip string) command {
	old, err := os.ReadFile(zip)
	require.NoError(p.t, err)
	again := filepath.Join(p.outside, "again") // the same cells with other times
	require.NoError(p.t, p.run(again, quiet))
	digest := regexp.MustCompile("SHA-256 ([0-9a-f]{64})")
	holds := func(dir string, said []string) error {
		path := filepath.Join(dir, "made", "b.zip")
		b, err := bundles.Read(path)
		if err != nil || len(b.Faults) > 0 {
			return fmt.Errorf("the bundle is not whole: %w, %v", err, b)
		}
		if m := digest.FindStringSubmatch(strings.Join(said, "")); m != nil && b.SHA256 != m[1] {
			return errors.New("the bundle that was said to be written is another one")
		}
		return nil
	}
	return command{"bundle", tree{"made/": "", "made/b.zip": string(old)},
		func(dir string, say func(string)) error {
			return p.cli(say, "bundle", filepath.Join(dir, "made", "b.zip"), p.spec, "--out", again)
		}, holds, func(dir string) error { return holds(dir, nil) }, nil}
}

// accepting accepts numbers for the first time.
func (p *power) accepting() command {
	out := filepath.Join(p.outside, "checked")
	_ = p.cli(quiet, "check", p.spec, "--profile", "paper", "--baseline", filepath.Join(p.outside, "none"), "--out", out) // nothing is accepted yet
	give := func(dir string, say func(string)) error {
		return p.cli(say, "baseline", "accept", p.spec, "--profile", "paper", "--out", out, "--claim", "error", "--reason", "it is so",
			"--baseline", filepath.Join(dir, "results", "accepted"), "--log", filepath.Join(dir, "log.tsv"))
	}
	before := tree{"log.tsv": "date\texperiment\tcommit\tseal\tchange\treason\n2026-11-26\town/old\t–\t\tan old row\tnone\n"}
	whole := p.made(func(dir string) error { return errors.Join(before.write(dir), give(dir, quiet)) })
	name := "results/accepted/siege/small.json"
	require.NotEmpty(p.t, whole[name])
	same := func(dir string) error {
		for _, name := range []string{name, "log.tsv"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != whole[name] {
				return fmt.Errorf("%s is not as it should be: %w", name, err)
			}
		}
		return nil
	}
	return command{"accept", before,
		func(dir string, say func(string)) error {
			if err := give(dir, say); err != nil && !strings.Contains(err.Error(), "changed in") { // all was accepted already
				return err
			}
			return nil
		},
		func(dir string, said []string) error {
			text, err := os.ReadFile(filepath.Join(dir, "log.tsv"))
			if err != nil || !strings.HasPrefix(string(text), before["log.tsv"]) {
				return fmt.Errorf("the results log is damaged: %w", err)
			}
			accepted, err := os.ReadFile(filepath.Join(dir, name))
			switch {
			case err == nil && string(accepted) != whole[name]:
				return errors.New("the baseline is damaged")
			case err == nil && string(text) != whole["log.tsv"]:
				return errors.New("numbers are accepted without an entry of the log")
			case strings.Contains(strings.Join(said, ""), ": accepted"):
				return same(dir)
			}
			return nil
		}, same, nil}
}

// recorded returns the changes of a command, and what it said.
func (p *power) recorded(c command) *recorder {
	dir := p.t.TempDir()
	require.NoError(p.t, c.before.write(dir))
	if len(c.prefix) > 0 {
		require.NoError(p.t, newDisk(c.before, c.prefix).after(len(c.prefix), func(int) bool { return true }).write(dir))
	}
	r := &recorder{root: dir, log: c.prefix[:len(c.prefix):len(c.prefix)]}
	restore := files.Through(r.change)
	err := c.give(dir, r.say)
	restore()
	require.NoError(p.t, err, c.name)
	return r
}

// said returns what was said before a point.
func (r *recorder) before(point int) (all []string) {
	for _, s := range r.said {
		if s.after <= point {
			all = append(all, s.what)
		}
	}
	return all
}

// lose lets the power go after every change of a command, and gives it again after each crash, of which there are n if there are so many.
// If again is false it only looks what is there, up to the first failure. It returns the failures and the number of states of the disk.
func (p *power) lose(c command, r *recorder, n int, again bool) (failures []error, states int) {
	d := newDisk(c.before, r.log)
	from := len(c.prefix)
	defer files.Through(files.Unsynced)()
	top := inMemory(p.t)
	for crash := range d.crashes(from, n, func(point int) int { return len(r.before(point)) }) {
		states++
		dir := filepath.Join(top, fmt.Sprint(states))
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			err = crash.write(dir)
		}
		if err == nil {
			err = c.holds(dir, r.before(crash.point))
		}
		if err == nil && again {
			err = errors.Join(c.give(dir, quiet), c.same(dir))
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s, after %d changes: %w", c.name, crash.point, err))
		}
		if err := os.RemoveAll(dir); err != nil {
			p.t.Fatal(err)
		}
		if err != nil && !again {
			break
		}
	}
	return failures, states
}

// states is how many states of the disk are tried for each command. The campaign, with REPRO_SIEGE=2000, tries most of them.
func states() int {
	if n, err := strconv.Atoi(os.Getenv("REPRO_SIEGE")); err == nil {
		return n
	}
	return 25
}

func TestALossOfPowerLosesNothing(t *testing.T) {
	p := newPower(t)
	for _, c := range append(p.runs(), p.others()...) {
		failures, n := p.lose(c, p.recorded(c), states(), true)
		t.Logf("%s: %d states", c.name, n)
		for _, err := range failures[:min(3, len(failures))] {
			t.Error(err)
		}
	}
}

// Every sync is needed: without those of one kind, what was reported is lost. So the campaign can fail.
func TestWithoutASyncSomethingIsLost(t *testing.T) {
	p := newPower(t)
	all := map[string]command{}
	for _, c := range append(p.runs(), p.others()...) {
		all[c.name] = c
	}
	for _, test := range []struct {
		command, path string
		op            files.Op
	}{
		{"run", `^out/records/.*jsonl$`, files.OpSync},
		{"run", `^out/predictions/.*csv-\d+$`, files.OpSync},
		{"run", `^out/records/siege/small$`, files.OpSyncFolder},
		{"run", `^out/records$`, files.OpSyncFolder},
		{"run", `^out$`, files.OpSyncFolder},
		{"run", `^\.$`, files.OpSyncFolder},
		{"run", `^out/predictions/siege/small$`, files.OpSyncFolder},
		{"run-resumed", `^out/records/.*jsonl$`, files.OpSync},
		{"run-failed", `^out/failures/.*txt-\d+$`, files.OpSync},
		{"run-failed", `^out/failures/siege/small$`, files.OpSyncFolder},
		{"run-killed", `^out/records/.*jsonl$`, files.OpSync},
		{"merge", `^out/records/.*jsonl-\d+$`, files.OpSync},
		{"merge", `^out/records/siege/small$`, files.OpSyncFolder},
		{"merge", `^out/predictions/.*csv-\d+$`, files.OpSync},
		{"bundle", `^made/.*zip-\d+$`, files.OpSync},
		{"bundle", `^made$`, files.OpSyncFolder},
		{"accept", `^results/accepted/.*json-\d+$`, files.OpSync},
		{"accept", `log.tsv-\d+$`, files.OpSync},
		{"accept", `^\.$`, files.OpSyncFolder},
	} {
		c := all[test.command]
		require.NotEmpty(t, c.name, test.command)
		r := p.recorded(c)
		match := regexp.MustCompile(test.path)
		left := 0
		for i, change := range r.log[len(c.prefix):] {
			if change.Op == test.op && match.MatchString(change.Path) {
				r.log[len(c.prefix)+i] = files.Change{} // nothing
				left++
			}
		}
		assert.Positive(t, left, "%s has no %s of %s", test.command, test.op, test.path)
		failures, _ := p.lose(c, r, 1000, false)
		assert.NotEmpty(t, failures, "%s without %s of %s", test.command, test.op, test.path)
	}
}

// If a disk cannot sync, the run ends with the error and has not reported the cell, whose record has no end line; the next run has the
// bytes of an undisturbed one.
func TestASyncThatFails(t *testing.T) {
	p := newPower(t)
	top := inMemory(t)
	for failing := 1; ; failing++ {
		out := filepath.Join(top, fmt.Sprint(failing))
		var said []string
		syncs := 0
		restore := files.Through(func(c files.Change, do func() error) error {
			if c.Op != files.OpSync && c.Op != files.OpSyncFolder {
				return do()
			}
			if syncs++; syncs == failing {
				return syscall.EIO
			}
			return nil
		})
		err := p.run(out, func(what string) { said = append(said, what) })
		restore()
		if syncs < failing {
			require.NoError(t, err)
			assert.Greater(t, failing, 30)
			break
		}
		require.ErrorIs(t, err, syscall.EIO, "sync %d", failing)
		for _, c := range p.cells {
			f := records.Find(out, c.Experiment, c.Name, c.Ran)
			assert.Equal(t, slices.Contains(said, c.Name), f.State == records.Settled, "sync %d: %s", failing, c.Name)
		}
		restore = files.Through(files.Unsynced)
		require.NoError(t, errors.Join(p.run(out, quiet), p.same(out, "truth.")), "sync %d", failing)
		restore()
	}
}

// On a disk without room a run ends with an error or says which cells failed, and what the same command finds when there is room again
// is no obstacle to it. The write that finds no room leaves the first half of its bytes.
func TestAFullDisk(t *testing.T) {
	p := newPower(t)
	top := inMemory(t)
	for room, full := 0, true; full; room += 5 {
		out := filepath.Join(top, fmt.Sprint(room))
		done := 0
		restore := files.Through(func(c files.Change, do func() error) error {
			switch c.Op {
			case files.OpSync, files.OpSyncFolder:
				return nil
			case files.OpCreate, files.OpWrite, files.OpMakeFolder:
				if done++; done <= room {
					break
				}
				if f, err := os.OpenFile(c.Path, os.O_WRONLY, 0); err == nil {
					_, err = f.WriteAt(c.Data[:len(c.Data)/2], c.Offset)
					require.NoError(t, errors.Join(err, f.Close()))
				}
				return syscall.ENOSPC
			}
			return do()
		})
		sum, err := runner.Run(context.Background(), p.cells, runner.Options{Out: out, Threads: 1, Library: p.library, Checkpoint: time.Nanosecond})
		restore()
		full = done > room
		assert.Equal(t, full, err != nil || sum.Status[records.Failed] > 0, "room for %d changes: %v", room, err)
		restore = files.Through(files.Unsynced)
		require.NoError(t, errors.Join(p.run(out, quiet), p.same(out, "truth.")), "room for %d changes", room)
		restore()
	}
}
