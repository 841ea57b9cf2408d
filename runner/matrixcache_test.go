package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/compute"
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
