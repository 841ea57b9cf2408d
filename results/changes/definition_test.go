package changes

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/claims"
	"repro/results/records"
)

// Every key of every kind is part of what is accepted, without a list: a claim with another value of it has another definition,
// from which the claim can be made again. Prose is left out, and of a reason it matters only that there is one.
func TestEveryKeyOfAClaimIsPartOfItsDefinition(t *testing.T) {
	keys := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[claims.Claim]()) {
		key := f.Tag.Get("toml")
		if key == "" || key == "-" {
			continue
		}
		c := claims.Claim{ID: "c"}
		v := reflect.ValueOf(&c).Elem().FieldByIndex(f.Index)
		switch v.Interface().(type) {
		case string:
			v.SetString("1")
		case bool:
			v.SetBool(true)
		case float64:
			v.SetFloat(2)
		case int:
			v.SetInt(2)
		case []string:
			v.Set(reflect.ValueOf([]string{"a"}))
		case []float64:
			v.Set(reflect.ValueOf([]float64{2}))
		case [2]float64:
			v.Set(reflect.ValueOf([2]float64{2, 3}))
		case records.At:
			v.Set(reflect.ValueOf(records.At{X: "step", Value: 3}))
		default:
			t.Fatalf("no value for %s; add its type", key)
		}
		was, is := definitionOf(demo(), claims.Claim{ID: "c"}), definitionOf(demo(), c)
		all := redefined("c", was, is, false)
		if key == "id" || f.Tag.Get("prose") == "yes" {
			assert.Empty(t, all, key)
			continue
		}
		keys++
		if assert.Len(t, all, 1, key) {
			assert.Equal(t, key, all[0].Key)
		}
		again, err := claimOf("c", is)
		require.NoError(t, err, key)
		assert.Equal(t, is, definitionOf(demo(), again), key)
		if f.Tag.Get("prose") == "" {
			assert.Equal(t, c, again, key)
		}
	}
	assert.Greater(t, keys, 25)
}

// The claims of all specs survive being stored: they accept the same, at the same places.
func TestDefinitionsOfAllSpecs(t *testing.T) {
	refs, err := catalog.Resolve(nil)
	require.NoError(t, err)
	specs, errs := catalog.LoadAll(refs, experiments.LoadOptions{Profile: "paper"})
	require.NoError(t, errors.Join(errs...))
	for _, s := range specs {
		exp := s.Experiment()
		for _, c := range exp.Claims {
			d := definitionOf(exp, c)
			again, err := claimOf(c.ID, d)
			require.NoError(t, err)
			assert.Empty(t, redefined(c.ID, d, definitionOf(exp, again), false), c.ID)
			assert.Equal(t, c.Methods(), again.Methods(), c.ID)
			want, wantErr := c.Accepts(c.Quantity())
			got, gotErr := again.Accepts(again.Quantity())
			assert.Equal(t, wantErr, gotErr, c.ID)
			if wantErr == nil && !math.IsNaN(want.Exact) {
				assert.Equal(t, want, got, c.ID)
			}
		}
	}
}

