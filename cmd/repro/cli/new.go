package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/printed"
)

func newNew(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "Write a small spec to start from",
		Long: `New writes NAME.toml, a commented spec that compares two methods on generated data and runs in seconds.
It does not overwrite a file. docs/spec.md explains every key of a spec.`,
		Example: `  repro new my
  repro run my.toml
  repro list --algorithms             other methods that the spec can use`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s: give one name, as in %s; got %d", cmd.Name(), printed.Command("new my"), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return a.writeStarter(args[0]) },
	}
}

// writeStarter writes the starter spec to a new file.
func (a *app) writeStarter(name string) error {
	file := strings.TrimSuffix(name, ".toml") + ".toml"
	if err := experiments.CheckFile(file); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", file)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(experiments.Starter())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	a.note("wrote %s; run it with: %s", file, printed.Command("run "+file))
	return nil
}
