// Package look has the verbs that look at experiments and their scores: list, show, new, plan and score.
package look

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/files"
	"repro/results/printed"
	"repro/runner"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newList(t), newShow(t), newNew(t), newPlan(t), newScore(t)}
}

func newNew(t *terminal.Terminal) *cobra.Command {
	base := ""
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a small spec to start from",
		Long: `New writes NAME.toml, a commented spec that compares two methods on generated data and runs in seconds.
With --base it writes five lines over an experiment of the catalog instead: they say what differs.
Extension writes a whole Go module instead, with an algorithm of your own.
It does not overwrite a file. docs/spec.md explains every key of a spec.`,
		Example: `  repro new my
  repro new mine --base dai2014/ridge
  repro new extension mine
  repro run my.toml
  repro list algorithms               other methods that the spec can use`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s: give one name, as in %s; got %d", cmd.Name(), printed.Command("new my"), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return writeStarter(t, args[0], base) },
	}
	cmd.Flags().StringVar(&base, "base", "", "`id` of the experiment that the spec is laid over")
	cmd.AddCommand(newExtension(t))
	return cmd
}

// writeStarter writes the starter spec to a new file, over the experiment base if it is not empty.
func writeStarter(t *terminal.Terminal, name, base string) error {
	name = strings.TrimSuffix(name, ".toml")
	file, text := name+".toml", experiments.Starter()
	if err := experiments.CheckFile(file); err != nil {
		return err
	}
	if base != "" {
		spec, err := catalog.Load(catalog.Ref{ID: base}, experiments.LoadOptions{})
		if err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		text = experiments.StarterOver(spec, filepath.Base(name))
	}
	if err := files.New(file, text, 0o666); err != nil {
		return err
	}
	t.Note("wrote %s; run it with: %s", file, printed.Again("run", file))
	return nil
}

func newPlan(t *terminal.Terminal) *cobra.Command {
	var r planRequest
	cmd := &cobra.Command{
		Use:   "plan [ID...]",
		Short: "Show what would run, how long it would take and how much memory",
		Long: `Plan lists the cells of experiments, one per method and seed, exactly as run would run them, with an
estimate of time and memory from this machine's speed, which is measured once a day and kept in the cache
folder. It runs nothing, and reads no data but your own files. Cells that are complete in the output
folder are marked: run keeps them. What run would refuse, such as cells that need more memory than
there is, plan refuses after the list, with exit status 2.

Without arguments it plans what run would run: every experiment whose data needs no download.`,
		Example: `  repro plan dai2014/ridge
  repro plan dai2014/ridge --profile paper
  repro plan dai2014/ridge --method dsg --set method.dsg.batch=128
  repro plan --json`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Args = args
			return showPlan(cmd.Context(), t, r)
		},
	}
	r.Choice.Flags(cmd, flags.Usual)
	flags.Out(cmd, &r.Out)
	flags.Machine(t, cmd, &r.Options)
	flags.JSON(cmd, &r.json)
	return cmd
}

// A planRequest is what the flags of plan say.
type planRequest struct {
	training.Order
	json bool
}

// showPlan prints what would run, and returns what run would refuse.
func showPlan(ctx context.Context, t *terminal.Terminal, r planRequest) error {
	specs, err := r.ToRun(t)
	if err != nil {
		return err
	}
	cells := training.Expand(specs)
	plan, err := runner.NewPlan(ctx, cells, r.Options)
	if err != nil {
		return err
	}
	if err := t.Show(r.json, terminal.OrEmpty(plan.Cells), func() { printPlan(t.Stdout, plan) }); err != nil {
		return err
	}
	own := slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s.Data.File == "" })
	notes, err := runner.Guard(cells, r.Options)
	t.Notes(notes)
	return errors.Join(err, plan.Fits(flags.MemoryBound(r.Library)), r.CheckData(ctx, t, own, cells))
}

func printPlan(o *terminal.Output, plan *runner.Plan) {
	g := terminal.Table{Head: []string{"experiment", "cell", "profile", "steps", "time", "memory", "state", "settings"}, Right: []int{4, 5, 6}}
	g.Wrap = len(g.Head)
	for _, p := range plan.Cells {
		steps := "unknown"
		if p.Steps != nil {
			steps = strconv.Itoa(*p.Steps)
		}
		shown, _ := p.Settings["method"].(map[string]any) // its own; the rest is the same for all of an experiment, and in the JSON
		row := []string{p.Experiment, p.Cell, p.Profile, steps, printed.Duration(p.Time()), printed.Bytes(p.Memory()), string(p.State), pairs(shown)}
		g.Rows = append(g.Rows, row)
	}
	o.Table(g)
	o.Message("\n%v", plan)
	told := map[string]bool{}
	for _, p := range plan.Cells {
		if line := fmt.Sprintf("%s: method %s will be skipped: %s", p.Experiment, p.Method, p.Reason); p.Reason != "" && !told[line] {
			told[line] = true
			o.Message("%s", line)
		}
	}
}