// What is called loosened: whatever lets the claim or the gate accept more, and no tighter claim.
func TestLoosened(t *testing.T) {
	two := with(rate, func(c *claims.Claim) { c.AtMost = false })
	reach := claims.Claim{ID: "rate", Kind: "reach", Method: "a", Metric: "error", X: "step", Target: 0.1, Published: "10", AtMost: true}
	for name, test := range map[string]struct {
		was  claims.Claim
		edit func(*claims.Claim)
		keys []string
		want bool
	}{
		"a wider tolerance":              {rate, func(c *claims.Claim) { c.Tolerance = 2 }, []string{"tolerance"}, true},
		"a narrower tolerance":           {rate, func(c *claims.Claim) { c.Tolerance = 0.05 }, []string{"tolerance"}, false},
		"at_most raised":                 {rate, func(c *claims.Claim) { c.Published = "-0.5" }, []string{"published"}, true},
		"at_most lowered":                {rate, func(c *claims.Claim) { c.Published = "-1.5" }, []string{"published"}, false},
		"a number moved":                 {two, func(c *claims.Claim) { c.Published = "-0.5" }, []string{"published"}, true},
		"a bound in place of a number":   {two, func(c *claims.Claim) { c.AtMost = true }, []string{"at_most"}, true},
		"a number in place of a bound":   {rate, func(c *claims.Claim) { c.AtMost = false }, []string{"at_most"}, false},
		"the other side":                 {rate, func(c *claims.Claim) { c.AtMost, c.AtLeast = false, true }, []string{"at_least", "at_most"}, true},
		"window moved":                   {rate, func(c *claims.Claim) { c.Window = [2]float64{1, 4} }, []string{"window"}, true},
		"every run no more":              {with(value, func(c *claims.Claim) { c.AtMost, c.Every = true, true }), func(c *claims.Claim) { c.Every = false }, []string{"every"}, true},
		"every run now":                  {with(value, func(c *claims.Claim) { c.AtMost = true }), func(c *claims.Claim) { c.Every = true }, []string{"every"}, false},
		"fewer rivals":                   {with(order, func(c *claims.Claim) { c.Against = []string{"b", "a"} }), func(c *claims.Claim) { c.Against = []string{"b"} }, []string{"against"}, true},
		"more rivals":                    {order, func(c *claims.Claim) { c.Against = []string{"b", "a"} }, []string{"against"}, false},
		"the target":                     {reach, func(c *claims.Claim) { c.Target = 1 }, []string{"target"}, true},
		"described":                      {rate, func(c *claims.Claim) { c.Description = "it cannot fail" }, []string{"description"}, true},
		"fitted":                         {rate, func(c *claims.Claim) { c.Fitted = "its step" }, []string{"fitted"}, true},
		"another metric":                 {rate, func(c *claims.Claim) { c.Metric = "excess" }, []string{"metric", "metric.better"}, false},
		"another kind":                   {rate, func(c *claims.Claim) { c.Kind = "order" }, []string{"kind"}, false},
		"another reason":                 {rate, func(c *claims.Claim) { c.Why, c.Statement, c.Source = "a", "b", "c" }, nil, false},
		"a tolerance of a ratio":         {claims.Claim{ID: "m", Kind: "match", Metric: "error", Tolerance: 2, Relative: true}, func(c *claims.Claim) { c.Tolerance = 3 }, []string{"tolerance"}, true},
		"more than half of its rounding": {value, func(c *claims.Claim) { c.Tolerance = 0.2 }, []string{"tolerance"}, true},
	} {
		now := with(test.was, test.edit)
		all := redefined("rate", definitionOf(demo(), test.was), definitionOf(demo(), now), false)
		var keys []string
		for _, term := range all {
			keys = append(keys, term.Key)
		}
		assert.Equal(t, test.keys, keys, name)
		assert.Equal(t, test.want, loosened(all), name)
	}
}

// planned is demo with a plan of so many seeds.
func planned(seeds int, all ...claims.Claim) claims.Experiment {
	exp := demo(all...)
	for _, m := range exp.Methods {
		for range seeds {
			exp.Expected = append(exp.Expected, claims.Planned{Method: m.ID})
		}
	}
	return exp
}

// Fewer seeds than accepted tell less. More are no change: check adds some by itself.
func TestSeedsArePartOfTheDefinition(t *testing.T) {
	was := definitionOf(planned(10, rate), rate)
	assert.Empty(t, redefined("rate", was, definitionOf(planned(40, rate), rate), false))
	all := redefined("rate", was, definitionOf(planned(3, rate), rate), false)
	require.Len(t, all, 1)
	assert.Equal(t, "repeat.seeds 10 → 3", all[0].String())
	assert.True(t, loosened(all))
	other := demo(rate)
	other.Metrics = []claims.Metric{{Name: "error", Better: "larger"}}
	assert.Equal(t, "metric.better", redefined("rate", definitionOf(demo(rate), rate), definitionOf(other, rate), false)[0].Key)
}

