package changes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// ending returns records of n seeds whose curve begins at 1 and ends at the given value.
func ending(method string, n int, end func(seed uint64) float64) []*records.Record {
	var all []*records.Record
	for seed := range uint64(n) {
		all = append(all, recordstest.Record(method, seed+1, 1, 0.1, end(seed+1)))
	}
	return all
}

// A margin that was accepted as a share is no difference: one seed that is zero, negative or positive again does not hide that the others
// moved, and where they did not it is a warning.
func TestMarginsStayOnTheirScale(t *testing.T) {
	r := generator(7)
	var noise [41]float64
	for i := range noise {
		noise[i] = 2e-3 * math.Exp(r.NormFloat64())
	}
	of := func(factor, fourth float64) []*records.Record {
		return ending("a", 40, func(seed uint64) float64 {
			if seed == 4 {
				return fourth
			}
			return factor * noise[seed]
		})
	}
	tolerant := with(value, func(c *claims.Claim) { c.Published, c.Tolerance = "0.002", 0.0002 })
	all := with(value, func(c *claims.Claim) { c.Published, c.AtMost = "0.002", true })
	for name, c := range map[string]struct {
		claim    claims.Claim
		was, is  []*records.Record
		want     records.Match
		rescaled bool
	}{
		"three times as large and one zero":           {all, of(1, 2e-3), of(3, 0), records.Worse, true},
		"with a tolerance":                            {tolerant, of(1, 2e-3), of(3, 0), records.Worse, true},
		"three times as large and one negative":       {all, of(1, 2e-3), of(3, -1e-3), records.Worse, true},
		"three times as large, and one was zero":      {all, of(1, 0), of(3, 6e-3), records.Worse, true},
		"only one is zero":                            {all, of(1, 2e-3), of(1, 0), isMoved, true},
		"only one is positive again":                  {all, of(1, 0), of(1, 2e-3), isMoved, true},
		"zero on both sides, and the others as large": {all, of(1, 0), of(3, 0), records.Worse, false},
	} {
		got := compared(demo(c.claim), c.was, c.is)
		require.Len(t, got, 1, name)
		assert.Equal(t, c.want, detail(got[0]), "%s: %s", name, got[0].Reason)
		assert.Equal(t, c.rescaled, got[0].rescaled != "", "%s: %s", name, got[0].Reason)
		if c.rescaled {
			assert.Contains(t, got[0].Reason, "seed 4", name)
		}
		assert.False(t, got[0].Log, name)
		d := got[0]
		base := Take(demo(c.claim), c.was).Numbers[0]
		base.Log = false
		assert.InEpsilon(t, margin(c.claim, base), d.Margin, 1e-9, name)
	}
	// Fewer seeds now than were accepted, of which another one was zero: no seed of both sides changed its scale.
	got := compared(demo(all), of(1, 0), of(1.0001, 0)[4:])
	assert.Empty(t, got[0].rescaled, got[0].Reason)
}

// A comparison with a rival that was a ratio and is a difference has no margin.
func TestRatiosAndDifferencesAreNotCompared(t *testing.T) {
	b := ending("b", 10, func(seed uint64) float64 { return 0.5 + 0.01*float64(seed) })
	was := ending("a", 10, func(seed uint64) float64 { return 0.1 + 0.001*float64(seed) })
	is := ending("a", 10, func(seed uint64) float64 { return 0.1 * float64(seed-1) })
	for _, sides := range [][2][]*records.Record{{was, is}, {is, was}} {
		got := compared(demo(order), append(sides[0], b...), append(sides[1], b...))
		assert.Equal(t, records.Undecided, detail(got[0]), got[0].Reason)
		assert.Contains(t, got[0].Reason, "a ratio")
		assert.Nil(t, got[0].Low, "no policy accepts it")
	}
}

