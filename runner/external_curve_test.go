package runner

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// A descent is what the programs of these tests learn: x := x - x/10 from x = 1, whose gap is x²/2.
type descent struct {
	X     float64
	Steps int

	moved float64 // a momentum that nobody saves
}

func (d *descent) step() { d.X -= 0.1 * d.X; d.Steps++ }

// unwatched before a path hides from a run that an argument names a file.
const unwatched = "file:"

// serve plays a served program that misbehaves as mode says, once it has made 5 steps. Modes that begin with save can save.
func serve(mode, file string) error {
	file = strings.TrimPrefix(file, unwatched)
	d, worded := descent{X: 1}, false
	if strings.HasPrefix(mode, "again") || mode == "alone" {
		if err := os.WriteFile(filepath.Join(file, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
			return err
		}
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r struct {
			ID            int
			Request       string
			N, Out, Seed  int
			File, Rows    string
			Train, Kernel any
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return err
		}
		a := map[string]any{"id": r.ID}
		if r.Request == "start" && mode == "rows" {
			if err := os.Link("train.csv", file+strconv.Itoa(r.Seed)); err != nil {
				return err
			}
		}
		if r.Request == "start" && (mode == "again" || mode == "again-saves") {
			d = descent{X: 1}
			fmt.Fprintf(os.Stderr, "seed %d\n", r.Seed)
		}
		bad := mode != "" && d.Steps >= 5
		switch r.Request {
		case "hello":
			a["protocol"], a["name"], a["version"] = 1, "descent", "1.0"
			if strings.HasPrefix(mode, "again") {
				a["again"] = true
			}
			if strings.HasPrefix(mode, "save") || strings.HasSuffix(mode, "-saves") {
				a["save"] = true
				if b, err := os.ReadFile(file); err == nil && mode == "save-version" {
					a["version"] = string(b)
				}
			}
			if mode == "silent" {
				return sleep()
			}
			if mode == "dies at once" {
				return errors.New("no module named numpy")
			}
		case "step":
			for range r.N {
				if mode == "save-half" {
					d.X += d.moved
					d.moved = 0.001
				}
				d.step()
			}
			bad = bad && (mode != "endless words" || !worded)
			worded = worded || bad
			if mode == "slow" || strings.HasPrefix(mode, "save") {
				time.Sleep(time.Duration(r.N) * 500 * time.Microsecond)
			}
			if bad {
				if stop, err := misbehave(mode, file, a); stop {
					return err
				}
			}
		case "value":
			a["values"] = map[string]any{"gap": d.X * d.X / 2, "x": d.X}
			if mode == "NaN" && bad {
				fmt.Printf("{\"id\": %d, \"values\": {\"gap\": NaN, \"x\": Infinity}}\n", r.ID)
				continue
			}
		case "save":
			b, err := json.Marshal(d)
			if mode == "save-nothing" {
				break
			}
			if err := errors.Join(err, os.WriteFile(r.File, b, 0o600)); err != nil {
				return err
			}
		case "restore":
			if mode == "save-forget" {
				break
			}
			b, err := os.ReadFile(r.File)
			if err := errors.Join(err, json.Unmarshal(b, &d)); err != nil {
				return err
			}
		case "predict":
			if err := answer(mode, d.X, r.Rows, a); err != nil {
				return err
			}
		case "stop":
			return nil
		}
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		fmt.Println(string(b))
	}
	return in.Err()
}

// misbehave does what mode says, and reports whether the program ends.
func misbehave(mode, file string, a map[string]any) (stop bool, err error) {
	switch mode {
	case "hang":
		return true, errors.Join(child(file, true), sleep())
	case "exit":
		return true, errors.New("singular matrix")
	case "killed":
		self, err := os.FindProcess(os.Getpid())
		return true, errors.Join(err, self.Kill(), sleep())
	case "closed":
		return true, errors.Join(child(file, false), os.Stdout.Close(), sleep())
	case "garbage":
		fmt.Println("iteration 5: loss 0.1")
	case "error":
		a["error"] = "the step size is \x1b[31mnegative"
	case "done":
		a["done"] = true
	case "endless line":
		for err == nil { // until it is killed
			_, err = io.WriteString(os.Stdout, strings.Repeat("0123456789", 1000))
		}
		return true, err
	case "endless words":
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("progress ", 10))
			}
		}()
	}
	return false, nil
}

