package training

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/printed"
	"repro/runner"
	"repro/runner/shards"
)

// An Order says what to train and how: what the flags of run say, and of the commands that run cells, too.
type Order struct {
	flags.Choice
	runner.Options
	Fetch   bool // download the data that is not on this machine first
	Verbose bool // a line for every cell
	Quiet   bool // says only how far the run is, and what failed
	Part    bool // of a larger run, which would lack cells whose data is missing
}

// Flags adds the flags of what a run may use of this machine and which programs it may start.
func (o *Order) Flags(t *terminal.Terminal, cmd *cobra.Command) {
	flags.Machine(t, cmd, &o.Options)
	flags.External(cmd, &o.AllowExternal, "specs name as external methods")
}

// Again returns the command that runs a cell again from its start, in another folder.
func (o Order) Again(c *experiments.Cell) string {
	words := []string{"run", c.Spec.Argument(), "--profile", o.Profile, "--method", c.Method.ID,
		"--seeds", strconv.FormatUint(c.Seed-c.Spec.Repeat.First+1, 10), "--threads", strconv.Itoa(o.Threads), "--out", "again"}
	for _, s := range o.Set {
		words = append(words, "--set", s)
	}
	if o.AllowExternal {
		words = append(words, "--allow-external")
	}
	for i, w := range words {
		words[i] = printed.ShellWord(w)
	}
	return printed.Command(strings.Join(words, " "))
}

// Shards returns the plan of cells in that many shards, and the places of each shard's cells.
func (o Order) Shards(ctx context.Context, cells []experiments.Cell, of int) (*shards.Plan, []runner.Shard, error) {
	parts, err := runner.Shards(ctx, cells, of, o.Library)
	if err != nil {
		return nil, nil, err
	}
	all := make([]shards.Cell, len(cells))
	for i := range cells {
		c := &cells[i]
		all[i] = shards.Cell{Experiment: c.Experiment, Cell: c.Name, Profile: c.Spec.Profile, Digest: c.Digest, Command: o.Again(c)}
	}
	for k, part := range parts {
		for _, i := range part {
			all[i].Shard = k + 1
		}
	}
	return shards.New(o.Words(), of, all), parts, nil
}

// A Stopped is why a resumable run ended its context, in words.
type Stopped string

func (s Stopped) Error() string { return string(s) }

// Cause returns why a resumable run ended its context, empty if something else did, such as Ctrl-C.
func Cause(ctx context.Context) string {
	var why Stopped
	errors.As(context.Cause(ctx), &why)
	return string(why)
}

// OrLeave returns what do returns, or ctx's error as soon as ctx is cancelled. Then do goes on until the process ends, which
// is safe because files are replaced in one step.
func OrLeave(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Releasing calls do and writes into the lease how it ended.
func Releasing(ctx context.Context, lease *shards.Lease, do func() error) error {
	err := do()
	ended := "complete"
	switch e := exits.Status(0); {
	case ctx.Err() != nil:
		ended = cmp.Or(Cause(ctx), "interrupted")
	case errors.As(err, &e) && e == exits.Failed:
		ended = "a cell failed"
	case errors.As(err, &e) && e == exits.Incomplete:
		ended = "a limit ended a cell"
	case err != nil:
		ended = "error: " + err.Error()
	}
	if gone := lease.Release(ended); gone != nil && err == nil {
		return gone
	}
	return err
}
