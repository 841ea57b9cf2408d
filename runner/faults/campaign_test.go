//go:build faults

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update", false, "write the marks of the faults that ran into faults.toml")
	only   = flag.String("layers", strings.Join(layers, ","), "ask these layers only; the marks of the others stay")
)

// asked reports whether the flag has one of the layers.
func asked(layers ...string) bool {
	flagged := strings.Split(*only, ",")
	return slices.ContainsFunc(layers, func(l string) bool { return slices.Contains(flagged, l) })
}

// dependents lists the packages, besides its own, whose unit tests a fault in a package may fail: those nearest to it.
var dependents = map[string][]string{
	"datasets":            {"runner"},
	"datasets/sources":    {"datasets"},
	"datasets/transforms": {"datasets"},
	"algos/metrics":       {"runner"},
	"experiments/strict":  {"experiments"},
	"plots/figures":       {"plots", "plots/drawings"},
}

// methods is the package whose tests are the layers law and oracle.
const methods = "algos/methods"

// slow are unit tests of programs, processes and other things that no fault of the list is about.
const slow = "External|Libsvm|Layers|Fetch"

// golden are tests of the packages that judge which compare with a page or a file, or simulate for long: what they notice, a test that
// says what is right must notice too.
const golden = "PowerTable|Coverage|Situations|Lags"

// goldenFiles hold only such tests, and are left out of all builds.
var goldenFiles = []string{"results/claims/shipped_test.go", "results/changes/campaign_test.go", "results/changes/layers_campaign_test.go"}

// skipped returns the unit tests that are not run on a fault.
func skipped(f Fault) string {
	if f.judges() {
		return slow + "|" + golden
	}
	return slow
}

// Runs at profile smoke, from cheap to dear. A fault that changes records of the first is not run on the others. Left out
// are experiments that repeat methods and data of these: those that choose step sizes and bandwidths, forest and MNIST8M,
// and larger spectra.
var runs = [][]string{
	{"dai2014/losses-*", "dai2014/ridge", "dai2014/rate", "dai2014/kernels", "dai2014/gp-mean", "dai2014/gp-variance", "ma2017/heaviside"},
	{"dai2014/complexity", "dai2014/qm7", "dai2014/svm-adult", "ma2017/eigenpro2", "ma2017/epochs", "ma2017/mnist-kernels", "ma2017/nsvd"},
}

// limit is the time after which a test binary or a run counts as hanging.
const limit = 10 * time.Minute

// stages are the experiments that the gate is asked about together, by the beginnings of their ids, from cheap to dear: a fault that it
// notices is not run on the others. One that fits several belongs to the first.
var stages = []string{
	"dai2014/linear li2016/linear ma2017/h dai2014/losses-", "dai2014/ridge dai2014/gp- jezequel2019/regret-", "ma2017/ li2016/", "jezequel2019/", "carratino2018/", "",
}

// A build is the program and its test binaries, with one fault switched on or none.
type build struct {
	t *testing.T
	*binaries
	fault string // id of the fault that is switched on; empty for none
	out   string // folder for what the program writes
}

// binaries are made from the sources with an overlay, once.
type binaries struct {
	dir     string
	overlay string // file for -overlay
	lock    sync.Mutex
}

