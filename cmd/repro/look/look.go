// Package look has the verbs that look at experiments and their scores: list, show, new, plan and score.
package look

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/printed"
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
It does not overwrite a file. docs/spec.md explains every key of a spec.`,
		Example: `  repro new my
  repro new mine --base dai2014/ridge
  repro run my.toml
  repro list --algorithms             other methods that the spec can use`,
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
		spec, err := experiments.Load(experiments.Ref{ID: base}, experiments.LoadOptions{})
		if err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		text = experiments.StarterOver(spec, filepath.Base(name))
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", file)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	t.Note("wrote %s; run it with: %s", file, printed.Command("run "+file))
	return nil
}
