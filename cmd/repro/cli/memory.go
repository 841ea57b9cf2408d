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
)

// memory returns the bytes that programs may have here, of the machine or of the container, and those that they can
// still get.
func memory() (total, free float64, ok bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var key string
		var kB float64
		if n, _ := fmt.Sscan(s.Text(), &key, &kB); n != 2 {
			continue
		}
		switch key {
		case "MemTotal:":
			total = 1024 * kB
		case "MemAvailable:":
			free = 1024 * kB
		}
	}
	if limit, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if bytes, err := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64); err == nil && bytes < total { // "max" is no number
			total, free = bytes, min(free, bytes)
		}
	}
	return total, free, total > 0 && free > 0
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

// refuse returns an error for cells to run that need more memory than there is.
func (a *app) refuse(plan []planned) error {
	bound, whose := a.memoryBound()
	var errs []error
	told := map[string]bool{}
	for _, p := range plan {
		if p.State == stateComplete || p.Bytes == nil || *p.Bytes <= bound || told[p.Experiment] {
			continue
		}
		if here, _ := a.library().Ready(p.cell.Data(), p.cell.Spec.Dir()); !here {
			continue // run skips it
		}
		told[p.Experiment] = true
		errs = append(errs, fmt.Errorf("%s: method %s needs %s of memory, and %s %s: lower data.train, or the size of the method (batch, features, landmarks, ...), or leave it out with --method",
			p.Experiment, p.Method, byteSize(*p.Bytes), whose, byteSize(bound)))
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