// TestFaults asks every layer about every fault.
func TestFaults(t *testing.T) {
	files, switched, err := switches(all(t))
	require.NoError(t, err)
	want := &reference{clean: &build{t: t, binaries: overlaid(t, files), out: t.TempDir()}, tests: map[string]func() string{}}
	if asked("baseline", "verdict", "gate") {
		want.clean.program()
	}
	if asked("baseline", "verdict") {
		want.prepare()
	}
	if asked("gate") {
		want.executed = executed(t)
	}
	var lock sync.Mutex
	for _, f := range all(t) {
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			b := &build{t: t, binaries: want.clean.binaries, fault: f.ID, out: t.TempDir()}
			if !switched[f.ID] {
				text, err := f.Patched(root)
				require.NoError(t, err)
				b.binaries = overlaid(t, map[string]string{f.File: text})
			}
			got := ask(b, f, want)
			lock.Lock()
			defer lock.Unlock()
			marks := maps.Clone(f.Marks)
			if marks == nil {
				marks = map[string]string{}
			}
			maps.Copy(marks, got)
			if !slices.Contains(slices.Collect(maps.Values(marks)), caught) {
				t.Errorf("no layer notices %s: %s", f.ID, f.Says)
			}
			if f.judges() && marks["unit"] != caught {
				t.Errorf("the tests of %s do not notice %s: %s", f.Package(), f.ID, f.Says)
			}
			t.Log(marks)
			if *update { // a campaign that is broken off keeps what it found
				text, err := os.ReadFile("faults.toml")
				require.NoError(t, err)
				require.NoError(t, os.WriteFile("faults.toml", []byte(marked(string(text), f.ID, marks)), 0o644))
			}
		})
	}
}

// A reference is what the sources without a fault give.
type reference struct {
	clean *build
	lock  sync.Mutex
	tests map[string]func() string // what test returns, by the package and arguments

	same  []int               // for each of runs, the number of records that agree with the baseline
	words []map[string]string // the words of the verdicts on each of runs
	out   []string            // the output folder of each of runs

	executed map[string][]span // by the experiment that the gate checks
}

// prepare runs the sources without a fault.
func (r *reference) prepare() {
	b := r.clean
	b.t.Helper()
	for i := range runs {
		out := filepath.Join(b.out, fmt.Sprint(i))
		r.out = append(r.out, out)
		require.NoError(b.t, b.run(i, out))
		same, text := b.same(out)
		require.NotRegexp(b.t, "not comparable: (no record|its run|it was)", text, "the runs need the papers' data: set REPRO_DATA")
		require.NotContains(b.t, last(text), "worse", "the sources as they are differ from results/baseline")
		r.same = append(r.same, same)
		r.words = append(r.words, b.words(out))
	}
}

// test returns the first test that fails without a fault, "" if none does.
func (r *reference) test(pkg, arg string) string {
	key := pkg + " " + arg
	r.lock.Lock()
	if r.tests[key] == nil {
		r.tests[key] = sync.OnceValue(func() string { return r.clean.test(pkg, arg) })
	}
	once := r.tests[key]
	r.lock.Unlock()
	return once()
}

// ask returns the mark of every layer that the fault can reach.
func ask(b *build, f Fault, want *reference) map[string]string {
	t := b.t
	marks := map[string]string{}
	mark := func(layer, why string) {
		if why == "" {
			marks[layer] = passed
			return
		}
		marks[layer] = caught
		t.Logf("%s: %s", layer, why)
	}
	tests := func(layer, arg string, packages ...string) {
		if !slices.Contains(reach(f), layer) || !asked(layer) {
			return
		}
		mark(layer, "")
		for _, p := range packages {
			if why := b.test(p, arg); why != "" {
				require.Empty(t, want.test(p, arg), "the sources as they are fail their tests")
				mark(layer, why)
				return
			}
		}
	}
	laws := "^TestLaws$"
	if f.Laws != "" {
		laws += "/^(" + f.Laws + ")$"
	}
	tests("law", "-test.run="+laws, methods)
	tests("oracle", "-test.skip=^TestLaws$", methods)
	tests("unit", "-test.skip="+skipped(f), append([]string{f.Package()}, dependents[f.Package()]...)...)
	var ids []string
	if asked("gate") {
		var err error
		ids, err = reached(f, want.executed)
		require.NoError(t, err)
	}
	if asked("baseline", "verdict") || len(ids) > 0 {
		b.program()
	}
	if asked("gate") {
		if marks["gate"] = unreached; len(ids) > 0 {
			var why string
			marks["gate"], why = b.gate(ids)
			t.Log("gate: " + why)
		}
	}
	if !asked("baseline", "verdict") {
		return marks
	}
	judges := !slices.Contains(reach(f), "baseline")
	if !judges {
		mark("baseline", "")
	}
	mark("verdict", "")
	for i := range runs {
		out := want.out[i]
		if !judges {
			out = filepath.Join(b.out, fmt.Sprint(i))
			if err := b.run(i, out); err != nil {
				mark("baseline", err.Error())
			}
			if same, text := b.same(out); same < want.same[i] {
				mark("baseline", last(text))
			}
		}
		if changed := changes(want.words[i], b.words(out)); changed != "" {
			mark("verdict", changed)
		}
		if marks["baseline"] == caught {
			break
		}
	}
	return marks
}