// answer predicts x times the first input.
func answer(mode string, x float64, rows string, a map[string]any) error {
	b, err := os.ReadFile(rows)
	if err != nil {
		return err
	}
	var u []float64
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		first, _, _ := strings.Cut(line, ",")
		v, err := strconv.ParseFloat(first, 64)
		if err != nil {
			return err
		}
		u = append(u, x*v)
	}
	raw, err := binary.Append(nil, binary.LittleEndian, u)
	if err != nil {
		return err
	}
	switch mode {
	case "npy":
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 1), }\n", len(u))
		a["file"] = "predictions.npy"
		return os.WriteFile("predictions.npy", []byte("\x93NUMPY\x01\x00"+string(binary.LittleEndian.AppendUint16(nil, uint16(len(head))))+head+string(raw)), 0o600)
	case "text":
		var b strings.Builder
		for _, v := range u {
			fmt.Fprintln(&b, exact(v))
		}
		a["file"] = "predictions.txt"
		return os.WriteFile("predictions.txt", []byte(b.String()), 0o600)
	default:
		a["base64"] = base64.StdEncoding.EncodeToString(raw)
	}
	return nil
}

// printPoints plays a program that prints its own points.
func printPoints(mode string, n int) error {
	d := descent{X: 1}
	if mode == "csv" {
		fmt.Println("step, seconds, gap")
	}
	for range n {
		d.step()
		gap := d.X * d.X / 2
		switch {
		case mode == "csv":
			fmt.Printf("%d,%v,%v\n", d.Steps, float64(d.Steps)/4, gap)
		case mode == "timeless":
			fmt.Printf("{\"step\": %d, \"gap\": %v}\n", d.Steps, gap)
		case mode == "NaN" && d.Steps == 5:
			fmt.Println(`{"step": 5, "gap": NaN}`)
		case mode == "garbage" && d.Steps == 5:
			fmt.Println(`Traceback`)
		case mode == "exit" && d.Steps == 5:
			return errors.New("singular matrix")
		case mode == "hang" && d.Steps == 5:
			return sleep()
		case mode == "nothing":
		default:
			fmt.Printf("{\"step\": %d, \"seconds\": %v, \"gap\": %v}\n", d.Steps, float64(d.Steps)/4, gap)
		}
	}
	return nil
}

// trainFor plays a program that trains for a number of iterations: it predicts x.
func trainFor(iterations, predictions string, rows int) error {
	n, err := strconv.Atoi(iterations)
	d := descent{X: 1}
	for range n {
		d.step()
	}
	return errors.Join(err, os.WriteFile(predictions, []byte(strings.Repeat(exact(d.X)+"\n", rows)), 0o600))
}

// ownProgram is a spec of an own problem with a program.
func ownProgram(t *testing.T, way string, command string, sets ...string) *experiments.Spec {
	t.Helper()
	method := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\ncommand." + way + " = " + command + "\n"
	return spec(t, strings.Split(own, "[[method]]")[0]+method, append([]string{"repeat.seeds=1"}, sets...)...)
}

// gapAfter is what the descent reports after so many steps.
func gapAfter(steps int) float64 {
	d := descent{X: 1}
	for range steps {
		d.step()
	}
	return d.X * d.X / 2
}

