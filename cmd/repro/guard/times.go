package guard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/modules"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/results/changes"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A race runs two programs in alternation on this machine and compares the training times in their records.
type race struct {
	budget time.Duration
	now    func() time.Time
	// measure runs the old (0) or the new (1) program once.
	measure func(ctx context.Context, program int) (map[changes.Timed]took, error)
	note    func(format string, args ...any)
}

// took is the training time of a method.
type took struct {
	seconds float64 // summed over the seeds
	cells   string  // seeds and digests of their settings
}

// run runs rounds, in each of which both programs run, until every method is decided or the next look lies beyond the budget. The
// first program of a round is the second of the next. Of the looks, which are declared, the last one has what is left of Alpha.
func (r *race) run(ctx context.Context) ([]changes.Timing, error) {
	rounds, start, done := map[changes.Timed][2][]float64{}, r.now(), 0
	var order []changes.Timed
	left := changes.Alpha
	for k, look := range changes.TimeLooks {
		for ; done < look.Seeds; done++ {
			var now [2]map[changes.Timed]took
			for i := range now {
				program := (i + done) % 2
				var err error
				if now[program], err = r.measure(ctx, program); err != nil {
					return nil, err
				}
			}
			if done == 0 {
				order = r.compared(now)
			}
			for _, key := range order {
				of := rounds[key]
				for i := range of {
					seconds := now[i][key].seconds
					if !(seconds > 0) {
						return nil, fmt.Errorf("%s %s has no training time in round %d of the %s program", key.Experiment, key.Method, done+1, programs[i])
					}
					of[i] = append(of[i], seconds)
				}
				rounds[key] = of
			}
		}
		timings := changes.Timings(rounds, order, look.Alpha)
		undecided := slices.ContainsFunc(timings, func(t changes.Timing) bool { return t.State == changes.Inconclusive })
		last := k+1 == len(changes.TimeLooks)
		if !last && undecided {
			spent := r.now().Sub(start)
			needs := spent * time.Duration(changes.TimeLooks[k+1].Seeds-done) / time.Duration(done)
			if last = spent+needs > r.budget; last {
				r.note("%d more rounds would take %s, and %s of the budget is left; give more with --budget", changes.TimeLooks[k+1].Seeds-done,
					printed.Duration(needs.Seconds()), printed.Duration(max(0, r.budget-spent).Seconds()))
			}
		}
		if last || !undecided {
			return changes.Timings(rounds, order, left), nil
		}
		left -= look.Alpha
	}
	panic("guard: the last look returns")
}

// compared returns the methods that both programs ran, and names the others.
func (r *race) compared(now [2]map[changes.Timed]took) (order []changes.Timed) {
	for i, of := range now {
		for key, its := range of {
			other, both := now[1-i][key]
			switch {
			case !both:
				r.note("%s %s ran with the %s program only; it is left out", key.Experiment, key.Method, programs[i])
			case its.cells != other.cells && i == 0:
				r.note("%s %s has other settings or seeds in the two programs; it is left out", key.Experiment, key.Method)
			case i == 0:
				order = append(order, key)
			}
		}
	}
	slices.SortFunc(order, func(a, b changes.Timed) int {
		return cmp.Or(strings.Compare(a.Experiment, b.Experiment), strings.Compare(a.Method, b.Method))
	})
	return order
}

// programs are the names of the two programs.
var programs = [2]string{"old", "new"}

// A timeRequest is what the flags of check --time say.
type timeRequest struct {
	on      bool
	against string // a program or a commit
	budget  time.Duration
	json    bool
}

func (r *timeRequest) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.on, "time", false, "compare training times instead, with those of --against")
	cmd.Flags().StringVar(&r.against, "against", "", "with --time: the old `program`, or a commit to build it from")
}

// valid says what is wrong with the flags.
func (r *timeRequest) valid(cmd *cobra.Command) error {
	if r.on == (r.against == "") {
		return errors.New("--time and --against go together: --time --against HEAD~1, or the path of the old program")
	}
	for _, other := range []string{"junit", "markdown", "append", "github"} {
		if r.on && cmd.Flags().Changed(other) {
			return fmt.Errorf("--%s is of a check of numbers; leave it or --time out", other)
		}
	}
	return nil
}

