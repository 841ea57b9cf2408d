package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
	"repro/runner/programs"
)

var _ = algos.Register[*noisyQuadratic]("test-own", "gradient descent on x²/2 with noisy gradients", func() algos.Algorithm { return &ownDescent{Gamma: 0.5} })

// ownDescent goes from 1 to 0, the minimum. What it reports can be spoilt.
type ownDescent struct {
	Gamma float64 `toml:"gamma" doc:"step size"`
	Spoil string  `toml:"spoil" doc:"what its report is spoilt with"`
	After int     `toml:"after" doc:"the step from which it is"`
}

type noisyQuadratic struct {
	quadraticState
	a    *ownDescent
	seed uint64
}

type quadraticState struct {
	X float64
	T int
}

func (*ownDescent) Traits() algos.Traits { return algos.Traits{Own: true} }

func (a *ownDescent) Start(p *algos.Problem) (algos.Fit, error) {
	return &noisyQuadratic{quadraticState{X: 1}, a, p.Seed}, nil
}

func (f *noisyQuadratic) Step() (algos.Progress, error) {
	f.T++
	noise := rand.New(rand.NewPCG(f.seed, uint64(f.T))).NormFloat64()
	f.X -= f.a.Gamma / float64(f.T) * (f.X + noise)
	return algos.Progress{}, nil
}

func (*noisyQuadratic) Model() algos.Model { return nil }
func (f *noisyQuadratic) State() any       { return &f.quadraticState }

func (f *noisyQuadratic) Report() map[string]float64 {
	r := map[string]float64{"gap": f.X * f.X / 2, "more": 1}
	if f.T < f.a.After {
		return r
	}
	switch f.a.Spoil {
	case "NaN":
		r["gap"] = math.NaN()
	case "Inf":
		r["gap"] = math.Inf(1)
	case "missing":
		delete(r, "gap")
	case "nothing":
		return nil
	case "huge":
		r["gap"] = 1e306
	case "panic":
		panic("no report")
	case "more": // which nobody measures
		r["more"] = math.NaN()
	}
	return r
}

// Err implements algos.Failer.
func (f *noisyQuadratic) Err() error {
	switch {
	case f.T < f.a.After:
	case f.a.Spoil == "error":
		return errors.New("the solver is gone")
	case f.a.Spoil == "late":
		return fmt.Errorf("the solver is slow: %w", programs.ErrTimeout)
	case f.a.Spoil == "far":
		return fmt.Errorf("the solver is far away: %w", algos.ErrDiverged)
	}
	return nil
}

const own = `
problem.kind = "own"
budget.steps = 100
repeat.seeds = 3
[[metric]]
name = "gap"
words = "objective minus its minimum"
[[method]]
id = "gd"
algorithm = "test-own"
gamma = 1.0
`

func TestOwnLaws(t *testing.T) { algostest.Laws(t, &ownDescent{Gamma: 0.5}) }

func TestOwnProblem(t *testing.T) {
	s := spec(t, own)
	out := ran(t, s, Options{})
	first, second := record(t, out, s, "gd-seed1"), record(t, out, s, "gd-seed2")
	for _, r := range []*records.Record{first, second} {
		assert.Equal(t, records.Budget, r.Status())
		last := r.Points[len(r.Points)-1]
		assert.Zero(t, last.Epoch)
		assert.Less(t, *last.Values["gap"], 0.1, "descends")
		assert.Len(t, last.Values, 1)
	}
	assert.NotEqual(t, first.Points[9].Values, second.Points[9].Values, "the seed counts")
}

func TestSpoiltReports(t *testing.T) {
	t.Parallel()
	for spoil, want := range map[string]struct {
		status records.Status
		reason string
	}{
		"NaN":     {records.Diverged, "gap after step 5 is not a finite number"},
		"Inf":     {records.Diverged, "gap after step 5 is not a finite number"},
		"missing": {records.Failed, "metric gap: the method does not report it, but more, nothing else; correct the name, or name the methods that do in evaluate.metrics"},
		"nothing": {records.Failed, "metric gap: the method does not report it, but nothing else; correct the name, or name the methods that do in evaluate.metrics"},
		"huge":    {records.Budget, "100 steps"},
		"error":   {records.Failed, "the solver is gone"},
		"late":    {records.Timeout, "the solver is slow: " + programs.ErrTimeout.Error()},
		"far":     {records.Diverged, "the solver is far away: " + algos.ErrDiverged.Error()},
		"more":    {records.Budget, "100 steps"},
	} {
		s := spec(t, own, `method.gd.spoil="`+spoil+`"`, "method.gd.after=5", "repeat.seeds=1", "evaluate={at = [1, 5, 6]}")
		out := ran(t, s, Options{})
		r := record(t, out, s, "gd-seed1")
		assert.Equal(t, want.status, r.Status(), spoil)
		assert.Equal(t, want.reason, r.End.Reason, spoil)
	}
}

// A counted fit counts how often it is closed.
type counted struct {
	*noisyQuadratic
	closed *atomic.Int64
	badly  bool
}

func (c counted) Close() error {
	if c.closed.Add(1); c.badly {
		panic("it does not close")
	}
	return errors.New("it was open already")
}

func TestFitsAreClosedOnce(t *testing.T) {
	t.Parallel()
	for _, spoil := range []string{"", "NaN", "missing", "panic", "error", "far", "cancel", "badly"} {
		t.Run(spoil, func(t *testing.T) {
			var closed atomic.Int64
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var warned []string
			s := spec(t, own, "repeat.seeds=1", "method.gd.after=5", `method.gd.spoil="`+spoil+`"`, "budget.steps=100000")
			_, err := Run(ctx, s.Expand(), Options{Out: t.TempDir(), Library: datasets.NewLibrary(),
				Start: func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
					f, err := c.Method.Configured.Start(p)
					if spoil == "cancel" {
						cancel()
					}
					return counted{f.(*noisyQuadratic), &closed, spoil == "badly"}, err
				},
				Observe: func(e Event) {
					if e.Kind == Warned {
						warned = append(warned, e.Reason)
					}
				}})
			assert.Equal(t, spoil == "cancel", errors.Is(err, context.Canceled))
			assert.EqualValues(t, 1, closed.Load())
			if spoil == "badly" {
				assert.Equal(t, []string{"panic while it was closed: it does not close"}, warned)
			} else {
				assert.Equal(t, []string{"could not be closed: it was open already"}, warned)
			}
		})
	}
}
