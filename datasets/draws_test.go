package datasets

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// The rows to which principal components are fitted are drawn with the seed of the data.
func TestRowsOfPCAAreDrawnWithTheSeed(t *testing.T) {
	x, s := compute.NewMatrix(40, 3), compute.NewStream(1, "test", 0)
	for i := range x.Data {
		x.Data[i] = s.Normal()
	}
	first := func(seed uint64) []float64 {
		steps, err := Options{PCA: 1, PCARows: 8, Seed: seed}.fit(t.Context(), transforms.InMemory{X: x, Y: compute.NewMatrix(40, 1)})
		require.NoError(t, err)
		out := compute.NewMatrix(40, 1)
		steps[0].Apply(out, x, compute.NewEngine(compute.Options{Threads: 1}))
		return out.Data
	}
	assert.Equal(t, first(1), first(1))
	assert.NotEqual(t, first(1), first(2))
}

// A download is cancelled where fewer bytes came in a window than the least rate lets come in so long.
func TestTheLeastRateIsThatOfAWindow(t *testing.T) {
	for _, window := range []time.Duration{100 * time.Millisecond, 10 * time.Second} {
		for _, share := range []float64{0.9, 1.1} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				b := &incoming{transfer: &transfer{lib: &Library{window: window}}, ctx: ctx}
				go b.watch(cancel)
				for range 3 {
					b.came.Add(int64(share * minRate * window.Seconds()))
					time.Sleep(window)
					synctest.Wait()
				}
				assert.Equal(t, share < 1, context.Cause(ctx) != nil, "%v of the least in %v: %v", share, window, context.Cause(ctx))
				time.Sleep(window)
				synctest.Wait()
				assert.Error(t, context.Cause(ctx), "nothing came in the last window")
			})
		}
	}
}