func TestServedProgram(t *testing.T) {
	temp, out := tempDir(t), t.TempDir()
	s := ownProgram(t, "serve", command(t, "serve", "", ""), "evaluate={at = [1, 2, 7, 100]}")
	execute(t, s, Options{Out: out, AllowExternal: true})
	r := record(t, out, s, "program-seed1")
	require.Equal(t, records.Budget, r.Status(), r.End.Reason)
	require.Len(t, r.Points, 4)
	for i, step := range []int{1, 2, 7, 100} {
		assert.Equal(t, step, r.Points[i].Step)
		assert.Equal(t, gapAfter(step), *r.Points[i].Values["gap"], "bit for bit")
		assert.Positive(t, r.Points[i].Timing.Train)
	}
	assert.Equal(t, "descent 1.0", r.Header.Provenance.External.Version)
	assert.Equal(t, "serve", r.Header.Provenance.External.Serve[2])
	assert.Empty(t, r.Header.Provenance.External.Clock)
	before := canonical(t, out, s)
	execute(t, s, Options{Out: out, AllowExternal: true, Fresh: true, Threads: 3})
	assert.Equal(t, before, canonical(t, out, s), "the same bytes but for the times")
	assertEmpty(t, temp)
}

// A program that begins anew at every start serves all seeds with the processes that were held to this; others have one for each.
func TestProgramsServeManySeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for mode, want := range map[string]int{"again": 2, "again-saves": 2, "again-leaky": 2 + 6, "again-leaky-saves": 2 + 6, "alone": 6} {
		t.Run(mode, func(t *testing.T) {
			out, started := t.TempDir(), t.TempDir()
			s := ownProgram(t, "serve", command(t, "serve", mode, unwatched+started), "budget.steps=20", "repeat.seeds=6")
			_, w, err := watch(t, t.Context(), s, Options{Out: out, AllowExternal: true, Threads: 1})
			require.NoError(t, err)
			assert.Equal(t, strings.HasPrefix(mode, "again-leaky"), strings.Contains(strings.Join(w.reasons(Warned), ""), "does not begin anew at another start, so each cell starts a process: one step after it began again gap is"))
			for seed := range 6 {
				name := fmt.Sprintf("program-seed%d", seed+1)
				r := record(t, out, s, name)
				require.Equal(t, records.Budget, r.Status(), r.End.Reason)
				assert.Equal(t, gapAfter(20), *r.Points[len(r.Points)-1].Values["gap"])
				if mode == "again" {
					log, err := os.ReadFile(filepath.Join(out, "logs", filepath.FromSlash(s.ID), name+".txt"))
					require.NoError(t, err)
					assert.Contains(t, string(log), fmt.Sprintf("seed %d\n", seed+1))
				}
			}
			all, err := os.ReadDir(started)
			require.NoError(t, err)
			assert.Len(t, all, want)
		})
	}
}

// A program that ends before it does anything ends the run: the other seeds would end like that, too.
func TestBrokenProgramsEndTheRun(t *testing.T) {
	for way, broken := range map[string]string{"serve": command(t, "serve", "dies at once", ""), "run": command(t, "serve", "dies at once", "")} {
		out := t.TempDir()
		s := ownProgram(t, way, broken, "repeat.seeds=5")
		sum, w, err := watch(t, t.Context(), s, Options{Out: out, AllowExternal: true, Threads: 1})
		require.NoError(t, err)
		assert.Equal(t, map[records.Status]int{records.Failed: 1}, sum.Status)
		warned := strings.Join(w.reasons(Warned), "")
		assert.Equal(t, 1, strings.Count(warned, "the run ends here, for a program ended before it did anything: "), warned)
	}
}

func TestServedPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, mode := range []string{"npy", "text", ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			text := strings.NewReplacer("seeds = 2", "seeds = 1", "points = 8", "at = [1, 9]").Replace(head) + "[[method]]\nid = \"program\"\nalgorithm = \"external\"\nformat = \"csv\"\ncommand.serve = " + command(t, "serve", mode, "") + "\nbudget.steps = 9\n"
			s := spec(t, strings.Replace(text, `"test-mse", "test-loss"`, `"test-mse", "train-mse"`, 1))
			execute(t, s, Options{Out: out, AllowExternal: true})
			r := record(t, out, s, "program-seed1")
			require.Equal(t, records.Budget, r.Status(), r.End.Reason)
			require.Len(t, r.Points, 2)
			inst, d := instanceOf(t, s), descent{X: 1}
			for range 9 {
				d.step()
			}
			mse := func(x, y []float64, in, n int) (sum float64) {
				for i := range n {
					e := d.X*x[i*in] - y[i]
					sum += e * e / float64(n)
				}
				return sum
			}
			x, y := gather(inst)
			assert.InEpsilon(t, mse(inst.data.TestX.Data, inst.data.TestY.Data, x.Cols, 100), *r.Points[1].Values["test-mse"], 1e-12)
			assert.InEpsilon(t, mse(x.Data, y.Data, x.Cols, x.Rows), *r.Points[1].Values["train-mse"], 1e-12)
		})
	}
}

// All seeds of a program read one file of rows if their rows are the same, and each its own if they are not.
func TestProgramsShareTheirRows(t *testing.T) {
	temp := tempDir(t)
	for _, c := range []struct {
		data string
		same bool
	}{{"name = \"dai2014-synthetic\"\ntrain = 30\ntest = 10", false}, {"file = \"rows.csv\"\nholdout = 0.25", true}} {
		seen := filepath.Join(t.TempDir(), "rows")
		method := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\nformat = \"csv\"\ncommand.serve = " + command(t, "serve", "rows", seen) + "\nbudget.steps = 9\n"
		s := spec(t, strings.NewReplacer("points = 8", "at = [1, 9]", `"test-mse", "test-loss", "exact-distance"`, `"train-mse"`, "reference = \"krr\"\n", "",
			"name = \"dai2014-synthetic\"\ntrain = 600\ntest = 100", c.data).Replace(head)+method)
		if c.same {
			lines := ""
			for i := range 40 {
				lines += fmt.Sprintf("%d,%d\n", i, i*i%7)
			}
			require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "rows.csv"), []byte(lines), 0o600))
		}
		execute(t, s, Options{Out: t.TempDir(), AllowExternal: true, Threads: 1})
		one, err := os.Stat(seen + "1")
		require.NoError(t, err)
		two, err := os.Stat(seen + "2")
		require.NoError(t, err)
		assert.Equal(t, c.same, os.SameFile(one, two))
		cells, all := s.Expand(), newInstances(datasets.NewLibrary())
		first, err := all.of(t.Context(), &cells[0])
		require.NoError(t, err)
		second, err := all.of(t.Context(), &cells[1])
		require.NoError(t, err)
		x, _ := gather(first)
		z, _ := gather(second)
		assert.Equal(t, c.same, slices.Equal(x.Data, z.Data))
		assertEmpty(t, temp)
	}
}

