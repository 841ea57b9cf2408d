package changes

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// shifted compares two sets of records in all layers.
func shifted(base, now []*records.Record) []Shift {
	exp := demo()
	all := Shifts(exp, Take(exp, base), Take(exp, now), Options{})
	DecideShifts(all)
	return all
}

// found returns the shift of a layer, and an empty one if there is none.
func found[P CurvePart | Layer](all []Shift, part P) Shift {
	i := slices.IndexFunc(all, func(s Shift) bool { return s.about() == string(part) })
	if i < 0 {
		return Shift{}
	}
	return all[i]
}

// each returns copies of records with every value changed.
func each(recs []*records.Record, change func(seed uint64, k int, v float64) float64) []*records.Record {
	var all []*records.Record
	for _, r := range recs {
		c := *r
		c.Points = slices.Clone(r.Points)
		for k, p := range r.Points {
			c.Points[k].Values = map[string]*float64{"error": records.Value(change(r.Header.Seed, k, *p.Values["error"]))}
		}
		all = append(all, &c)
	}
	return all
}

func TestLevelAndShape(t *testing.T) {
	recs := curves("a", 1, 10, -1, 0.3, generator(1))
	noise := generator(2)
	moved := func(by func(k int) float64) []Shift {
		return shifted(recs, each(recs, func(_ uint64, k int, v float64) float64 { return v * by(k) * math.Exp(0.01*noise.NormFloat64()) }))
	}
	t.Run("a constant factor is a level", func(t *testing.T) {
		all := moved(func(int) float64 { return 1.3 })
		level := found(all, OfLevel)
		assert.Equal(t, records.Worse, detail(level), level.Reason)
		// 10 seeds and 8 places with a deviation of 0.01.
		assert.InDelta(t, 1.3, *level.Size, 4*1.3*0.01/math.Sqrt(80))
		assert.True(t, *level.Low < 1.3 && 1.3 < *level.High)
		assert.Equal(t, records.Same, detail(found(all, OfShape)), "no shape is left")
	})
	t.Run("a smaller error is an improvement", func(t *testing.T) {
		assert.Equal(t, records.Better, detail(found(moved(func(int) float64 { return 0.7 }), OfLevel)))
	})
	t.Run("a slope is a shape", func(t *testing.T) {
		all := moved(func(k int) float64 { return math.Pow(1.05, float64(k)-3.5) }) // mean 1
		assert.Equal(t, records.Same, detail(found(all, OfLevel)))
		shape := found(all, OfShape)
		assert.Equal(t, records.Worse, detail(shape), shape.Reason)
		assert.Contains(t, []int{1, -1}, shape.Step, "farthest at one end: %s", shape.Reason)
	})
	t.Run("a certain change within the margin is a warning", func(t *testing.T) {
		level := found(moved(func(int) float64 { return 1.015 }), OfLevel)
		assert.Equal(t, isMoved, detail(level), level.Reason)
		assert.False(t, level.Fails(FailsOn()))
		assert.True(t, level.Fails([]string{OnMoved}))
	})
	t.Run("noise is neither", func(t *testing.T) {
		for _, s := range moved(func(int) float64 { return 1 }) {
			if s.Part != OfBits {
				assert.Equal(t, records.Same, detail(s), s.Reason)
			}
		}
	})
}

func TestEqualBitsAndRoundingHaveNoShift(t *testing.T) {
	recs := curves("a", 1, 10, -1, 0.3, generator(1))
	assert.Empty(t, shifted(recs, scale(recs, func(int) float64 { return 1 })))
	assert.Empty(t, shifted(recs, scale(recs, func(k int) float64 { return 1 + 1e-9*float64(k) })))
	assert.NotEmpty(t, shifted(recs, scale(recs, func(k int) float64 { return 1 + 1e-4 })))
}

