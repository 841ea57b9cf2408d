package cli

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
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
