package datasets

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"

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

// MachineMemory returns the memory of this machine or, if that is less, of the container; 64 GiB and false where neither is
// known.
func MachineMemory() (bytes int64, known bool) {
	bytes = 64 << 30
	for _, limit := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := limit(); err == nil && n > 0 && n < math.MaxInt64 && (!known || int64(n) < bytes) {
			bytes, known = int64(n), true
		}
	}
	return bytes, known
}

// FreeMemory returns how much of the memory of this machine or container programs can still get; 0 if nobody knows.
func FreeMemory() (bytes float64) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	total, _ := MachineMemory()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kB float64
		if n, _ := fmt.Sscanf(s.Text(), "MemAvailable: %g kB", &kB); n == 1 {
			bytes = min(1024*kB, float64(total))
		}
	}
	return bytes
}

// machineMemory is MachineMemory, asked for once.
var machineMemory = sync.OnceValue(func() int64 {
	bytes, _ := MachineMemory()
	return bytes
})

// Text has few of the numbers of its matrix if it leaves out zeros. A matrix of more than sparseFree bytes may have
// sparseFactor times the bytes of its text, unless the spec states the number of columns.
const (
	sparseFree   = 64 << 20
	sparseFactor = 4096
)

// fits returns an error if a matrix of the given rows and columns, beside what is held already, is more than memory has,
// or more than the text that was read accounts for. The first row that needs all columns is number widest, from 1.
func (in *Input) fits(rows, columns, widest int) error {
	n, ok := formats.Product(rows, columns, 8)
	shape := fmt.Sprintf("%d rows × %d columns", rows, columns)
	if ok {
		shape += ", " + formats.Size(n)
	}
	sparse := in.Format == "libsvm" && in.dims == 0
	where := in.Path
	if sparse {
		where = fmt.Sprintf("%s:%d: index %d", in.Path, widest, columns)
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
