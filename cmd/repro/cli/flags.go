package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/results/printed"
)

// flagError returns an error of one line about a flag.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("see %s --help", cmd.CommandPath())
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var absent *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		if near := nearestFlag(cmd, name); near != "" {
			help = "did you mean --" + near + "?"
		}
		return fmt.Errorf("unknown flag --%s of %s; %s", name, cmd.CommandPath(), help)
	case errors.As(err, &value):
		f := value.GetFlag()
		if _, ok := f.Value.(parsed); ok {
			return fmt.Errorf("--%s: %w; %s", f.Name, value.Unwrap(), help)
		}
		return fmt.Errorf("--%s: want a value of type %s, got %q; %s", f.Name, f.Value.Type(), value.GetValue(), help)
	case errors.As(err, &absent):
		return fmt.Errorf("--%s: its value is missing; %s", absent.GetFlag().Name, help)
	}
	return fmt.Errorf("%w; %s", err, help)
}

// nearestFlag returns the flag of a command whose name is nearest to a word, by the measure that cobra uses for commands.
func nearestFlag(cmd *cobra.Command, word string) string {
	like := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		like.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if names := like.SuggestionsFor(word); len(names) > 0 {
		return names[0]
	}
	return ""
}

// specFlags adds the flags that choose and change the values of specs. The default profile differs between commands, so
// a.profile is set when the command is known.
func (a *app) specFlags(cmd *cobra.Command, profile string) {
	f := cmd.Flags()
	usage := "size of the experiment: smoke (seconds), quick (minutes), ci (see " + printed.Command("check") + ") or paper (as published)"
	if profile == "" {
		usage += "; the profile of the latest records if left out"
	}
	asked := f.String("profile", profile, usage)
	f.StringArrayVar(&a.methods, "method", nil, "use only this method; may be repeated")
	f.IntVar(&a.seeds, "seeds", 0, "number of seeds, instead of the spec's")
	f.StringArrayVar(&a.set, "set", nil, "change a value of the spec: path=value, as in problem.nu=1e-4; may be repeated")
	register(cmd, "profile", completeProfiles)
	register(cmd, "method", completeMethods)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		a.profile = *asked
		if f.Changed("seeds") && a.seeds < 1 {
			return fmt.Errorf("--seeds must be 1 or more, got %d", a.seeds)
		}
		if a.threads < 0 {
			return fmt.Errorf("--threads must be 1 or more, or 0 for all processors, got %d", a.threads)
		}
		return nil
	}
}

func (a *app) outFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.out, "out", "out", "output folder: records, figures, tables and the report")
	register(cmd, "out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

func (a *app) threadsFlag(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.threads, "threads", 0, "number of processors to use; 0 means all")
}

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON on standard output; notes go to standard error")
}