// Values that have no logarithm, or none that says anything.
func TestSmallZeroAndSignedValues(t *testing.T) {
	make := func(value func(seed uint64, k int) float64) []*records.Record {
		var all []*records.Record
		for seed := range uint64(10) {
			var values []float64
			for k := range 6 {
				values = append(values, value(seed, k))
			}
			all = append(all, recordstest.Record("a", seed+1, values...))
		}
		return all
	}
	r := generator(5)
	converged := func(float64) float64 { return 1e-17 * math.Exp(r.NormFloat64()) }
	t.Run("rounding errors of a converged method", func(t *testing.T) {
		of := func() []*records.Record {
			return make(func(seed uint64, k int) float64 {
				if k < 3 {
					return 1 + 0.01*float64(seed)
				}
				return converged(0)
			})
		}
		assert.Empty(t, shifted(of(), of()))
	})
	t.Run("rounding errors in single precision", func(t *testing.T) {
		of := func(precision string) []*records.Record {
			recs := make(func(seed uint64, k int) float64 { return math.Max(math.Pow(0.01, float64(k)), converged(0)*1e10) })
			for _, rec := range recs {
				rec.Header.Provenance.Precision = precision
			}
			return recs
		}
		assert.Empty(t, shifted(of("float32"), of("float32")))
		assert.NotEmpty(t, shifted(of("float64"), of("float64")))
	})
	t.Run("it no longer converges", func(t *testing.T) {
		was := make(func(seed uint64, k int) float64 { return math.Max(math.Pow(0.01, float64(k)*3), converged(0)) })
		is := make(func(seed uint64, k int) float64 { return math.Pow(0.5, float64(k)*3) })
		assert.Equal(t, records.Worse, detail(found(shifted(was, is), OfLevel)))
	})
	t.Run("a metric of both signs", func(t *testing.T) {
		of := func(at float64) []*records.Record {
			return make(func(uint64, int) float64 { return at + r.NormFloat64() })
		}
		was := of(0.5)
		level := found(shifted(was, of(3)), OfLevel)
		assert.True(t, level.Share)
		assert.Equal(t, records.Worse, detail(level), level.Reason)
		assert.Equal(t, records.Same, detail(found(shifted(was, of(0.5)), OfLevel)))
	})
	t.Run("zero on all seeds", func(t *testing.T) {
		zero := make(func(uint64, int) float64 { return 0 })
		assert.Empty(t, shifted(zero, zero))
		assert.Equal(t, records.Worse, detail(found(shifted(zero, make(func(seed uint64, k int) float64 { return 0.1 + 0.01*float64(seed) })), OfLevel)))
	})
	t.Run("a share that is zero at a place on one side", func(t *testing.T) {
		of := func(last float64) []*records.Record {
			return make(func(seed uint64, k int) float64 {
				switch {
				case k == 5:
					return last * r.Float64()
				case int(seed) == k:
					return 0 // on one seed: the scale is linear
				}
				return 1 + 0.1*r.Float64()
			})
		}
		for _, sides := range [][2]float64{{0, 1e-3}, {1e-3, 0}} {
			all := shifted(of(sides[0]), of(sides[1]))
			assert.InDelta(t, 0, *found(all, OfLevel).Size, 2.0/6, "it counts as one of six places")
		}
	})
	for _, scale := range []float64{1e306, 1e-306, 5e-324} {
		t.Run(fmt.Sprint("of the size ", scale), func(t *testing.T) {
			huge := make(func(seed uint64, k int) float64 { return scale * float64(10+seed) })
			for _, s := range shifted(huge, make(func(seed uint64, k int) float64 { return scale * float64(20+2*seed) })) {
				if s.Part == OfLevel {
					assert.Equal(t, records.Worse, detail(s), s.Reason)
					assert.InDelta(t, 2, *s.Size, 1e-3)
				}
			}
		})
	}
}

func TestEnds(t *testing.T) {
	recs := curves("a", 1, 10, -1, 0.1, generator(1))
	diverge := func(n uint64) []*records.Record {
		var all []*records.Record
		for _, r := range recs {
			c := *r
			if r.Header.Seed <= n {
				c.Points = slices.Clone(r.Points[:5])
				c.Points[4].Values = map[string]*float64{"error": nil}
				end := *r.End
				end.Status = records.Diverged
				c.End = &end
			}
			all = append(all, &c)
		}
		return all
	}
	assert.Equal(t, records.Worse, detail(found(shifted(recs, diverge(10)), OfEnds)))
	assert.Equal(t, records.Better, detail(found(shifted(diverge(10), recs), OfEnds)))
	assert.Equal(t, records.Same, detail(found(shifted(recs, diverge(2)), OfEnds)))
	assert.Empty(t, shifted(diverge(2), diverge(2)))
	// By hand: 10 of 10 against 0 of 10, on two sides.
	assert.InDelta(t, 2.0/184756, fisher(10, 0, 10), 1e-12)
	assert.InDelta(t, 2*40935.0/125970, fisher(5, 3, 10), 1e-12)
}

