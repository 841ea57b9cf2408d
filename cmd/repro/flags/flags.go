// Package flags has the flags that several commands have, and what follows from them: which experiments a command is about, which
// output folder, and what of the machine it may use.
package flags

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/cmd/repro/terminal"
	"repro/datasets"
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
	cmd.Flags().Func("memory", "memory that a cell may need, a `size` such as 16GB; more is refused; if left out, that of the machine or container", func(s string) (err error) {
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