// A number is measured as the accepted claim says, whatever the spec says now: numbers of two windows are never compared.
func TestRedefinedClaims(t *testing.T) {
	narrow := with(rate, func(c *claims.Claim) { c.Window = [2]float64{8, 128} })
	exp := demo(narrow)
	recs := curves("a", 1, 10, -1, 0.05, generator(1))
	bent := scale(recs, func(k int) float64 { return math.Exp(0.5 * math.Ln2 * float64(max(0, k-3))) }) // slower from step 8 on
	base := Take(exp, recs)
	early := demo(with(narrow, func(c *claims.Claim) { c.Window, c.Tolerance = [2]float64{1, 8}, 9 }))
	early.Where = func(_, key string) (string, int) { return key + ".toml", 7 }
	for name, test := range map[string]struct {
		recs   []*records.Record
		number records.Match
	}{"the same bits": {recs, records.Same}, "a slower rate": {bent, records.Worse}} {
		t.Run(name, func(t *testing.T) {
			all := Compare(early, base, base.Retake(early, test.recs), Options{})
			for range 2 { // as at several looks
				Decide(all, Level(Alpha))
			}
			require.Len(t, all, 1)
			c := all[0]
			assert.Equal(t, isRedefined, detail(c))
			assert.Equal(t, test.number, c.ByNumber)
			assert.Contains(t, c.Reason, "loosened: tolerance 0.1 → 9 (tolerance.toml:7), window [8,128] → [1,8] (window.toml:7); by the accepted definition it is "+string(test.number)+": ")
			assert.Equal(t, 1, Status(all))
			assert.Equal(t, "tolerance", c.Key())
			if test.number == records.Worse {
				assert.InDelta(t, -0.5, *c.Now, 0.05, "in the accepted window")
				assert.Equal(t, 0.05, c.Margin, "the accepted one")
			}
		})
	}
	for _, now := range []Snapshot{Take(early, bent), Take(early, recs)} { // by another way
		c := Compare(early, base, now, Options{})[0]
		assert.Equal(t, []records.Match{isRedefined, records.NotComparable}, []records.Match{detail(c), c.ByNumber}, "whatever the bits")
		assert.False(t, c.Tested())
	}
	tighter := demo(with(narrow, func(c *claims.Claim) { c.Tolerance = 0.05 }))
	less := Compare(tighter, base, base.Retake(tighter, recs), Options{})
	Decide(less, Level(Alpha))
	assert.Equal(t, records.NotComparable, less[0].State, "also what accepts less")
	gone := demo(with(rate, func(c *claims.Claim) { c.Method = "c" }))
	all := Compare(gone, base, base.Retake(gone, recs), Options{})
	require.Len(t, all, 1, "also where the profile does not run its method")
	assert.Equal(t, isRedefined, detail(all[0]))
}

// A redefined claim is accepted only by its name, with its new definition.
func TestAcceptOfARedefinedClaim(t *testing.T) {
	wide := with(value, func(c *claims.Claim) { c.Tolerance = 9 })
	recs := curves("a", 1, 4, -1, 0.1, generator(1))
	worse := scale(recs, func(k int) float64 { return math.Exp(0.5 * float64(k)) })
	exp, base := demo(rate, wide), Take(demo(rate, value), recs)
	base.Commit, base.ComparableSince = "one", "one"
	now, all := Take(exp, worse), Compare(exp, base, base.Retake(exp, worse), Options{})
	Decide(all, Level(Alpha))
	_, err := Accept(exp, base, now, all, func(id string) bool { return id == "rate" })
	assert.ErrorContains(t, err, "value changed by the same runs")
	same := Compare(exp, base, base.Retake(exp, recs), Options{})
	next, err := Accept(exp, base, Take(exp, recs), same, func(id string) bool { return id == "rate" })
	require.NoError(t, err)
	assert.Equal(t, base.Claims, next.Claims, "nothing of it was chosen")
	next, err = Accept(exp, base, now, all, func(string) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, "c0ffee", next.ComparableSince)
	assert.Equal(t, 9.0, next.Claims["value"]["tolerance"])
	for _, c := range Compare(exp, next, next.Retake(exp, worse), Options{}) {
		assert.Equal(t, isIdentical, detail(c), c.Reason)
	}
}

// A snapshot of version 1 says nothing of its claims: it compares with nothing.
func TestAnEarlierVersion(t *testing.T) {
	recs := curves("a", 1, 4, -1, 0.1, generator(1))
	exp := demo(rate, value)
	old := Take(exp, recs)
	old.Schema, old.Claims = 1, nil
	c := Compare(exp, old, old.Retake(exp, recs), Options{})[0]
	assert.Equal(t, records.NotComparable, detail(c))
	assert.Contains(t, c.Reason, "earlier version")
}

