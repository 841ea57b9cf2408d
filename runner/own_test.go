package runner

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/results/records"
)

var _ = algos.Register[*noisyQuadratic]("test-own", "gradient descent on x²/2 with noisy gradients", func() algos.Algorithm { return &ownDescent{Gamma: 0.5} })

// ownDescent goes from 1 to 0, the minimum. What it reports can be spoilt.
type ownDescent struct {
	Gamma float64 `toml:"gamma" doc:"step size"`
	Spoil string  `toml:"spoil" doc:"what its report is spoilt with"`
	After int     `toml:"after" doc:"the step from which it is"`
}

type noisyQuadratic struct {
	X float64
	T int

	a    *ownDescent
	seed uint64
}

func (*ownDescent) Own() {}

func (a *ownDescent) Start(p *algos.Problem) (algos.Fit, error) {
	return &noisyQuadratic{X: 1, a: a, seed: p.Seed}, nil
}

func (f *noisyQuadratic) Step() (algos.Progress, error) {
	f.T++
	noise := rand.New(rand.NewPCG(f.seed, uint64(f.T))).NormFloat64()
	f.X -= f.a.Gamma / float64(f.T) * (f.X + noise)
	return algos.Progress{}, nil
}

func (*noisyQuadratic) Model() algos.Model { return nil }
func (f *noisyQuadratic) State() any       { return f }

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
	case "more": // which nobody measures
		r["more"] = math.NaN()
	}
	return r
}

const own = `
schema = 1
paper = "mine"
title = "a problem of its own"
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

func TestOwnProblem(t *testing.T) {
	out, s := t.TempDir(), spec(t, own)
	execute(t, s, Options{Out: out})
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
		"more":    {records.Budget, "100 steps"},
	} {
		out, s := t.TempDir(), spec(t, own, `method.gd.spoil="`+spoil+`"`, "method.gd.after=5", "repeat.seeds=1", "evaluate={at = [1, 5, 6]}")
		execute(t, s, Options{Out: out})
		r := record(t, out, s, "gd-seed1")
		assert.Equal(t, want.status, r.Status(), spoil)
		assert.Equal(t, want.reason, r.End.Reason, spoil)
	}
}