func TestServedProgramsThatMisbehave(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for mode, want := range map[string]struct {
		status records.Status
		reason string
	}{
		"silent":        {records.Timeout, "stopped after 1 s, the timeout of method program"},
		"dies at once":  {records.Failed, "hello: its output ended before it replied: exit status 3: no module named numpy"},
		"hang":          {records.Timeout, "stopped after 1 s, the timeout of method program"},
		"exit":          {records.Failed, "step: its output ended before it replied: exit status 3: singular matrix"},
		"killed":        {records.Failed, "step: its output ended before it replied: signal: killed"},
		"closed":        {records.Failed, "step: its output ended before it replied: the program went on and was killed"},
		"garbage":       {records.Failed, `step: "iteration 5: loss 0.1" is no line of the protocol`},
		"error":         {records.Failed, "step: the step size is [31mnegative"},
		"done":          {records.Done, "the program is done"},
		"endless line":  {records.Failed, "step: a line of its output has more than 1048576 bytes"},
		"endless words": {records.Budget, "100 steps"},
		"NaN":           {records.Diverged, "gap after step"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			out, beat := t.TempDir(), filepath.Join(t.TempDir(), "beat")
			s := ownProgram(t, "serve", command(t, "serve", mode, beat), "method.program.timeout="+map[bool]string{true: "1", false: "60"}[want.status == records.Timeout])
			execute(t, s, Options{Out: out, AllowExternal: true})
			r := record(t, out, s, "program-seed1")
			assert.Equal(t, want.status, r.Status(), r.End.Reason)
			assert.Contains(t, r.End.Reason, want.reason)
			assert.Less(t, len(r.End.Reason), 1500)
			assert.NotContains(t, r.End.Reason, "\x1b")
			if slices.Contains([]string{"hang", "closed"}, mode) {
				requireStill(t, beat)
			}
		})
	}
}

// cancelled runs a spec until a program has made 100 steps, interrupts it there, and returns what the run warned of.
func cancelled(t *testing.T, s *experiments.Spec, o Options) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Observe = func(e Event) {
		if e.Kind == Advanced && e.Step > 100 {
			cancel()
		}
	}
	_, w, err := watch(t, ctx, s, o)
	require.ErrorIs(t, err, context.Canceled)
	return w.reasons(Warned)
}

// A program that saves its state continues from it after Ctrl-C; one that cannot, or does not go on from what it saved, starts again.
// The latter is found out before its first step, once. All end with the same numbers.
func TestServedProgramsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const wrong = "program-seed1: the program does not go on from the state that it saves, so a run that is interrupted starts again: "
	for mode, c := range map[string]struct {
		continues   bool
		first, then string // warnings of the run that is interrupted, and of the next one
	}{
		"save":         {continues: true},
		"slow":         {},
		"save-version": {then: `the program was "descent 1.0", and is now "descent 2.0"`},
		"save-forget":  {first: "one step after it was restored ", then: wrong},
		"save-half":    {first: "one step after it was restored ", then: wrong},
		"save-nothing": {first: "save: stat ", then: wrong},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			out, version := t.TempDir(), filepath.Join(t.TempDir(), "version")
			require.NoError(t, os.WriteFile(version, []byte("1.0"), 0o600))
			s := ownProgram(t, "serve", command(t, "serve", mode, unwatched+version), "budget.steps=600")
			o := Options{Out: out, AllowExternal: true, Checkpoint: time.Millisecond}
			warned := strings.Join(cancelled(t, s, o), "")
			assert.Contains(t, warned, c.first)
			assert.Equal(t, c.first != "", strings.HasPrefix(warned, wrong), warned)
			require.Equal(t, records.Partial, record(t, out, s, "program-seed1").Status())
			_, err := os.Stat(filepath.Join(out, "checkpoints", s.ID, "program-seed1.gob"))
			assert.Equal(t, c.continues || mode == "save-version", err == nil, "a program that cannot go on is not asked to save")

			require.NoError(t, os.WriteFile(version, []byte("2.0"), 0o600))
			from := -1
			o.Observe = func(e Event) {
				if e.Kind == Started {
					from = e.Step
				}
			}
			_, w, err := watch(t, t.Context(), s, o)
			require.NoError(t, err)
			assert.Contains(t, strings.Join(w.reasons(Warned), ""), c.then)
			assert.Equal(t, c.continues, from > 100, "from step %d", from)
			r := record(t, out, s, "program-seed1")
			require.Equal(t, records.Budget, r.Status(), r.End.Reason)
			steps := 0
			for _, p := range r.Points {
				assert.Greater(t, p.Step, steps, "no point twice")
				steps = p.Step
				if mode != "save-half" { // whose numbers depend on what nobody saves
					assert.Equal(t, gapAfter(p.Step), *p.Values["gap"])
				}
			}
		})
	}
}