func TestOtherSteps(t *testing.T) {
	recs := curves("a", 1, 10, -1, 0.1, generator(1))
	var early []*records.Record
	for _, r := range recs {
		c := *r
		c.Points = slices.Clone(r.Points)
		for k := range c.Points[:7] {
			c.Points[k].Step = c.Points[k].Step*3 + 1 // not the accepted steps
		}
		c.Points[7].Step = 1000
		early = append(early, &c)
	}
	exp := demo()
	base, now := Take(exp, recs), Take(exp, early)
	now.Series = takeSeries(exp, early, base.Series)
	all := Shifts(exp, base, now, Options{})
	DecideShifts(all)
	assert.Equal(t, records.Worse, detail(found(all, OfSteps)))
	now.Series = nil
	assert.Contains(t, found(Shifts(exp, base, now, Options{}), OfSteps).Reason, "not measured any more")
}

func TestSameSeeds(t *testing.T) {
	recs := curves("a", 1, 20, 0, 1, generator(1))
	one := each(recs, func(seed uint64, k int, v float64) float64 { return *recs[seed%2].Points[k].Values["error"] })
	s := found(shifted(recs, one), OfSeeds)
	assert.Equal(t, records.Worse, detail(s))
	assert.Contains(t, s.Reason, "20 seeds have 2 sets of values only")
	assert.Empty(t, found(shifted(recs, curves("a", 1, 20, 0, 1, generator(9))), OfSeeds))
}

func TestWork(t *testing.T) {
	recs := curves("a", 1, 10, -1, 0.1, generator(1))
	count := func(of func(seed uint64) int64) []*records.Record {
		all := scale(recs, func(int) float64 { return 1 })
		for _, r := range all {
			for k := range r.Points {
				r.Points[k].Counters = records.Counters{KernelEvals: of(r.Header.Seed), Flops: 1000}
			}
		}
		return all
	}
	was := count(func(uint64) int64 { return 300 })
	for _, test := range []struct {
		name string
		now  int64
		want records.Match
	}{
		{"a third more", 400, records.Worse}, {"a third less", 200, records.Better}, {"within the margin", 306, isMoved}, {"none", 0, records.Better},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := found(shifted(was, count(func(uint64) int64 { return test.now })), OfWork)
			assert.Equal(t, test.want, detail(s), s.Reason)
			assert.Equal(t, "kernel evaluations", s.Metric)
			assert.Equal(t, test.want == records.Worse, s.Fails(FailsOn()))
		})
	}
	assert.Equal(t, records.Worse, detail(found(shifted(count(func(uint64) int64 { return 0 }), was), OfWork)))
	assert.Equal(t, records.Worse, detail(found(shifted(was[:1], count(func(uint64) int64 { return 400 })[:1]), OfWork)), "one seed: a count is exact")
	// A count that depends on the data, of other random numbers.
	r := generator(3)
	random := func() []*records.Record { return count(func(uint64) int64 { return 300 + int64(30*r.NormFloat64()) }) }
	assert.NotEqual(t, records.Worse, detail(found(shifted(random(), count(func(uint64) int64 { return 400 })[:1]), OfWork)), "one seed of a count that the data decide")
	assert.Equal(t, records.Same, detail(found(shifted(random(), random()), OfWork)))
	failed := count(func(seed uint64) int64 { return 300 * int64(one(seed != 4)) })
	failed[3].End = &records.End{Status: records.Failed}
	assert.NotEqual(t, records.Worse, detail(found(shifted(failed[:4], was[:4]), OfWork)), "a run that failed did no work")
	// Runs that end at one of a few places: two seeds that both end one place later are no certainty, and ten with a count of their own are.
	places := func(later int) []*records.Record {
		return count(func(seed uint64) int64 { return 100 << (int(seed%2) + later) })
	}
	assert.NotEqual(t, records.Worse, detail(found(shifted(places(0)[:2], places(1)[:2]), OfWork)))
	own := func(by int64) []*records.Record {
		return count(func(seed uint64) int64 { return by * int64(300+17*seed) })
	}
	assert.Equal(t, records.Worse, detail(found(shifted(own(1), own(2)), OfWork)))
}

