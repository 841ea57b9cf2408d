package methods

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/compute/computetest"
	"repro/algos/losses"
)

// TestEveryMethodOnTheReferenceDevice compares predictions and counters after 40 steps with those of the host, whether there is
// memory for stored matrices or none. Predictions agree to a hundred thousand roundings of the largest.
func TestEveryMethodOnTheReferenceDevice(t *testing.T) {
	const n, steps, tolerance = 40, 40, 1e-11
	settings := map[string]any{"features": 30, "landmarks": 10, "centres": 10, "rank": 6, "directions": 3, "batch": 4, "block": 10, "subsample": 20}
	for _, name := range algos.Names() {
		for _, memory := range []int64{0, -1} {
			run := func(device func(host compute.Device) compute.Device) (compute.Matrix, compute.Counters, error) {
				p := algostest.Problem(n, losses.Square{})
				p.Engine = compute.NewEngine(compute.Options{Device: device, Threads: 1, MemoryBytes: memory})
				f, p, err := algostest.StartAny(configured(t, name, settings), p)
				if err != nil {
					return compute.Matrix{}, compute.Counters{}, err
				}
				defer algos.Close(f)
				for range steps {
					progress, err := f.Step()
					if err != nil || progress.Done {
						break
					}
				}
				if f.Model() == nil {
					return compute.Matrix{}, p.Engine.Counters(), nil
				}
				return f.Model().Predict(algostest.Queries(3)), p.Engine.Counters(), nil
			}
			want, cost, err := run(nil)
			if errors.Is(err, algos.ErrUnsupported) {
				continue
			}
			require.NoError(t, err, name)
			got, counted, err := run(computetest.Reference)
			require.NoError(t, err, name)
			assert.Equal(t, cost, counted, name)
			largest := 0.0
			for _, v := range want.Data {
				largest = max(largest, math.Abs(v))
			}
			require.Len(t, got.Data, len(want.Data))
			worst := 0.0
			for i, v := range want.Data {
				worst = max(worst, math.Abs(got.Data[i]-v))
			}
			t.Logf("%s, memory %d: %d predictions up to %.3g differ by at most %.2g", name, memory, len(want.Data), largest, worst)
			assert.LessOrEqual(t, worst, tolerance*largest, "%s, memory %d", name, memory)
		}
	}
}