// Seeds that other versions of a program ran are told apart.
func TestVersionsOfServedPrograms(t *testing.T) {
	out, version := t.TempDir(), filepath.Join(t.TempDir(), "version")
	var warned string
	for seeds, v := range []string{"1.0", "1.0", "2.0"} {
		require.NoError(t, os.WriteFile(version, []byte(v), 0o600))
		method := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\ncommand.serve = " + command(t, "serve", "save-version", unwatched+version) + "\n"
		s := spec(t, strings.Split(own, "[[method]]")[0]+method, fmt.Sprintf("repeat.seeds=%d", seeds+1))
		_, w, err := watch(t, t.Context(), s, Options{Out: out, AllowExternal: true})
		require.NoError(t, err)
		warned = strings.Join(w.reasons(Warned), "")
		if seeds == 1 {
			assert.Empty(t, warned)
		}
	}
	assert.Contains(t, warned, `the program is "descent 2.0", and was "descent 1.0" in the complete record of program-seed1; --fresh runs all again`)
}

func TestProgramsThatPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for mode, want := range map[string]struct {
		status records.Status
		reason string
		points int
	}{
		"csv":      {records.Done, "the program is done", 40},
		"":         {records.Done, "the program is done", 40},
		"timeless": {records.Done, "the program is done", 40},
		"long":     {records.Budget, "100 steps", 100},
		"NaN":      {records.Diverged, "gap after step 5 is not a finite number", 5},
		"garbage":  {records.Failed, `line 5 of its output: want {"step": 1, …} or the names of columns, one of them step, got "Traceback"`, 4},
		"exit":     {records.Failed, "exit status 3: singular matrix", 4},
		"hang":     {records.Timeout, "stopped after 1 s", 4},
		"nothing":  {records.Failed, "ended without a point", 0},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			n := 40
			if mode == "long" {
				n = 100_000_000
			}
			out := t.TempDir()
			s := ownProgram(t, "run", command(t, "print", mode, fmt.Sprint(n)), "method.program.timeout="+map[bool]string{true: "1", false: "60"}[want.status == records.Timeout])
			execute(t, s, Options{Out: out, AllowExternal: true})
			r := record(t, out, s, "program-seed1")
			assert.Equal(t, want.status, r.Status(), r.End.Reason)
			assert.Contains(t, r.End.Reason, want.reason)
			for i, p := range r.Points {
				if p.Values["gap"] != nil {
					assert.Equal(t, gapAfter(p.Step), *p.Values["gap"])
				}
				assert.Equal(t, i+1, p.Step)
				if mode == "csv" {
					assert.Equal(t, float64(p.Step)/4, p.Timing.Train, "its own clock")
				}
			}
			assert.Len(t, r.Points, want.points)
			assert.Equal(t, "the program's", r.Header.Provenance.External.Clock)
		})
	}
}

func TestTrainingAgainForEveryPoint(t *testing.T) {
	out := t.TempDir()
	text := external(t, command(t, "iterate", "{iterations}", "{predictions}", "100", "{train}{test}"), "", "budget.steps = 20")
	s := spec(t, strings.Replace(text, "points = 8", "at = [1, 5, 20]", 1))
	execute(t, s, Options{Out: out, AllowExternal: true})
	r := record(t, out, s, "program-seed1")
	require.Equal(t, records.Budget, r.Status(), r.End.Reason)
	require.Len(t, r.Points, 3)
	inst, took := instanceOf(t, s), 0.0
	for i, step := range []int{1, 5, 20} {
		p, d, want := r.Points[i], descent{X: 1}, 0.0
		for range step {
			d.step()
		}
		for _, y := range inst.data.TestY.Data {
			want += math.Pow(d.X-y, 2) / 100
		}
		assert.Equal(t, step, p.Step)
		assert.InEpsilon(t, want, *p.Values["test-mse"], 1e-12)
		assert.GreaterOrEqual(t, p.Timing.Train, took)
		took = p.Timing.Train
	}
	assert.Contains(t, r.Header.Provenance.External.Train, "{iterations}")
}

