// Package cluster has the verbs to run on several machines: submit and merge.
package cluster

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newSubmit(t), newMerge(t)}
}

func newMerge(t *terminal.Terminal) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Bring the records of several output folders into one",
		Long: `Merge copies the records of output folders, with the files of predictions that they name, into the folder of
--out. It is for runs on machines without a folder that they share. It writes no report: see repro report.

A cell may be in several of the folders. A complete record then wins over one that failed or was interrupted. Complete
records must have the same bits, except times and the names of processors; otherwise merge writes nothing and names
both. The same holds for a record that is damaged.

Exit status: 0 merged; 2 something does not fit together, or a mistake in the arguments.`,
		Example: `  repro merge node1/out node2/out --out out
  repro report --out out`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return merge(t, args, out) },
	}
	flags.Out(cmd, &out)
	return cmd
}

// merge copies the records of folders into another one.
func merge(t *terminal.Terminal, dirs []string, out string) error {
	m, err := records.Merge(dirs, out)
	if err != nil {
		return err
	}
	for _, dir := range dirs { // so that repro status knows what is missing
		plans, err := shards.Plans(dir)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if err := p.Save(out); err != nil {
				return err
			}
		}
	}
	if len(m.Exempt) > 0 {
		t.Note("%s in more than one folder ended after a number of seconds, so they may differ; the first of each was taken: %s", printed.Count(len(m.Exempt), "cell"), printed.List(m.Exempt))
	}
	t.Note("%s written to %s; %d were there; %d were found twice, with equal bits", printed.Count(m.Written, "record"), out, m.Kept, m.Equal)
	return nil
}