// Fresh seeds that do not show a change turn an alarm into a warning.
func TestFreshSeedsOfShifts(t *testing.T) {
	recs := curves("a", 1, 20, -1, 0.1, generator(1))
	known := map[uint64]bool{}
	for seed := range uint64(10) {
		known[seed+1] = true
	}
	exp := demo()
	state := func(fresh float64) records.Match {
		noise := generator(7)
		now := each(recs, func(seed uint64, _ int, v float64) float64 {
			if !known[seed] {
				return v * fresh * math.Exp(0.02*noise.NormFloat64())
			}
			return v * 3
		})
		all := Shifts(exp, Take(exp, recs), Take(exp, now), Options{Known: known})
		DecideShifts(all)
		return detail(found(all, OfLevel))
	}
	assert.Equal(t, records.Worse, state(3))
	assert.Equal(t, isMoved, state(1.01))
	for seed := range uint64(19) {
		known[seed+1] = true
	}
	assert.Equal(t, records.Worse, state(3), "one fresh seed alone says nothing")
}

// With lattice values and few seeds, equal differences are no certainty.
func TestFewSeedsKeepTheirWord(t *testing.T) {
	alarms, trials := 0, 4000
	random := rand.New(rand.NewPCG(8, 9))
	value := func() float64 { return 0.1 * float64(1+random.IntN(2)) }
	exp := demo()
	for range trials {
		var a, b []*records.Record
		for seed := range uint64(3) {
			a, b = append(a, recordstest.Record("a", seed+1, value())), append(b, recordstest.Record("a", seed+1, value()))
		}
		all := Shifts(exp, Take(exp, a), Take(exp, b), Options{})
		DecideShifts(all)
		for _, s := range all {
			if s.Fails(FailsOn()) {
				alarms++
			}
		}
	}
	// 4 standard deviations above the level.
	assert.LessOrEqual(t, float64(alarms), layerAlpha*float64(trials)+4*math.Sqrt(layerAlpha*float64(trials)))
}

func TestPackedKeepsAllExponents(t *testing.T) {
	want := Packed{0, 1, -2.5, math.Inf(1), 1e306, -1e-300, math.Pi, math.MaxFloat64, 5e-324, math.NaN()}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got Packed
	require.NoError(t, json.Unmarshal(text, &got))
	require.Len(t, got, len(want))
	for i, v := range want[:9] {
		if math.IsInf(v, 0) || v == 0 {
			assert.Equal(t, v, got[i])
		} else if math.Abs(v) > 1e-300 { // half a unit of the 20th bit
			assert.InEpsilon(t, v, got[i], 0x1p-20)
		}
	}
	assert.True(t, math.IsNaN(got[9]))
	assert.Equal(t, upper(math.MaxFloat64), upper(upper(math.MaxFloat64)))
	assert.False(t, math.IsInf(upper(math.MaxFloat64), 0), "a finite value stays finite")
	for _, wrong := range []string{`"?"`, `"AAA="`} {
		assert.Error(t, json.Unmarshal([]byte(wrong), &got), wrong)
	}
}

func TestSeriesAreThinnedAndKeepTheFirstSeeds(t *testing.T) {
	var recs []*records.Record
	for seed := range uint64(30) {
		recs = append(recs, recordstest.Record("a", seed+1, make([]float64, 40)...))
	}
	s := takeSeries(demo(), recs, nil)
	require.Len(t, s, 1)
	assert.Len(t, s[0].Seeds, seriesSeeds)
	assert.Equal(t, seriesPlaces, s[0].Places())
	require.NoError(t, s[0].Valid())
	s[0].Seeds = s[0].Seeds[1:]
	assert.ErrorContains(t, s[0].Valid(), "want one for each of 19 seeds")
	assert.Empty(t, takeSeries(demo(), nil, nil))
}

