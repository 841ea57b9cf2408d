package datasets

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// memory returns the bytes that data may take.
func (l *Library) memory() int64 {
	if l.Memory > 0 {
		return l.Memory
	}
	return machineMemory()
}

// machineMemory returns the memory of this machine or, if that is less, of the container; 64 GiB where neither is known.
var machineMemory = sync.OnceValue(func() int64 {
	const unknown = 64 << 30
	total := int64(math.MaxInt64)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			var kB int64
			if n, _ := fmt.Sscanf(s.Text(), "MemTotal: %d kB", &kB); n == 1 {
				total = kB << 10
			}
		}
	}
	if limit, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil && n > 0 { // "max" is no number
			total = min(total, n)
		}
	}
	if total == math.MaxInt64 {
		return unknown
	}
	return total
})

// Text has few of the numbers of its matrix if it leaves out zeros. A matrix of more than sparseFree bytes may have
// sparseFactor times the bytes of its text, unless the spec states the number of columns.
const (
	sparseFree   = 64 << 20
	sparseFactor = 4096
)

// fits returns an error if a matrix of the given rows and columns, beside what is held already, is more than memory has,
// or more than the text that was read accounts for. The first row that needs all columns is number widest, from 1.
func (in *input) fits(rows, columns, widest int) error {
	n, ok := formats.Product(rows, columns, 8)
	shape := fmt.Sprintf("%d rows × %d columns", rows, columns)
	if ok {
		shape += ", " + formats.Size(n)
	}
	sparse := in.format == "libsvm" && in.dims == 0
	where := in.path
	if sparse {
		where = fmt.Sprintf("%s:%d: index %d", in.path, widest, columns)
	}
	switch err := transforms.Fits(rows, columns, in.limit()); {
	case err != nil && sparse:
		return formats.Faultf(formats.ErrFormat, "%s would make a matrix of %s, and data may take %s of memory: correct the index, or set train to use fewer rows", where, shape, formats.Size(in.limit()))
	case err != nil:
		return formats.Faultf(formats.ErrFormat, "%s: %w: use fewer rows or columns", where, err)
	case sparse && n > sparseFree && n/sparseFactor > in.passed:
		return formats.Faultf(formats.ErrFormat, "%s would make a matrix of %s, of a file of %s: correct the index, or state columns = %d in [data] if it is right", where, shape, formats.Size(in.passed), columns)
	}
	return nil
}