// reach returns the layers that a fault can reach.
func reach(f Fault) []string {
	asks := []string{"verdict", "gate"}
	if f.Package() != methods {
		asks = append(asks, "unit")
	}
	if strings.HasPrefix(f.File, "algos/") && f.Package() != "algos/metrics" {
		asks = append(asks, "law", "oracle")
	}
	if !f.judges() {
		asks = append(asks, "baseline")
	}
	return asks
}

// overlaid returns the binaries of the sources with other texts in place of some files.
func overlaid(t *testing.T, texts map[string]string) *binaries {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	put := func(file, by string) {
		p, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
		require.NoError(t, err)
		replaced[p] = by
	}
	for _, file := range goldenFiles {
		put(file, "") // not there
	}
	for file, text := range texts {
		by := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		require.NoError(t, os.WriteFile(by, []byte(text), 0o644))
		put(file, by)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o644))
	return &binaries{dir: dir, overlay: file}
}

// command runs a program in a folder below the root of the module, with env added to the environment, and returns what it
// prints.
func (b *build) command(env []string, dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(dir))
	cmd.WaitDelay = time.Second
	cmd.Env = append(append(os.Environ(), variable+"="+b.fault), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// tool runs go build or go test -c with the overlay. A fault that does not compile is a mistake in the list.
func (b *build) tool(args ...string) {
	b.t.Helper()
	out, err := b.command(nil, ".", "go", slices.Insert(args, 1, "-overlay="+b.overlay)...)
	require.NoError(b.t, err, "it does not compile:\n%s", out)
}

// program builds the command, unless it is there.
func (b *build) program() {
	b.t.Helper()
	b.make(filepath.Join(b.dir, "repro"), "build", "-buildvcs=false", "-ldflags=-s -w", "./cmd/repro")
}

// make compiles a package to a file, unless it is there.
func (b *build) make(file string, args ...string) {
	b.t.Helper()
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, err := os.Stat(file); err != nil {
		b.tool(slices.Insert(args, 1, "-o="+file)...)
	}
}

var failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)|^panic: .*`)

// test runs the tests of a package, with one argument, and returns the first that fails, "" if none does.
func (b *build) test(pkg, arg string) string {
	b.t.Helper()
	binary := filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	b.make(binary, "test", "-vet=off", "-c", "-ldflags=-s -w", "./"+pkg)
	out, err := b.command([]string{"REPRO_DATA="}, pkg, binary, "-test.short", "-test.failfast", "-test.timeout="+limit.String(), arg)
	if err == nil {
		return ""
	}
	if m := failed.FindString(out); m != "" {
		return pkg + " " + strings.TrimSpace(m)
	}
	return pkg + " " + err.Error()
}

// repro runs the program.
func (b *build) repro(args ...string) (string, error) {
	return b.command(nil, ".", filepath.Join(b.dir, "repro"), args...)
}

// run runs the experiments of runs[i] at profile smoke.
func (b *build) run(i int, out string) error {
	text, err := b.repro(slices.Concat([]string{"run", "--profile", "smoke", "--out", out}, runs[i])...)
	if err != nil {
		return fmt.Errorf("repro run: %w: %s", err, last(text))
	}
	return nil
}

// gate returns the mark of repro check on some experiments, and what it says: it notices the fault if something is worse, a run
// failed or a spec is refused, and warns if values or curves moved. It makes one look, at the seeds of the profile, and where that leaves a
// claim undecided, those that check makes of itself. The baseline that it compares with is of other commits, but no change since then has
// changed a claim.
func (b *build) gate(ids []string) (mark, why string) {
	mark = passed
	for _, ids := range staged(ids) {
		out := filepath.Join(b.out, "check")
		for _, looks := range [][]string{{"--budget", "0s"}, nil} {
			text, err := b.repro(slices.Concat([]string{"check", "--out", out}, looks, ids)...)
			if err == nil {
				break
			}
			if status := (*exec.ExitError)(nil); !errors.As(err, &status) || slices.Contains([]int{1, 2, 5}, status.ExitCode()) {
				return caught, fmt.Sprintf("%v: %s", err, last(text))
			}
		}
		var found struct {
			Shifts []struct{ Method, Layer string }
		}
		outcome, err := os.ReadFile(filepath.Join(out, "check.json"))
		require.NoError(b.t, err)
		require.NoError(b.t, json.Unmarshal(outcome, &found))
		if len(found.Shifts) > 0 {
			mark, why = warned, fmt.Sprintf("%s: %s of %s moved", ids[0], found.Shifts[0].Layer, found.Shifts[0].Method)
		}
	}
	return mark, why
}

// staged divides experiments into stages.
func staged(ids []string) (all [][]string) {
	for _, stage := range stages {
		fits := func(id string) bool {
			return stage == "" || slices.ContainsFunc(strings.Fields(stage), func(p string) bool { return strings.HasPrefix(id, p) })
		}
		own := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !fits(id) })
		if ids = slices.DeleteFunc(slices.Clone(ids), fits); len(own) > 0 {
			all = append(all, own)
		}
	}
	return all
}

var summary = regexp.MustCompile(`compared with baseline .*?(\d+) same`)

// same returns how many records agree with the baseline, and what verify prints, whose last line says so.
func (b *build) same(out string) (n int, text string) {
	text, _ = b.repro("judge", "--profile", "smoke", "--baseline", "results/baseline", "--gate", "--out", out)
	if m := summary.FindStringSubmatch(text); m != nil {
		fmt.Sscan(m[1], &n)
	}
	return n, text
}

// last returns the last line of what the program printed.
func last(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// words returns the words of the verdicts on the records in out, except claims about seconds, which vary.
func (b *build) words(out string) map[string]string {
	cmd := exec.Command(filepath.Join(b.dir, "repro"), "judge", "--json", "--profile", "smoke", "--out", out)
	cmd.Dir, cmd.Env = root, append(os.Environ(), variable+"="+b.fault)
	text, err := cmd.Output()
	if err != nil {
		return map[string]string{"judge": err.Error()}
	}
	var verdicts []struct {
		Experiment, Claim, Verdict, Reason string
		AtSize                             string `json:"at_this_size"`
	}
	require.NoError(b.t, json.Unmarshal(text, &verdicts))
	words := map[string]string{}
	for _, v := range verdicts {
		if !strings.Contains(v.Reason, "seconds") {
			words[v.Experiment+"/"+v.Claim] = v.Verdict + " " + v.AtSize
		}
	}
	return words
}

// changes names a verdict that differs, "" if none does.
func changes(want, got map[string]string) string {
	for _, claim := range slices.Sorted(maps.Keys(want)) {
		if got[claim] != want[claim] {
			return fmt.Sprintf("%s is %s, not %s", claim, got[claim], want[claim])
		}
	}
	return ""
}

// marked returns the list with the marks of a fault.
func marked(list, id string, marks map[string]string) string {
	var all []string
	for _, l := range layers {
		if marks[l] != "" {
			all = append(all, fmt.Sprintf("%s = %q", l, marks[l]))
		}
	}
	entry := regexp.MustCompile(`(?m)^(id = "` + id + `"\nfile = .*\nsays = .*\n)(?:marks = .*\n)?`)
	return entry.ReplaceAllString(list, "${1}marks = { "+strings.Join(all, ", ")+" }\n")
}