// FailsOn is what the help says, and nothing else is accepted.
func TestWhatAGateFailsOn(t *testing.T) {
	require.NoError(t, CheckFailsOn(append(FailsOn(), OnMoved)))
	assert.ErrorContains(t, CheckFailsOn([]string{"levels"}), `"levels"; want some of curves, work and moved`)
	bits := Shift{Layer: OfCurves, Part: OfBits, State: records.Same, Moved: true}
	assert.False(t, bits.Fails(FailsOn()))
	assert.True(t, bits.Fails([]string{OnMoved}))
	level := Shift{Layer: OfCurves, Part: OfLevel, State: records.Worse}
	assert.True(t, level.Fails(FailsOn()))
	assert.False(t, level.Fails([]string{"work", OnMoved}), "the user's policy accepts curves")
	assert.True(t, Shift{Layer: OfClaims, State: records.Worse}.Fails(nil))
}

// Equal bits whose number or verdict is another: what measures and judges changed.
func TestVerdictsOnEqualBits(t *testing.T) {
	exp := demo(rate)
	exp.Original.Settings = nil
	recs := curves("a", 1, 10, -1, 0.1, generator(1))
	for _, r := range recs[:4] {
		exp.Expected = append(exp.Expected, claims.Planned{Cell: r.Header.Cell, Method: "a"})
	}
	base, now := Take(exp, recs), Take(exp, recs[:4])
	require.Equal(t, PlanWord{now.Numbers[0].Word, 4}, base.Numbers[0].Plan, "the word on four seeds of ten")
	require.NotEmpty(t, now.Numbers[0].Word)
	assert.Empty(t, Shifts(exp, base, now, Options{}))

	older := base // of a version without them
	older.Numbers = slices.Clone(base.Numbers)
	older.Numbers[0].Plan, older.Series = PlanWord{}, nil
	next, err := Accept(exp, older, base, Compare(exp, older, base, Options{}), func(string) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, base.Numbers, next.Numbers)
	assert.Equal(t, base.Series, next.Series)

	flipped := now
	flipped.Numbers = slices.Clone(now.Numbers)
	flipped.Numbers[0].Word = "other"
	s := found(Shifts(exp, base, flipped, Options{}), OfClaims)
	assert.Equal(t, records.Worse, detail(s))
	assert.Contains(t, s.Reason, "is other: how it is measured or judged changed")
	assert.True(t, s.Fails(FailsOn()))

	next, err = Accept(exp, base, flipped, Compare(exp, base, flipped, Options{}), func(string) bool { return true })
	require.NoError(t, err)
	assert.Empty(t, Shifts(exp, next, flipped, Options{}), "it was accepted")

	base = now
	measured := now
	measured.Numbers = slices.Clone(now.Numbers)
	measured.Numbers[0].Values = slices.Clone(now.Numbers[0].Values)
	measured.Numbers[0].Values[2] += 0.01
	assert.Contains(t, found(Shifts(exp, base, measured, Options{}), OfClaims).Reason, "its number on seed 3 was")

	base = Take(exp, recs)
	five := Take(demo(rate), recs[:5])
	five.Numbers[0].Word = "other"
	five.Numbers[0].Values[0]++
	assert.Empty(t, Shifts(exp, base, five, Options{}), "neither verdict nor numbers on five seeds were accepted")
}

// Methods whose curves nobody accepted are told: those of an earlier version, and new ones, which no claim may need.
func TestBareMethods(t *testing.T) {
	now := Snapshot{Experiment: "p/x", Cells: Cells{{Method: "a"}, {Method: "new"}, {Method: "new", Seed: 1}}}
	base := Snapshot{Experiment: "p/x", Cells: Cells{{Method: "a"}, {Method: "b"}}, Series: []Series{{Method: "a"}}}
	assert.Equal(t, []string{"b"}, base.Bare(Snapshot{}))
	assert.Equal(t, []string{"b", "new"}, base.Bare(now))
	assert.Empty(t, Snapshot{}.Bare(now), "the experiment is new")
}

