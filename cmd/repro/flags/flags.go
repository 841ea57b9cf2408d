// Package flags has the flags that several commands have, and what follows from them: which experiments a command is about, which
// output folder, and what of the machine it may use.
package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/runner"
)

// Out adds the flag of the output folder.
func Out(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", "out", "output folder: records, figures, tables and the report")
	Complete(cmd, "out", Folders)
}

// Elsewhere returns the flag of a command for the same output folder, none for the usual one.
func Elsewhere(out string) []string {
	if out == "out" {
		return nil
	}
	return []string{"--out", out}
}

// JSON adds the flag that asks for JSON.
func JSON(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "json", false, "print JSON on standard output; notes go to standard error")
}

// Threads adds the flag of the number of processors.
func Threads(f *pflag.FlagSet, n *int) {
	f.Var(whole{n, 0, "1 or more, or 0 for all processors"}, "threads", "number of processors to use; 0 means all")
}

// Memory adds the flag of the memory that a cell and its data may need.
func Memory(cmd *cobra.Command, lib *datasets.Library) {
	cmd.Flags().Func("memory", "memory that a run may need, a `size` such as 16GB; more is refused; if left out, that of the machine or container", func(s string) (err error) {
		lib.Memory, err = parseSize(s)
		return err
	})
}

// MemoryBound returns the bytes that a cell may need: those of --memory, else those of the machine or the container. It is
// +Inf if nobody knows.
func MemoryBound(lib *datasets.Library) (bytes float64, whose string) {
	if lib.Memory > 0 {
		return float64(lib.Memory), "--memory allows"
	}
	if total, ok := datasets.MachineMemory(); ok {
		return float64(total), "this machine has"
	}
	return math.Inf(1), ""
}

// External adds the flag that allows external methods. about says whose they are.
func External(cmd *cobra.Command, allow *bool, about string) {
	cmd.Flags().BoolVar(allow, "allow-external", false, "run the programs that "+about)
}

// Machine adds the flags of what a run may use of this machine: processors and memory.
func Machine(t *terminal.Terminal, cmd *cobra.Command, o *runner.Options) {
	o.Library = Library(t)
	Threads(cmd.Flags(), &o.Threads)
	Memory(cmd, o.Library)
}

// Library returns the data library of this machine, whose messages are notes.
func Library(t *terminal.Terminal) *datasets.Library {
	lib := datasets.NewLibrary()
	lib.Log = t.Note
	return lib
}

// sizeUnits are the units of a size, in bytes.
var sizeUnits = map[string]float64{"KB": 1e3, "KIB": 1 << 10, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

// parseSize reads a number of bytes with a unit, such as 16GB.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	bytes := v * sizeUnits[strings.ToUpper(text[len(number):])]
	if err != nil || !(bytes >= 1 && bytes < 1<<60) {
		return 0, errors.New("want a size such as 16GB")
	}
	return int64(bytes), nil
}

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
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		return fmt.Errorf("%s is too large", text)
	}
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

// IsBundle reports whether an argument is the path of a bundle.
func IsBundle(arg string) bool { return strings.HasSuffix(arg, ".zip") }

// BundleOf returns the path if the only argument is one of a bundle, "" if none is.
func BundleOf(args []string) (file string, err error) {
	i := slices.IndexFunc(args, IsBundle)
	if i < 0 {
		return "", nil
	}
	if len(args) > 1 {
		return "", fmt.Errorf("%s is taken whole; leave out %s", args[i], strings.Join(slices.Delete(slices.Clone(args), i, i+1), " "))
	}
	return args[i], nil
}

// A Bundle is a bundle with its experiments laid out and judged, in its order.
type Bundle struct {
	*bundles.Bundle
	Specs []*experiments.Spec
	Cases []claims.Case
}

// ReadBundle reads a bundle and lays out its experiments. The files that their specs name are relative to dir.
func ReadBundle(path, dir string) (*Bundle, error) {
	read, err := bundles.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; %s makes one", path, printed.Command("bundle"))
	}
	if err != nil {
		return nil, err
	}
	b, recs := &Bundle{Bundle: read}, read.Store().Records
	for _, e := range b.Experiments {
		spec, err := Layout(e, dir)
		if other := b.Program.Other(); err != nil && other != "" {
			err = fmt.Errorf("%w; %s", err, other)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		b.Specs, b.Cases = append(b.Specs, spec), append(b.Cases, claims.Judge(spec.Experiment(), recs))
	}
	return b, nil
}

// Layout lays out an experiment of a bundle. The files that its spec names are relative to dir.
func Layout(e bundles.Experiment, dir string) (*experiments.Spec, error) {
	spec, err := catalog.LoadText(filepath.Join(dir, e.File), e.Text, experiments.LoadOptions{Profile: e.Profile, Set: e.Set, Methods: e.Methods, Seeds: e.Seeds})
	if err == nil && spec.ID != e.ID {
		err = fmt.Errorf("the spec of %s is that of %s; get another copy of the bundle", e.ID, spec.ID)
	}
	return spec, err
}
