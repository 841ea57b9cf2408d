package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// leapFit starts gradient descent with leaps. On 30 rows with one output those of the tests pay, and of 4 do not.
func leapFit(t *testing.T, p *algos.Problem) *gd {
	t.Helper()
	return algostest.Start(t, &GD{Step: &schedules.Constant{Gamma0: 2.5}, Subsample: 30, Leap: true}, p).(*gd)
}

// One leap is as many steps, from zero and from elsewhere, for powers of two and for others, with powers that are there
// already and anew; with a regulariser and with K stored in single precision.
func TestLeap(t *testing.T) {
	for _, precision := range []compute.Precision{compute.Float64, compute.Float32} {
		for _, nu := range []float64{0, 0.01} {
			p := algostest.Problem(30, losses.Square{})
			p.Nu, p.Engine = nu, compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
			f, g := leapFit(t, p), leapFit(t, p)
			for _, n := range []int{512, 640, 512, 1536, 512, 512, 1024, 640, 1280, 2560, 1023 << 3, 700} {
				require.Equal(t, []algos.Iterations{{Made: n, Progress: algos.Progress{Seen: 30 * n}}}, f.Leap(n))
				algostest.Steps(t, g, n)
				require.Equal(t, g.T, f.T)
				require.Equal(t, g.Seen, f.Seen)
				assert.InDeltaSlice(t, g.Alpha, f.Alpha, 1e-9, "%s ν = %g, %d", precision, nu, f.T)
			}
		}
	}
}

// A restored fit, which has none of the powers, leaps to the same bits.
func TestLeapOfRestoredFit(t *testing.T) {
	p := algostest.Problem(30, losses.Square{})
	f, g := leapFit(t, p), leapFit(t, p)
	leap := func(f *gd, n int) {
		t.Helper()
		require.NoError(t, f.Leap(n)[0].Err)
	}
	leap(f, 640)
	leap(f, 1280)
	algostest.Restore(t, g, algostest.Encode(t, f))
	leap(f, 5120)
	leap(g, 5120)
	assert.Equal(t, f.Alpha, g.Alpha)
}

// Where steps cost less than the powers, where K is not stored and without the setting, a leap is a step.
func TestLeapThatDoesNotPay(t *testing.T) {
	p := algostest.Problem(30, losses.Square{})
	without := algostest.Problem(30, losses.Square{})
	without.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: -1})
	for name, c := range map[string]struct {
		f algos.Fit
		n int
	}{
		"few":     {leapFit(t, p), 4},
		"one":     {leapFit(t, p), 1},
		"memory":  {leapFit(t, without), 1 << 20},
		"setting": {algostest.Start(t, &GD{Subsample: 30}, p), 1 << 20},
	} {
		i := c.f.(algos.Leaper).Leap(c.n)[0]
		require.NoError(t, i.Err, name)
		assert.Equal(t, 1, i.Made, name)
		assert.LessOrEqual(t, i.Progress.Seen, 30, name)
	}
}

func TestLeastLeap(t *testing.T) {
	// 10,000 rows, ten outputs: 11 squarings of half a product for 2,048 iterations, 55,000 ≤ 3·20,480, and 10
	// for 1,024, 50,000 > 30,720.
	assert.Equal(t, 2048, leastLeap(10_000, 10))
	assert.True(t, leapPays(2560, 10_000, 10)) // 5·2^9: 11 squarings and a factor
	assert.False(t, leapPays(1280, 10_000, 10))
	assert.False(t, leapPays(2047, 10_000, 10)) // 10 squarings and 10 factors
}

func TestLeapThatDiverges(t *testing.T) {
	f := algostest.Start(t, &GD{Leap: true, Subsample: 30, Step: constant(1e3)}, algostest.Problem(30, losses.Square{})).(*gd)
	i := f.Leap(1 << 12)[0]
	assert.Equal(t, 1<<12, i.Made)
	require.ErrorIs(t, i.Err, algos.ErrDiverged)
	assert.Zero(t, f.T)
}