// compare compares the training times of experiments, named as arguments, by this program with those by the other one.
func (r timeRequest) compare(ctx context.Context, t *terminal.Terminal, o training.Order, names []string) (err error) {
	dir, err := files.MkdirTemp("repro-time-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	old, err := programOf(ctx, t, r.against, dir)
	if err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	o.Args = names
	runs := 0
	now := race{budget: r.budget, now: time.Now, note: t.Note, measure: func(ctx context.Context, program int) (map[changes.Timed]took, error) {
		runs++
		out := filepath.Join(dir, fmt.Sprintf("%d-%s", runs, programs[program]))
		return trainingTimes(ctx, []string{old, own}[program], programs[program], o.Words(), o.AllowExternal, out)
	}}
	t.Note("comparing the training times of %s with those of %s, for %s at least", printed.Count(len(names), "experiment"), r.against, printed.Count(changes.TimeLooks[0].Seeds, "round"))
	timings, err := now.run(ctx)
	if err != nil {
		return err
	}
	status := changes.TimeStatus(timings)
	outcome := struct {
		Against string           `json:"against"`
		Status  int              `json:"status"`
		Timings []changes.Timing `json:"timings"`
	}{r.against, status, terminal.OrEmpty(timings)}
	if err := t.Show(r.json, outcome, func() { printTimings(t.Stdout, timings) }); err != nil {
		return err
	}
	return exits.With(status)
}

// trainingTimes runs the cells of experiments with a program, one after the other on one processor, and returns the training
// seconds of every method whose runs are complete.
func trainingTimes(ctx context.Context, program, name string, words []string, external bool, out string) (map[changes.Timed]took, error) {
	args := append([]string{"run"}, words...)
	args = append(args, "--threads", "1", "--fresh", "--out", out)
	if external {
		args = append(args, "--allow-external")
	}
	run := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	run.Stderr = &said
	if err := run.Run(); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("the %s program %s: %w: %s", name, program, err, lastLine(said.String()))
	}
	store, err := records.Open(out)
	if err != nil {
		return nil, fmt.Errorf("the %s program %s: %w", name, program, err)
	}
	for _, w := range store.Warnings {
		return nil, fmt.Errorf("the %s program %s: %w", name, program, w)
	}
	all := map[changes.Timed]took{}
	for _, r := range store.Records {
		if v, ok := r.At("seconds", records.At{}); ok && r.Status().Complete() {
			key := changes.Timed{Experiment: r.Header.Experiment, Method: r.Header.Method}
			all[key] = took{all[key].seconds + v, fmt.Sprintf("%s %d:%s", all[key].cells, r.Header.Seed, changes.SettingsDigest(r.Header.Settings))}
		}
	}
	return all, os.RemoveAll(out)
}

// programOf returns the program that a user named by its path, or by a commit: then it is built in a worktree of its own.
func programOf(ctx context.Context, t *terminal.Terminal, against, dir string) (program string, err error) {
	if info, err := os.Stat(against); err == nil && info.Mode().IsRegular() {
		return filepath.Abs(against)
	}
	here := checkout{"."}
	commit, err := here.commit(ctx, against)
	if err != nil {
		return "", fmt.Errorf("--against %s: neither a program nor a commit: %w", against, err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	tree, program := filepath.Join(dir, "tree"), programIn(dir)
	work, remove, err := here.worktree(ctx, tree, commit)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := modules.Move(ctx, work, tree, folder); err != nil {
		return "", err
	}
	main, err := modules.Program(ctx, work)
	if err == nil && main == "" {
		err = errors.New("it has no program with the commands of repro; name one by its path")
	}
	if err != nil {
		return "", fmt.Errorf("--against %s: %w", against, err)
	}
	t.Note("building %s", against)
	if err := compile(ctx, work, "go", "build", "-o", program, main); err != nil {
		return "", fmt.Errorf("--against %s: %w", against, err)
	}
	return program, nil
}

// printTimings prints a row for every method, the slowest ratio first, and counts the states.
func printTimings(o *terminal.Output, all []changes.Timing) {
	if len(all) == 0 {
		o.Paragraph("no method ran with both programs.")
		return
	}
	all = slices.SortedStableFunc(slices.Values(all), func(a, b changes.Timing) int { return cmp.Compare(b.Ratio, a.Ratio) })
	g := terminal.Table{Head: []string{"experiment", "method", "old s", "new s", "ratio [95 %]", "rounds", "p (Holm)", "verdict"}, Right: []int{3, 4, 6}}
	counts := map[changes.State]int{}
	for _, t := range all {
		counts[t.State]++
		g.Rows = append(g.Rows, []string{t.Experiment, t.Method, printed.Digits(t.Old, 3), printed.Digits(t.New, 3),
			fmt.Sprintf("×%s [%s, %s]", printed.Digits(t.Ratio, 3), printed.Digits(t.Low, 3), printed.Digits(t.High, 3)),
			fmt.Sprint(t.Rounds), printed.Digits(t.P, 2), timeWords[t.State]})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == len(g.Head)-1 {
			return colourOfState(all[row].State)
		}
		return 0
	}
	o.Table(g)
	var parts []string
	for _, s := range changes.States {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, timeWords[s]))
		}
	}
	o.Paragraph("%s. Slower is a ratio above %v, beyond doubt.", strings.Join(parts, ", "), changes.Slower)
}

// timeWords are the words for states of times.
var timeWords = map[changes.State]string{
	changes.Regressed: "slower", changes.Improved: "faster", changes.Equivalent: "not slower", changes.Inconclusive: "undecided",
}
