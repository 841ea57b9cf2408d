package algos

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// predictions returns running predictions of a fit after step 0.
func predictions(f Fit, points int) Predictions {
	p := Predictions{Last: compute.NewMatrix(points, 2)}
	if a, ok := f.(Averager); ok && a.Average() != nil {
		p.Average = compute.NewMatrix(points, 2)
	}
	return p
}

func (p Predictions) clone() Predictions { return Predictions{p.Last.Clone(), p.Average.Clone()} }

// mustPredict compares running predictions with those of the models, relative to their size. Both
// sum a hundred terms in different orders: 1e-10 leaves them a million roundings.
func mustPredict(t *testing.T, f Fit, x compute.Matrix, p Predictions) {
	t.Helper()
	compare := func(m Model, got compute.Matrix) {
		t.Helper()
		want := m.Predict(x)
		for i, v := range want.Data {
			require.InDelta(t, v, got.Data[i], 1e-10*(1+math.Abs(v)))
		}
	}
	compare(f.Model(), p.Last)
	if p.Average.Rows > 0 {
		compare(f.(Averager).Average(), p.Average)
	}
}

// TestAdvance runs the law of Incremental on every method that is: predictions advanced from any
// step, at once or through others, are those of the model. Step sizes γν < 1, γ_tν = 1/t, whose
// first factor 1 - γν is 0, and γν = 1, whose factors all are.
func TestAdvance(t *testing.T) {
	at := []int{0, 1, 2, 5, 9, 10, 17, 30}
	shrinks := map[string]schedules.Schedule{
		"constant": &schedules.Constant{Gamma0: 0.5},
		"theta":    &schedules.Theta{Theta: 8},
		"forget":   &schedules.Constant{Gamma0: 8},
	}
	for _, name := range Names() {
		for _, loss := range losses.Names() {
			for shrink, schedule := range shrinks {
				for _, average := range []bool{false, true} {
					p := problem(lawPoints, named(t, loss))
					require.Equal(t, 0.125, p.Nu, "γν = 1 for γ = 8")
					a := configured(t, name, map[string]any{"batch": 4, "block": 3, "features": 16, "landmarks": 16, "directions": 5, "average": average, "step": schedule})
					f, _, err := startAny(a, p)
					if errors.Is(err, ErrUnsupported) {
						continue
					}
					require.NoError(t, err)
					inc, ok := f.(Incremental)
					if !ok {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/average=%v", name, loss, shrink, average), func(t *testing.T) {
						x := queries(3)
						chained := predictions(f, x.Rows)
						var saved []Predictions
						for i, k := range at {
							if i > 0 {
								for range k - at[i-1] {
									if _, err := f.Step(); errors.Is(err, ErrDiverged) {
										return // γ = 8 is too much for exp: nothing is left to compare
									}
									require.NoError(t, err)
								}
								inc.Advance(at[i-1], x, chained)
							}
							if !chained.Last.Finite() {
								return
							}
							mustPredict(t, f, x, chained)
							for j, old := range saved {
								p := old.clone()
								inc.Advance(at[j], x, p)
								mustPredict(t, f, x, p)
							}
							saved = append(saved, chained.clone())
							inc.Advance(k, x, chained)
							assert.Equal(t, saved[i], chained.clone(), "no step, no change")
						}
						assert.Equal(t, queries(3), x)
					})
				}
			}
		}
	}
}

// TestAdvanceWithoutNewTerms has steps at which the hinge adds no term to NORMA's expansion: the older
// terms still shrink and the average still moves.
func TestAdvanceWithoutNewTerms(t *testing.T) {
	p := problem(lawPoints, losses.Hinge{})
	p.Nu = 1e-3
	f := start(t, &NORMA{Batch: 1, Step: &schedules.Constant{Gamma0: 3}, Average: true}, p).(*norma)
	x := queries(3)
	running := predictions(f, x.Rows)
	idle := 0
	for k := range 5 * lawPoints {
		before := f.terms(k)
		steps(t, f, 1)
		if f.terms(k+1) == before {
			idle++
		}
		f.Advance(k, x, running)
	}
	assert.Greater(t, idle, lawPoints, "steps without a term")
	assert.Equal(t, len(f.Rows), f.terms(f.T))
	assert.Less(t, len(f.Rows), 5*lawPoints, "examples with l' = 0 add none")
	mustPredict(t, f, x, running)
}
