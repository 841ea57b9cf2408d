package compute

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"repro/algos/compute/internal/simd"
)

// ISA returns the instruction set in use: "avx512", "avx2" or "generic". The environment variable
// REPRO_CPU forces one that the processor has.
func ISA() string { return simd.ISA() }

// Processor names the processor where the system tells it cheaply, else its architecture.
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
