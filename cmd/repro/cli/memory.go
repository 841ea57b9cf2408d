package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
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

// refuse returns an error for cells to run that need more memory than there is.
func (a *app) refuse(plan []planned) error {
	total, _, ok := memory()
	if !ok {
		return nil
	}
	var errs []error
	told := map[string]bool{}
	for _, p := range plan {
		if p.State == stateComplete || p.Bytes == nil || *p.Bytes <= total || told[p.Experiment] {
			continue
		}
		if here, _ := a.library().Ready(p.cell.Data(), p.cell.Spec.Dir()); !here {
			continue // run skips it
		}
		told[p.Experiment] = true
		errs = append(errs, fmt.Errorf("%s: method %s needs %s of memory, and this machine has %s: lower data.train, or the size of the method (batch, features, landmarks, ...), or leave it out with --method",
			p.Experiment, p.Method, byteSize(*p.Bytes), byteSize(total)))
	}
	return errors.Join(errs...)
}
