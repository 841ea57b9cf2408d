package flags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/experiments/catalog"
)

// A completer lists the words that can stand at the cursor.
type completer = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// Complete sets the completer of a flag, which must exist.
func Complete(cmd *cobra.Command, flag string, c completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, c); err != nil {
		panic("flags: " + err.Error())
	}
}

// IDs completes ids of experiments that are not among the arguments, and spec files.
func IDs(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	entries, err := catalog.Entries()
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

// Profiles completes the profiles of the experiments named so far, or of all.
func Profiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	entries, err := catalog.Entries()
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

// Folders completes folders.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// whole is a flag that is a whole number of at least some size.
type whole struct {
	to    *int
	least int
	want  string
}

func (w whole) Type() string { return "int" }

func (w whole) String() string { return strconv.Itoa(*w.to) }

func (w whole) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < w.least {
		return fmt.Errorf("must be %s, got %s", w.want, text)
	}
	*w.to = n
	return nil
}

// Explains reports whether the errors of a flag say what it wants.
func Explains(v pflag.Value) bool {
	_, ours := v.(whole)
	return ours || v.Type() == "func"
}