// TestMeshes: a program that is started once for each mesh, one that prints a table of meshes, and what is wrong with one.
func TestMeshes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	const swept, printed = `[{ name = "h", values = [0.5, 0.25, 0.125] }, { name = "N", from = "h", dimension = 1 }]`, `[{ name = "h" }]`
	for name, c := range map[string]struct {
		abscissae, text, reason string
		points                  int
	}{
		"each":           {swept, `{"gap": {h}}`, "the program is done", 3},
		"each, a table":  {swept, "gap\n{h}\n", "the program is done", 3},
		"each, too much": {swept, "gap\n{h}\n2\n", "the program printed several points of the mesh h = 0.5; print one", 0},
		"lines":          {printed, `{"h": 0.5, "gap": 0.5}` + "\n" + `{"h": 0.25, "gap": 0.25}` + "\n", "the program is done", 2},
		"blanks":         {printed, "# h  gap\n0.5  0.5\n0.25   0.25\n", "the program is done", 2},
		"commas":         {printed, "h,gap\n0.5,0.5\n0.25,0.25\n", "the program is done", 2},
		"fine to coarse": {printed, "h,gap\n0.25,0.25\n0.5,0.5\n", "line 3 of its output: h 0.5 follows 0.25; print the meshes from coarse to fine", 0},
		"twice":          {printed, "h,gap\n0.5,0.5\n0.5,0.5\n", "line 3 of its output: h is 0.5 a second time; print each mesh once", 0},
		"zero":           {printed, "h,gap\n0.5,0.5\n0,0\n", "line 3 of its output: h is 0, and a mesh has a finite number above 0", 0},
		"without":        {printed, "gap\n0.5\n", "the method does not report it", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			method := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\ncommand.run = " + command(t, "tell", c.text) + "\n"
			s := spec(t, "\nabscissa = "+c.abscissae+strings.Split(own, "[[method]]")[0]+method, "repeat.seeds=1")
			execute(t, s, Options{Out: out, AllowExternal: true})
			r := record(t, out, s, "program-seed1")
			assert.Contains(t, r.End.Reason, c.reason)
			if c.points == 0 {
				assert.Equal(t, records.Failed, r.Status())
				return
			}
			require.Len(t, r.Points, c.points)
			for k, p := range r.Points {
				h := 0.5 / float64(int(1)<<k)
				assert.Equal(t, k+1, p.Step)
				assert.Equal(t, []float64{h, h}, []float64{*p.Values["h"], *p.Values["gap"]})
				if c.abscissae == swept {
					assert.Equal(t, 1/h, *p.Values["N"])
				}
			}
		})
	}
}

// TestTrainingForEveryMesh: a program that trains in one piece is started once for each mesh.
func TestTrainingForEveryMesh(t *testing.T) {
	out := t.TempDir()
	text := external(t, command(t, "iterate", "{dofs}", "{predictions}", "100", "{train}{test}"), "") + "\n[[abscissa]]\nname = \"dofs\"\nvalues = [1, 5, 20]\n"
	s := spec(t, text)
	execute(t, s, Options{Out: out, AllowExternal: true})
	r := record(t, out, s, "program-seed1")
	require.Equal(t, records.Done, r.Status(), r.End.Reason)
	require.Len(t, r.Points, 3)
	for k, dofs := range []float64{1, 5, 20} {
		p := r.Points[k]
		assert.Equal(t, k+1, p.Step)
		assert.Equal(t, dofs, *p.Values["dofs"])
		if k > 0 {
			assert.NotEqual(t, *r.Points[k-1].Values["test-mse"], *p.Values["test-mse"])
		}
	}
}
