package runner

import (
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
)

// A cell that takes the kernel matrix of another one takes its seconds, too: which method is measured first makes no difference.
func TestSecondsOfABorrowedMatrix(t *testing.T) {
	s := spec(t, head+"timed = true\n[[method]]\nid = \"a\"\nalgorithm = \"krr\"\n[[method]]\nid = \"b\"\nalgorithm = \"pegasos\"\n", "repeat.seeds=1", "memory=1.0")
	const took = 200 * time.Millisecond
	out, evaluated := t.TempDir(), 0
	execute(t, s, Options{Out: out, Threads: 1, Start: func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
		x, _ := p.Dense()
		p.Keep(algos.KeepTraining, func() compute.Operator {
			evaluated++
			time.Sleep(took)
			return p.Engine.Store(p.Engine.Kernel(p.Kernel, x, x))
		})
		return c.Method.Configured.Start(p)
	}})
	assert.Equal(t, 1, evaluated)
	for _, cell := range []string{"a-seed1", "b-seed1"} {
		assert.GreaterOrEqual(t, record(t, out, s, cell).Points[0].Timing.Setup, took.Seconds(), cell)
	}
}

// What decides the numbers of a kernel matrix is in its key: cells that differ in it have a matrix each, and others share one.
func TestKeysOfMatrices(t *testing.T) {
	fixed := strings.NewReplacer(`, "exact-distance"`, "", `{ rule = "median", scale = 0.2 }`, "0.15").Replace(head)
	const methods = `
[[method]]
id = "gd-{id}"
algorithm = "gd"
budget = { steps = 9 }
each = [
  { id = "plain" },
  { id = "again" },
  { id = "wide", kernel = { name = "gaussian", bandwidth = 0.2 } },
  { id = "laplace", kernel = { name = "laplace", bandwidth = 0.15 } },
  { id = "fewer", data = { train = 300 } },
]
[[method]]
id = "exact"
algorithm = "krr"
`
	small, large := spec(t, fixed+methods, "precision=float32"), spec(t, fixed+methods, "precision=float32", "memory=0.5")
	large.File = small.File
	keys := map[string][]string{}
	for _, s := range []*experiments.Spec{small, large} {
		for _, c := range s.Expand() {
			i, err := newInstances(datasets.NewLibrary()).of(t.Context(), &c)
			require.NoError(t, err)
			x := &cellRun{log: log{run: new(run), cell: &c}, instance: i, engine: compute.NewEngine(compute.Options{MemoryBytes: 1 << 20})}
			made := 0
			for _, name := range []string{"k", "l", "k", "l"} {
				x.keep()(name, func() compute.Operator {
					made++
					return x.engine.Store(x.engine.Kernel(i.problem.Kernel, i.data.TestX, i.data.TestX))
				})
			}
			assert.Equal(t, 2, made, "one of each name")
			keys[x.run.matrices.key] = append(keys[x.run.matrices.key], c.Name)
		}
	}
	assert.Len(t, keys, 2*2*5, "two seeds, two limits of memory, and five of the six methods")
	for _, shared := range keys {
		if slices.Contains(shared, "gd-plain-seed1") {
			assert.Equal(t, []string{"gd-plain-seed1", "gd-again-seed1"}, shared)
		}
	}
}

// Large matrices leave less room for garbage, and a process is held to the memory of its plan: what the runtime counts of it, with the
// array that is never touched. A limit that is lower already stays.
func TestLimitsOfTheRuntime(t *testing.T) {
	AllowGarbage()
	restore := limitGarbage(100)
	assert.Equal(t, 2, debug.SetGCPercent(2), "percent, of 100 GiB")
	restore()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	for _, bytes := range []float64{1e12, 2e12} {
		HoldTo(bytes)
		assert.EqualValues(t, 1e12-uncounted+float64(len(AllowGarbage())), debug.SetMemoryLimit(-1))
	}
}