// A shape is the worst of several places: its error is that of all of them together, and so is its interval [Bonferroni].
func TestAShapeIsOneOfSeveralTests(t *testing.T) {
	const tests = 12
	e := stats.MeanInterval([]float64{0.031, 0.025, 0.04, 0.028, 0.035, 0.022, 0.036, 0.03})
	half := func(tests float64) float64 {
		return distuv.StudentsT{Sigma: 1, Nu: 7}.Quantile(1-0.025/tests) * e.SD / math.Sqrt(8)
	}
	one, all := pairing{}.shift(OfLevel, e, 0.02, 1), pairing{}.shift(OfShape, e, 0.02, tests)
	assert.InEpsilon(t, 2*stats.Beyond(e, 0.02), *one.P, 1e-12)
	assert.InEpsilon(t, 2*tests*stats.Beyond(e, 0.02), *all.P, 1e-12)
	assert.InEpsilon(t, 2*tests*stats.Beyond(e, 0), all.zero, 1e-12)
	for _, s := range []struct {
		Shift
		tests float64
	}{{one, 1}, {all, tests}} {
		assert.InEpsilon(t, e.Mean-half(s.tests), math.Log(*s.Low), 1e-9)
		assert.InEpsilon(t, e.Mean+half(s.tests), math.Log(*s.High), 1e-9)
	}
	assert.Equal(t, 1.0, *pairing{}.shift(OfShape, e, 0.03, tests).P)
}

// A difference of two numbers that are rounded to a step has the rounding errors of both.
func TestDifferencesOfRoundedNumbers(t *testing.T) {
	assert.InEpsilon(t, 0.01*math.Sqrt(2./12), estimate([]float64{0, 0, 0, 0}, 0.01).SD, 1e-12)
	assert.Zero(t, estimate([]float64{0, 0, 0, 0}, 0).SD)
}

// Values are as exact as the less exact of two runs.
func TestFloorOfTwoPrecisions(t *testing.T) {
	of := func(single bool) Series {
		return Series{Single: single, Seeds: []uint64{1, 2}, Steps: []int{1}, Values: Packed{1, 2, 1, 2}}
	}
	for _, was := range []bool{false, true} {
		for _, is := range []bool{false, true} {
			assert.Equal(t, records.FloorOf(was || is), pair(of(was), of(is), func(uint64) bool { return true }).floor)
		}
	}
}

// What the parts of a curve are held against: margins, and the steps to which their values are rounded.
func TestMarginsOfShifts(t *testing.T) {
	for step, values := range map[float64][]float64{0: {1, 2, 4}, 1: {1, 4, 1, 2, 8}, 2: {5, 1, 3, 1}} {
		assert.Equal(t, step, resolution(values), values)
	}
	assert.InDelta(t, math.Log1p(curveMargin), pairing{}.margin(nil), 1e-15)
	assert.InDelta(t, 0.5, pairing{share: true}.margin([]float64{1, 2, 3}), 1e-15, "half a standard deviation")

	still := pairing{places: []int{0, 1}, was: make([][]float64, 4), is: make([][]float64, 4), diffs: make([][]float64, 4), resolved: []float64{0.02, 0.02}}
	for i := range still.diffs {
		still.was[i], still.is[i], still.diffs[i] = []float64{1, 1}, []float64{1, 1}, []float64{0, 0}
	}
	zero := make([]float64, 4)
	assert.Equal(t, pairing{}.shift(OfLevel, estimate(zero, 0.01), 0, 1).High, still.level("smaller").High, "of a mean over two places")
	assert.Equal(t, pairing{}.shift(OfShape, estimate(zero, 0.02), 0, 2).High, still.shape().High)
	assert.InDelta(t, curveMargin, still.level("smaller").Margin, 1e-12)

	uneven := pairing{share: true, places: []int{0, 1}, resolved: []float64{0, 0}}
	for i := range 4 {
		d := 0.1 + 0.001*float64(i)
		uneven.was, uneven.diffs = append(uneven.was, []float64{float64(i), 1}), append(uneven.diffs, []float64{-d, d})
	}
	assert.InDelta(t, curveMargin, uneven.shape().Margin, 1e-12, "that of the place where it moved")

	rows := Series{Seeds: []uint64{1, 2}, Steps: []int{1}, Values: Packed{1, -1e-17, 2, 1e-17}}
	assert.False(t, pair(rows, rows, func(uint64) bool { return true }).share, "below 0 by a rounding error")
	signed := Series{Seeds: []uint64{1, 2}, Steps: []int{1}, Values: Packed{4, -1, 8, 3}}
	assert.Equal(t, [][]float64{{4. / 6, -0.5}, {8. / 6, 1.5}}, pair(signed, signed, func(uint64) bool { return true }).was, "shares of the mean size at each place")

	work := func(settings string, n int64) Cell {
		return Cell{Method: "a", Settings: settings, Work: Work{KernelEvals: n}}
	}
	shift := workShifts([]Cell{work("s", 300)}, []Cell{work("s", 0)}, []Cell{work("s", 300), work("t", 500)})[0]
	assert.InDelta(t, 1./300, *shift.Size, 1e-12)
	assert.InDelta(t, workMargin, shift.Margin, 1e-12)
	assert.Zero(t, *shift.P, "runs of other settings do not make a count random")
}