// Of rounding errors no factor says anything, neither in a value nor in a comparison with a rival, zeros and signs included; what rises above
// them does, and so does a claim that is about numbers as small.
func TestNumbersAtTheRoundingFloor(t *testing.T) {
	at := func(method string, v float64) []*records.Record {
		return ending(method, 10, func(seed uint64) float64 { return v * (1 + 0.01*float64(seed)) })
	}
	zeros := func(v float64) []*records.Record {
		return ending("a", 10, func(seed uint64) float64 { return v * float64(seed%2) })
	}
	bound := with(value, func(c *claims.Claim) { c.Published, c.AtMost = "1e-10", true })
	tiny := with(bound, func(c *claims.Claim) { c.Published = "1e-16" })
	share := with(bound, func(c *claims.Claim) { c.Published, c.Unit = "1e-8", claims.Percent })
	loose := with(bound, func(c *claims.Claim) { c.Published = "1e-3" })
	single := func(recs []*records.Record) []*records.Record {
		for _, r := range recs {
			r.Header.Provenance.Precision = "float32"
		}
		return recs
	}
	b, other := at("b", 3e-17), at("b", 1e-17)
	for name, c := range map[string]struct {
		claim   claims.Claim
		was, is []*records.Record
		want    records.Match
	}{
		"three times as large":            {bound, at("a", 2e-17), at("a", 6e-17), records.Same},
		"zero on half of the seeds":       {bound, zeros(2e-17), zeros(6e-17), records.Same},
		"zero now":                        {bound, at("a", 2e-17), at("a", 0), records.Same},
		"negative now":                    {bound, at("a", 2e-17), at("a", -6e-17), records.Same},
		"it stops earlier":                {bound, at("a", 2e-17), at("a", 1e-11), records.Worse},
		"it stops earlier, zeros before":  {bound, zeros(2e-17), at("a", 1e-11), records.Worse},
		"it converges":                    {bound, at("a", 1e-11), at("a", 2e-17), records.Better},
		"the claim is about such numbers": {tiny, at("a", 2e-17), at("a", 6e-17), records.Worse},
		"a ratio of two":                  {order, append(at("a", 2e-17), b...), append(at("a", 6e-17), other...), records.Same},
		"a ratio of which one rises":      {order, append(at("a", 2e-17), b...), append(at("a", 6e-11), other...), records.Worse},
		"a ratio whose rival rises":       {order, append(at("a", 2e-17), b...), append(at("a", 6e-17), at("b", 1e-11)...), records.Better},
		"in per cent":                     {share, at("a", 1e-13), at("a", 3e-13), records.Same},
		"in single precision":             {loose, single(at("a", 1e-7)), single(at("a", 3e-7)), records.Same},
		"as small in double precision":    {loose, at("a", 1e-7), at("a", 3e-7), records.Worse},
	} {
		got := compared(demo(c.claim), c.was, c.is)
		require.Len(t, got, 1, name)
		assert.Equal(t, c.want, detail(got[0]), "%s: %s", name, got[0].Reason)
	}
}

// What diverged is not the largest value of a curve, of which the floor is a share.
func TestFloorOfACurveThatDiverged(t *testing.T) {
	all := floors{{Method: "a", Metric: "error", Values: Packed{1, -4, math.NaN(), math.Inf(1), 0.1, math.Inf(-1)}}}
	assert.Equal(t, 4*records.FloorOf(false), all.of("a", "error"))
	assert.Zero(t, all.of("b", "error"))
}

// What is positive lies above a number that a claim gives as zero: nearer is better, on the logarithmic scale too.
func TestNearerToZero(t *testing.T) {
	zero := with(value, func(c *claims.Claim) { c.Published, c.Tolerance = "0", 0.01 })
	of := func(factor float64) []*records.Record {
		return ending("a", 10, func(seed uint64) float64 { return factor * (1 + 0.01*float64(seed)) })
	}
	assert.Equal(t, records.Worse, detail(compared(demo(zero), of(1e-3), of(3e-3))[0]))
	assert.Equal(t, records.Better, detail(compared(demo(zero), of(3e-3), of(1e-3))[0]))
}

// The floor of rounding errors is no number that is not, and holds values of the metric at the end of a curve only.
func TestWhatTheFloorIsOf(t *testing.T) {
	assert.Equal(t, math.SmallestNonzeroFloat64, roundingFloor(records.FloorOf(false), 1e-320))
	of := func(method string, end float64) Series {
		return Series{Method: method, Metric: "error", Seeds: []uint64{1}, Steps: []int{1}, Values: Packed{1, end}}
	}
	tiny, large := []Series{of("a", 1e-17), of("b", 1e-17)}, []Series{of("a", 1e-3), of("b", 1e-17)}
	assert.Zero(t, floors(tiny).ofClaim(rate), "a slope is no value of the metric")
	n := Number{Rival: "b"}
	for name, c := range map[string]struct {
		claim   claims.Claim
		was, is []Series
		want    bool
	}{
		"all ends":           {order, tiny, tiny, true},
		"one was none":       {order, large, tiny, false},
		"one is none":        {order, tiny, large, false},
		"along a curve":      {with(order, func(c *claims.Claim) { c.X = "step" }), tiny, tiny, false},
		"in its middle":      {with(order, func(c *claims.Claim) { c.At = records.At{X: "step", Value: 1} }), tiny, tiny, false},
		"of a method beside": {with(order, func(c *claims.Claim) { c.Method = "c" }), tiny, tiny, false},
	} {
		assert.Equal(t, c.want, rounds(c.claim, n, n, c.was, c.is), name)
	}
	for signed, want := range map[bool]bool{false: true, true: false} {
		base, now := numbered(false, 1e-17, 2e-17), numbered(false, 1e-17, 3e-17)
		c := Change{floor: 1e-15}
		assert.NoError(t, c.align(with(value, func(c *claims.Claim) { c.Signed = signed }), &base, &now))
		assert.Equal(t, want, c.Log, "a signed metric has no ratio")
	}
}
