package compute

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"repro/algos/compute/internal/simd"
)

// ISA returns the instruction set in use: "avx512", "avx2" or "generic". The environment variable REPRO_CPU selects
// one; it has no effect if the processor lacks it.
func ISA() string { return simd.ISA() }

// Processor returns the model name of the processor from /proc/cpuinfo, or GOARCH if there is none.
func Processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