// The first line of a Markdown page says the exit status, whatever it comes from: claims, curves, stale entries, a failed run, or a policy.
func TestTheFirstLineIsTheExitStatus(t *testing.T) {
	equivalent := Change{State: records.Same, Cause: []string{"a"}}
	of := func(edit func(*Outcome)) Outcome {
		o := NewOutcome("accepted")
		o.Changes = []Change{equivalent, {State: records.Same}}
		edit(&o)
		o.Close()
		return o
	}
	curve := Shift{Layer: OfCurves, Part: OfShape, State: records.Worse}
	low := 0.1
	seen := map[int]bool{}
	for name, c := range map[string]struct {
		o      Outcome
		status int
		says   string
	}{
		"nothing":          {of(func(*Outcome) {}), 0, "2 same, of which 1 with other bits"},
		"a curve":          {of(func(o *Outcome) { o.Shifts = []Shift{curve, curve} }), 1, "curves and work: 2 worse"},
		"a curve that may": {of(func(o *Outcome) { o.Shifts, o.FailOn = []Shift{curve}, nil }), 0, "curves and work: 1 worse"},
		"a warning":        {of(func(o *Outcome) { o.Changes[0] = Change{State: records.Same, Moved: true, Cause: []string{"a"}} }), 0, "1 of these moved"},
		"bits that may not": {of(func(o *Outcome) {
			o.Shifts, o.FailOn = []Shift{{Layer: OfCurves, Part: OfBits, State: records.Same, Moved: true}}, []string{OnMoved}
		}), 1, ""},
		"undecided":                      {of(func(o *Outcome) { o.Changes[0] = Change{State: records.Undecided, Low: &low} }), 3, "1 undecided"},
		"undecided, and that may be":     {of(func(o *Outcome) { o.Changes[0], o.Warn = Change{State: records.Undecided, Low: &low}, true }), 0, "1 undecided"},
		"undecided, without an interval": {of(func(o *Outcome) { o.Changes[0], o.Warn = Change{State: records.Undecided}, true }), 3, "1 undecided"},
		"stale":                          {of(func(o *Outcome) { o.Stale = []StaleEntry{{}} }), 4, "2 same"},
		"no claim":                       {of(func(o *Outcome) { o.Changes = nil }), 4, "0 same"},
		"a run":                          {of(func(o *Outcome) { o.Status = 5 }), 5, "2 same"},
		"redefined":                      {of(func(o *Outcome) { o.Changes[0] = Change{State: records.NotComparable, Terms: []Term{{}}} }), 1, "1 not comparable"},
	} {
		seen[c.status] = true
		first, _, _ := strings.Cut(c.o.Markdown(), "\n")
		assert.Equal(t, c.status, c.o.Status, name)
		assert.Contains(t, first, fmt.Sprintf("(exit status %d)", c.status), name)
		assert.Contains(t, first, c.says, name)
		assert.Equal(t, c.status == 0, strings.Contains(first, "✅") && strings.Contains(first, "passes"), "%s: %s", name, first)
	}
	for status := range seen {
		o := Outcome{Status: status}
		assert.Contains(t, o.Headline(), fmt.Sprintf("(exit status %d)", status))
	}
	assert.Len(t, seen, 5)
}
