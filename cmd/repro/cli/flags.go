package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
	"repro/experiments"
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

// A completer lists the words that can stand at the cursor.
type completer = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// register sets the completer of a flag, which must exist.
func register(cmd *cobra.Command, flag string, c completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, c); err != nil {
		panic("repro: " + err.Error())
	}
}

// completeIDs completes ids of experiments that are not among the arguments, and spec files.
func completeIDs(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, e := range entries {
		if strings.HasPrefix(e.ID, word) && !slices.Contains(args, e.ID) {
			ids = append(ids, cobra.CompletionWithDesc(e.ID, e.Title))
		}
	}
	if len(ids) == 0 {
		return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeProfiles completes the profiles of the experiments named so far, or of all.
func completeProfiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	entries, err := experiments.Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, e := range entries {
		for _, p := range e.Profiles {
			if (len(args) == 0 || slices.Contains(args, e.ID)) && !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeMethods completes the methods of the experiments named so far, or of all.
func completeMethods(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	refs, err := experiments.Resolve(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, ref := range refs {
		s, err := experiments.Load(ref, experiments.LoadOptions{})
		if err != nil {
			continue
		}
		for _, m := range s.Methods {
			if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, m.ID+"\t") }) {
				ids = append(ids, cobra.CompletionWithDesc(m.ID, m.Label))
			}
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeData completes data sets that are downloaded.
func completeData(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range datasets.Names() {
		if s, err := datasets.Describe(name); err == nil && !s.Generated() && !slices.Contains(args, name) {
			names = append(names, cobra.CompletionWithDesc(name, s.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// parsed is a flag that a function reads, whose errors say what it wants.
type parsed struct{ set func(string) error }

func (p parsed) Set(s string) error { return p.set(s) }

func (p parsed) String() string { return "" }

func (p parsed) Type() string { return "string" }
