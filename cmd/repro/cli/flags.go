package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/results/printed"
)

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

// A sizeFlag is the value of a flag that is a number of bytes with a unit, such as 16GB.
type sizeFlag int64

func (s *sizeFlag) Type() string { return "size" }

func (s *sizeFlag) String() string { return "" }

// sizeUnits are the units of a sizeFlag, in bytes.
var sizeUnits = map[string]float64{"KB": 1e3, "KIB": 1 << 10, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

func (s *sizeFlag) Set(text string) error {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	bytes := v * sizeUnits[strings.ToUpper(text[len(number):])]
	if err != nil || !(bytes >= 1 && bytes < 1<<60) {
		return errors.New("want a size such as 16GB")
	}
	*s = sizeFlag(bytes)
	return nil
}

func (a *app) memoryFlag(cmd *cobra.Command) {
	cmd.Flags().Var(&a.memory, "memory", "memory that a cell may need, such as 16GB; more is refused; if left out, that of the machine or container")
}

// Completers of arguments.
var (
	register         = flags.Complete
	completeIDs      = flags.IDs
	completeProfiles = flags.Profiles
	completeMethods  = flags.Methods
	completeData     = flags.Data
)

type parsed = flags.Parsed
