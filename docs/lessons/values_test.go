package lessons

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// lessonOne reads lesson 1.
func lessonOne(t *testing.T) *Lesson {
	all, err := own.read(false)
	require.NoError(t, err)
	return all[0]
}

// evaluated evaluates an expression over the records of the run base of lesson 1, as made.
func evaluated(t *testing.T, text string, recs []*records.Record) any {
	l := lessonOne(t)
	spec, err := l.load(l.Runs()[0])
	require.NoError(t, err)
	specs := map[string]*experiments.Spec{"base": spec}
	if checked(text, false, specs, "base") != nil {
		require.NoError(t, checked(text, true, specs, "base"), text)
	}
	return Runs{"base": &Outcome{spec, claims.Case{Experiment: spec.Experiment(), Records: recs}}}.evaluate("base", text)
}

// made returns records of two methods with three seeds: errors 1, 2, 4 and, of the second, half of that; with diverged, the third
// seed of the second diverged.
func made(diverged bool) []*records.Record {
	var recs []*records.Record
	for seed, v := range []float64{1, 2, 4} {
		for method, factor := range map[string]float64{"features,features=32": 1, "features,features=64": 0.5} {
			r := recordstest.Record(method, uint64(seed+1))
			r.Points = []records.Point{{Step: 1, Values: map[string]*float64{"exact-error": records.Value(v * factor)}}}
			if diverged && factor == 0.5 && seed == 2 {
				recordstest.Ended(r, records.Diverged)
			}
			recs = append(recs, r)
		}
	}
	return recs
}

func TestExpressions(t *testing.T) {
	const a, b = `final("features,features=32", "exact-error")`, `final("features,features=64", "exact-error")`
	v := evaluated(t, a, made(false)).(Value)
	assert.InDelta(t, 2, v.Value, 1e-12, "the geometric mean of 1, 2 and 4")
	assert.Less(t, v.Low, 1.0)
	q := evaluated(t, a+" / "+b, made(false)).(Value)
	assert.Equal(t, []float64{2, 2, 2}, []float64{q.Value, q.Low, q.High}, "seed by seed all quotients are 2")
	assert.Equal(t, -1.0, evaluated(t, "1 - "+a+" / "+b, made(false)).(Value).Value, "of signed values the mean is arithmetic")
	for text, want := range map[string]bool{
		a + " > 1.9": true, a + " > 3": false, "3 > " + a: true, a + " >= " + b: true, a + " < " + b: false,
		"within(" + a + " / " + b + ", 1.9, 2.1)": true, "within(" + a + ", 1.9, 2.1)": false,
		`diverged("features,features=64")`: false, `run("base").final("features,features=32", "exact-error") > 1`: true,
	} {
		assert.Equal(t, want, evaluated(t, text, made(false)), text)
	}
	for text, want := range map[string]bool{
		`diverged("features,features=64")`: true, b + " > 1e300": true, "within(" + b + ", 0, 1)": false, b + " / " + a + " > 5": true,
	} {
		assert.Equal(t, want, evaluated(t, text, made(true)), text)
	}
	for _, text := range []string{a + " > 0", a + " < 1e9", "within(" + a + ", 0, 1e9)", a + " / " + b + " > 0"} {
		assert.Equal(t, false, evaluated(t, text, nil), "%s of no records", text)
	}
	none := evaluated(t, a, nil).(Value)
	assert.Equal(t, "no number (it has not run)", none.String())
	one := evaluated(t, a, made(false)[:1])
	assert.True(t, math.IsNaN(one.(Value).Low) || one.(Value).Missing != "", "one seed has no interval")
}

// The records must decide for one choice.
func TestKeyOfChoices(t *testing.T) {
	p := lessonOne(t).Predictions()[0]
	_, err := p.Key(Runs{})
	require.ErrorContains(t, err, "no choice of matrix holds")
	for i := range p.Choices[:2] {
		p.Choices[i].When = `not diverged("exact,train=128")`
	}
	_, err = p.Key(Runs{})
	require.EqualError(t, err, "choices 1 and 2 of matrix both hold of these records; their expressions must exclude each other")
}
