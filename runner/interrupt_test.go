package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/results/files"
	"repro/results/records"
)

// Whatever a cell does when the run is cancelled, the run returns. What the cell does goes on without it, and the cell is
// locked until that ends.
func TestACancelledRunReturnsAtOnce(t *testing.T) {
	s := spec(t, hazardous)
	for _, part := range []string{"start", "step", "predict", "state"} {
		t.Run(part, func(t *testing.T) {
			out := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				goOn := make(chan bool)
				var at time.Time
				during(t, func(name, p string, step int) {
					if name == "a" && p == part && (step == 0 || step > 5) && ctx.Err() == nil {
						at = time.Now()
						cancel()
						<-goOn
					}
				})
				_, w, err := watch(t, ctx, s, Options{Out: out, Threads: 1, Checkpoint: -1}) // the clock of the test stands still
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, 2*patience, time.Since(at))
				require.Len(t, w.reasons(Warned), 1)
				assert.Contains(t, w.reasons(Warned)[0], "a-seed1: stopped within a long computation; the next command ")
				_, err = files.NewLocker().Take(files.Path(out, locksFolder, s.ID, "a-seed1.lock"))
				require.ErrorIs(t, err, files.HeldError{By: "this process"})
				close(goOn)
			})
			assert.Equal(t, 2, execute(t, s, Options{Out: out}).Status[records.Budget], "the lock is free")
		})
	}
}

// A product that takes minutes ends with the run, and its goroutine too.
func TestACancelledRunStopsTheEngine(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const products = 1000
	made, ended := 0, make(chan bool)
	engines := make(chan *compute.Engine, 1)
	during(t, func(name, part string, step int) {
		if name == "a" && part == "step" && step == 3 {
			defer close(ended)
			e := <-engines
			a, b := compute.NewMatrix(4000, 4000), compute.NewMatrix(4000, 4000)
			cancel()
			for ; made < products; made++ {
				e.Gemm(b, 1, a, false, a, false, 0)
			}
		}
	})
	onStart = func(e *compute.Engine) {
		select {
		case engines <- e:
		default:
		}
	}
	defer func() { onStart = nil }()
	_, _, err := watch(t, ctx, s, Options{Out: out, Threads: 1})
	require.ErrorIs(t, err, context.Canceled)
	<-ended
	assert.Less(t, made, products, "the engine stops")
}
