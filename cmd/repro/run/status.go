package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
)

// A statusRequest is what the flags of status say.
type statusRequest struct {
	Out  string
	json bool
}

// A progress is how far the plans of an output folder are.
type progress struct {
	Cells []engines.Status `json:"cells"`
	Notes []string         `json:"notes"` // of schedulers that do not answer
	again string           // the command that sends what the last plan lacks
}

func newStatus(t *terminal.Terminal) *cobra.Command {
	var r statusRequest
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which runs of a submitted plan are complete, running or missing",
		Long: `Status compares the plans that repro submit or repro run --shard left in an output folder with the records
there. A run is complete, limited, failed or skipped if its record says so. A run without such a record is
running if a process holds its shard, with a heartbeat that is not too old; else queued if the scheduler says
so; else unknown if it was submitted, and to do if not. A scheduler that does not answer makes no run failed.

For a run that failed it prints the command that reproduces it. The exit status is 0, or 2 for a mistake.`,
		Example: `  repro status
  repro status --out paper --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := status(cmd.Context(), r.Out)
			if err != nil {
				return err
			}
			return t.Show(r.json, p, func() { p.print(t) })
		},
	}
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	return cmd
}

// status compares the plans of an output folder with the records there.
func status(ctx context.Context, out string) (progress, error) {
	p := progress{Cells: []engines.Status{}, Notes: []string{}}
	plans, err := shards.Plans(out)
	if err != nil {
		return p, err
	}
	if len(plans) == 0 {
		return p, fmt.Errorf("%s has no plan: %s makes one, and so does %s with --shard; %s shows what is missing of any other run", out, printed.Command("submit"), printed.Command("run"), printed.Command("plan"))
	}
	latest := shards.Latest(plans)
	for _, plan := range plans {
		cells, note, err := engines.StatusOf(ctx, out, plan, latest[plan])
		if err != nil {
			return p, err
		}
		p.Cells = append(p.Cells, cells...)
		words := append(slices.Clone(plan.Words), flags.Elsewhere(out)...)
		if slices.ContainsFunc(plan.Cells, func(c shards.Cell) bool { return strings.Contains(c.Command, " --allow-external") }) {
			words = append(words, "--allow-external")
		}
		p.again = printed.Line("submit", words...)
		if note != "" && len(cells) > 0 {
			p.Notes = append(p.Notes, note)
		}
	}
	return p, nil
}

// print prints the number of cells in every state, the processes that run and the cells that failed.
func (p progress) print(t *terminal.Terminal) {
	counts, why := map[string]int{}, map[string]map[string]int{}
	for _, s := range p.Cells {
		counts[s.State]++
		if why[s.State] == nil {
			why[s.State] = map[string]int{}
		}
		if s.State != string(records.Settled) && s.Reason != "" {
			why[s.State][s.Reason]++
		}
	}
	for _, state := range []string{string(records.Settled), engines.Running, engines.Queued, engines.Unknown, string(records.ToDo), string(records.Skipped), string(records.Limited), string(records.Failed)} {
		if counts[state] == 0 {
			continue
		}
		t.Stdout.Message("%s %s", printed.Count(counts[state], "run"), state)
		if state == string(records.Failed) {
			continue
		}
		for _, reason := range slices.Sorted(maps.Keys(why[state])) {
			t.Stdout.Message("  %d: %s", why[state][reason], reason)
		}
	}
	for _, s := range p.Cells {
		if s.State == string(records.Failed) {
			t.Stdout.Message("  %s %s %s\n    %s", s.Experiment, s.Cell.Cell, s.Reason, s.Command)
		}
	}
	if counts[engines.Unknown]+counts[string(records.ToDo)] > 0 {
		t.Note("%s sends what is missing", p.again)
	}
	t.Notes(p.Notes)
}