// A claim may leave its window to the curves, whose rounding errors begin elsewhere with other seeds. The gate then measures in the
// accepted window: equal bits give equal numbers.
func TestNumbersOfAnAutomaticWindow(t *testing.T) {
	factor := claims.Claim{ID: "factor", Kind: "geometric", Method: "a", Metric: "error", X: "step", Published: "0.5", AtMost: true}
	exp := demo(factor)
	recs := scale(curves("a", 1, 4, -1, 0.1, generator(1)), func(k int) float64 { return math.Exp(-float64(k)) })
	recs[3] = scale(recs[3:], func(k int) float64 { return math.Pow(1e-20, float64(k/6)) })[0] // reaches rounding errors early
	for _, r := range recs {
		for k := range r.Points {
			r.Points[k].Step = k + 1
		}
	}
	base := Take(exp, recs)
	few, again := Take(exp, recs[:3]).Numbers[0], base.Retake(exp, recs[:3]).Numbers[0]
	require.NotNil(t, base.Numbers[0].Window)
	assert.NotEqual(t, base.Numbers[0].Window, few.Window, "or the test shows nothing")
	assert.NotEqual(t, base.Numbers[0].Values[:3], few.Values)
	assert.Equal(t, base.Numbers[0].Values[:3], again.Values)
	fixed := with(factor, func(c *claims.Claim) { c.Window = [2]float64{1, 5} })
	assert.Equal(t, base.Numbers[0].Values[:3], base.Retake(demo(fixed), recs[:3]).Numbers[0].Values, "also where the spec now has another")
}

// A verdict on 20 seeds and one on 4 are no change of it: words are compared on the same seeds only.
func TestVerdictsOfOtherSeedsAreNotCompared(t *testing.T) {
	recs := curves("a", 1, 20, -1, 0.1, generator(1))
	exp := demo(rate)
	rounding := func(k int) float64 { return 1 + 1e-12*float64(k) }
	base := Take(exp, recs)
	c := Compare(exp, base, base.Retake(exp, scale(recs[:4], rounding)), Options{})[0]
	assert.NotEqual(t, base.Numbers[0].Word, c.WordNow, "or the test shows nothing")
	assert.Empty(t, c.NewWord())
	c = Compare(exp, base, base.Retake(exp, scale(recs, func(k int) float64 { return math.Exp(float64(k)) })), Options{})[0]
	assert.Regexp(t, "^; its verdict was .* and is deviates$", c.NewWord())
	other := scale(recs, rounding)
	for _, r := range other {
		r.Header.Settings = map[string]any{"method": map[string]any{"step": 2.0}}
	}
	assert.Empty(t, Compare(exp, base, base.Retake(exp, other), Options{})[0].NewWord(), "other settings")
}

// A definition that somebody wrote by hand is no reason to stop: what cannot be read is another claim.
func TestStrangeDefinitions(t *testing.T) {
	recs := curves("a", 1, 4, -1, 0.1, generator(1))
	exp := planned(4, rate)
	for name, d := range map[string]claims.Definition{
		"nothing": {}, "words for numbers": {"tolerance": "wide", "repeat.seeds": "many", "window": 3.0}, "null": {"kind": nil, "metric": nil},
		"another key": {"kind": "rate", "method": "a", "metric": "error", "colour": "red"}, "huge": {"kind": "rate", "method": "a", "metric": "error", "tolerance": 1e306, "window": []any{1e306, -1e306}},
	} {
		base := Take(exp, recs)
		base.Claims = map[string]claims.Definition{"rate": d}
		all := Compare(exp, base, base.Retake(exp, recs), Options{})
		Decide(all, Level(Alpha))
		require.Len(t, all, 1, name)
		assert.Equal(t, isRedefined, detail(all[0]), name)
	}
}

// A gate that a test lets fail on less is loosened, one on more is not.
func TestFailsOnLess(t *testing.T) {
	on := func(layers ...string) claims.Definition {
		exp := demo(rate)
		exp.FailOn = layers
		return definitionOf(exp, rate)
	}
	usual := on(FailsOn()...)
	for _, was := range []claims.Definition{on(), usual, on(append(FailsOn(), OnMoved)...)} {
		for _, is := range []claims.Definition{on(), usual, on(append(FailsOn(), OnMoved)...)} {
			less := was[failsKey] != nil && len(was[failsKey].([]any)) > 2 && (is[failsKey] == nil || len(is[failsKey].([]any)) < 3)
			assert.Equal(t, less, loosened(redefined("rate", was, is, false)), "%v to %v", was[failsKey], is[failsKey])
		}
	}
	none := demo(rate)
	none.FailOn = []string{}
	assert.True(t, loosened(redefined("rate", usual, definitionOf(none, rate), false)))
	assert.True(t, loosened(redefined("rate", on(), definitionOf(none, rate), false)))
}
