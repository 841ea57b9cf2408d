package cli

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
	"repro/experiments"
	"repro/runner"
)

// memory returns the bytes that programs may have here, of the machine or of the container, and those that they can still
// get, 0 if nobody knows.
func memory() (total, free float64, ok bool) {
	bytes, ok := datasets.MachineMemory()
	total = float64(bytes)
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return total, 0, ok
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kB float64
		if n, _ := fmt.Sscanf(s.Text(), "MemAvailable: %g kB", &kB); n == 1 {
			free = min(1024*kB, total)
		}
	}
	return total, free, ok
}

// memoryBound returns the bytes that a cell may need: those of --memory, else those of the machine or the container. It is
// +Inf if nobody knows.
func (a *app) memoryBound() (bytes float64, whose string) {
	if a.memory > 0 {
		return float64(a.memory), "--memory allows"
	}
	if total, _, ok := memory(); ok {
		return total, "this machine has"
	}
	return math.Inf(1), ""
}

// refuse returns an error for cells to run that need more memory than there is, each or side by side.
func (a *app) refuse(plan []planned) error {
	bound, whose := a.memoryBound()
	plan = slices.DeleteFunc(slices.Clone(plan), func(p planned) bool {
		here, _ := a.library().Ready(p.cell.Data(), p.cell.Spec.Dir())
		return !here // run skips them
	})
	var errs []error
	told := map[*experiments.Spec]bool{}
	for _, cells := range passes(plan) {
		for _, p := range cells {
			if p.State == stateComplete || p.Bytes == nil || runner.Peak(*p.Bytes) <= bound || told[p.cell.Spec] {
				continue
			}
			told[p.cell.Spec] = true
			errs = append(errs, fmt.Errorf("%s: method %s needs %s of memory, and %s %s: lower data.train, or the size of the method (batch, features, order, ...), or leave it out with --method",
				p.Experiment, p.Method, byteSize(runner.Peak(*p.Bytes)), whose, byteSize(bound)))
		}
		if together := a.bytesTogether(cells); len(errs) == 0 && together > bound {
			errs = append(errs, fmt.Errorf("%s: the cells that run side by side need %s of memory, and %s %s: run fewer at a time with --threads 1",
				cells[0].Experiment, byteSize(together), whose, byteSize(bound)))
		}
	}
	return errors.Join(errs...)
}

// A sizeFlag is the value of a flag that is a number of bytes with a unit, such as 16GB.
type sizeFlag int64

func (s *sizeFlag) Type() string   { return "size" }
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
