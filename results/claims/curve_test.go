package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// TestCurves holds what is said of curves whose truth is known: level and shape apart, places in common, reading errors, and what has
// no ratio.
func TestCurves(t *testing.T) {
	published := func(of func(x float64) float64, yError float64) *PublishedCurve {
		p := &PublishedCurve{ID: "p", Figure: "Fig. 1", YError: yError, Relative: true}
		for x := 1.0; x < 1e6; x *= 1.7 {
			p.Points = append(p.Points, []float64{x, of(x)})
		}
		return p
	}
	ours := func(spread float64, of func(x float64) float64) (recs []*records.Record) {
		for seed := range 8 {
			var ys []float64
			for k := range 16 {
				ys = append(ys, of(math.Pow(2, float64(k)))*math.Exp(spread*math.Sin(float64(1+seed)*(1+0.3*float64(k)))))
			}
			recs = append(recs, recordstest.Record("a", uint64(seed+1), ys...))
		}
		return recs
	}
	inverse := func(x float64) float64 { return 1 / x }
	claim := Claim{Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", PublishedIs: "run", Reference: published(inverse, 0.001)}
	flat := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	// It falls by a factor of 4 where the seeds lie far apart, and is level where they do not.
	descent := func(x float64) float64 { return 1 + 3/(1+math.Pow(x/4000, 4)) }
	noisyDescent := ours(0.02, descent)
	for i, r := range noisyDescent {
		for k := range r.Points {
			v := *r.Points[k].Values["error"]
			r.Points[k].Values["error"] = records.Value(v * math.Exp(0.7*math.Sin(float64(1+i)*(2+0.3*float64(k)))*(descent(float64(int(1)<<k))-1)/3))
		}
	}
	for name, c := range map[string]struct {
		claim Claim
		recs  []*records.Record
		word  Word
		parts [2]Word // level and shape; empty if there are none
		says  string
	}{
		"the same":                             {claim, ours(0.1, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "same shape"},
		"twice as high":                        {claim, ours(0.02, func(x float64) float64 { return 2 / x }), Deviates, [2]Word{Deviates, Reproduced}, "2 [2, 2] times as high, same shape"},
		"another shape":                        {claim, ours(0.02, func(x float64) float64 { return math.Pow(x, -0.9) }), Deviates, [2]Word{Deviates, Deviates}, "another shape: beside the level"},
		"reading hides it":                     {with1(claim, func(c *Claim) { c.Reference = published(inverse, 0.5) }), ours(0.02, func(x float64) float64 { return 1.3 / x }), Inconclusive, [2]Word{Reproduced, Reproduced}, "would have been seen; reproduced asks for a factor of 1.25 and a lag of 8192 step"},
		"reading hides what the claim lets it": {with1(claim, func(c *Claim) { c.Visible, c.Reference = 0.6, published(inverse, 0.5) }), ours(0.02, func(x float64) float64 { return 1.3 / x }), Reproduced, [2]Word{Reproduced, Reproduced}, "read to 50 %"},
		"a lag that noise hides":               {with1(claim, func(c *Claim) { c.Visible, c.Reference = 0.1, published(descent, 0.001) }), noisyDescent, Inconclusive, [2]Word{Reproduced, Reproduced}, "asks for a factor of 1.1 and a lag of 3277 step"},
		"a curve without a lag":                {with1(claim, func(c *Claim) { c.Reference = published(flat(1), 0.001) }), ours(0.02, flat(1)), Reproduced, [2]Word{Reproduced, Reproduced}, "and no lag, would have been seen"},
		"a wide band":                          {claim, ours(0.9, inverse), Inconclusive, [2]Word{Reproduced, Reproduced}, "would have been seen"},
		"a tolerance":                          {with1(claim, func(c *Claim) { c.Tolerance, c.PublishedIs = 1.5, "theorem" }), ours(0.1, func(x float64) float64 { return 1.3 / x }), Reproduced, [2]Word{Reproduced, Reproduced}, "read to 0.1 % or better; accepted is a factor of 1.5 at every place"},
		"beyond a tolerance":                   {with1(claim, func(c *Claim) { c.Tolerance, c.PublishedIs = 1.2, "theorem" }), ours(0.02, func(x float64) float64 { return 1.3 / x }), Deviates, [2]Word{Deviates, Reproduced}, "times as high"},
		"at the edge of a tolerance":           {with1(claim, func(c *Claim) { c.Tolerance, c.PublishedIs = 1.2, "theorem" }), ours(0.1, func(x float64) float64 { return 1.18 / x }), Inconclusive, [2]Word{Reproduced, Reproduced}, "a factor of 1.2 at every place"},
		"a mean of runs that spread":           {with1(claim, func(c *Claim) { c.PublishedIs = "mean of 5" }), ours(0.9, func(x float64) float64 { return 100 / x }), Inconclusive, [2]Word{Deviates, Reproduced}, "no band of a mean of several can be trusted"},
		"an end that was read short": {with1(claim, func(c *Claim) {
			c.Reference = published(inverse, 0.001)
			c.Reference.XError, c.Reference.Points = 0.001, [][]float64{{1, 1}, {2, 0.5}, {16, 0.0625}, {255.9, 1 / 255.9}}
		}), ours(0.05, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "from step 1 to 255.9"},
		"an end that was read short, of more points than ours": {with1(claim, func(c *Claim) {
			c.Reference = published(inverse, 0.001)
			c.Reference.XError, c.Reference.Points = 0.001, nil
			for x := 1.0; x < 250; x *= 1.2 {
				c.Reference.Points = append(c.Reference.Points, []float64{x, 1 / x})
			}
			c.Reference.Points = append(c.Reference.Points, []float64{255.9, 1 / 255.9})
		}), ours(0.05, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "from step 1 to 256"},
		"a median of runs":       {with1(claim, func(c *Claim) { c.PublishedIs = "median of 5" }), ours(0.1, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "the median of 5 more runs"},
		"above a median of runs": {with1(claim, func(c *Claim) { c.PublishedIs = "median of 5" }), ours(0.1, func(x float64) float64 { return 1.8 / x }), Deviates, [2]Word{Deviates, Reproduced}, "the median of 5 more runs"},
		"a mean of runs":         {with1(claim, func(c *Claim) { c.PublishedIs = "mean of 5" }), ours(0.1, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "the mean of 5 more runs"},
		"another unit": {with1(claim, func(c *Claim) {
			c.Unit = Percent
			c.Reference = published(func(x float64) float64 { return 100 / x }, 0.01)
		}), ours(0.1, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "same level"},
		"a window":                            {with1(claim, func(c *Claim) { c.Window = [2]float64{4, 4096} }), ours(0.1, func(x float64) float64 { return 1/x + max(0, x-5000) }), Reproduced, [2]Word{Reproduced, Reproduced}, "from step 4 to 4096"},
		"nothing in common":                   {with1(claim, func(c *Claim) { c.Window = [2]float64{1e5, 1e6} }), ours(0.1, inverse), Inconclusive, [2]Word{}, "have 0 places in common"},
		"no points":                           {with1(claim, func(c *Claim) { c.Reference = nil }), ours(0.1, inverse), Inconclusive, [2]Word{}, "are not there"},
		"rounding":                            {with1(claim, func(c *Claim) { c.Reference = published(func(x float64) float64 { return math.Pow(x, -4) }, 0.001) }), ours(0.02, func(x float64) float64 { return max(math.Pow(x, -4), 1e-16) }), Reproduced, [2]Word{Reproduced, Reproduced}, "from step 1 to 512"},
		"a value of zero":                     {claim, ours(0.1, func(x float64) float64 { return max(0, 1/x-0.001) }), Inconclusive, [2]Word{}, "only positive values have a ratio"},
		"huge values":                         {claim, ours(0.1, flat(1e306)), Failed, [2]Word{}, "too large"},
		"one seed":                            {claim, ours(0.1, inverse)[:1], Inconclusive, [2]Word{}, "one seed"},
		"two seeds":                           {claim, ours(0.01, inverse)[:2], Inconclusive, [2]Word{Reproduced, Reproduced}, "same level"},
		"no spread":                           {claim, ours(0, inverse), Inconclusive, [2]Word{Reproduced, Reproduced}, "nothing varies"},
		"no spread, and exact":                {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn" }), ours(0, inverse), Reproduced, [2]Word{Reproduced, Reproduced}, "same shape"},
		"exact, level and read without error": {with1(claim, func(c *Claim) { c.Exact, c.Reference = "nothing is drawn", published(flat(1), 0) }), ours(0, flat(1)), Reproduced, [2]Word{Reproduced, Reproduced}, "and no lag"},
		"exact, and another":                  {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn" }), ours(0, func(x float64) float64 { return 1.01 / x }), Deviates, [2]Word{Deviates, Reproduced}, "1.01"},
		"exact, within reading":               {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn"; c.Reference = published(inverse, 0.02) }), ours(0, func(x float64) float64 { return 1.015 / x }), Reproduced, [2]Word{Reproduced, Reproduced}, "same level"},
		"exact, within reading, below":        {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn"; c.Reference = published(inverse, 0.02) }), ours(0, func(x float64) float64 { return 0.985 / x }), Reproduced, [2]Word{Reproduced, Reproduced}, "same level"},
		"exact, a bend within reading":        {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn"; c.Reference = published(inverse, 0.02) }), ours(0, func(x float64) float64 { return (1 + 0.01*math.Sin(x)) / x }), Reproduced, [2]Word{Reproduced, Reproduced}, "same shape"},
		"exact, beyond reading":               {with1(claim, func(c *Claim) { c.Exact = "nothing is drawn"; c.Reference = published(inverse, 0.02) }), ours(0, func(x float64) float64 { return 1.025 / x }), Deviates, [2]Word{Deviates, Reproduced}, "1.02 times as high"},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge(experiment(c.claim), c.recs).Verdicts[0]
			assert.Equal(t, c.word, v.Verdict, v.Reason)
			assert.Contains(t, v.Reason, c.says)
			assert.Equal(t, Drawn, v.Class)
			assert.Zero(t, v.SeedsNeeded())
			if c.parts == [2]Word{} {
				assert.Nil(t, v.Parts, v.Reason)
				return
			}
			require.NotNil(t, v.Parts, v.Reason)
			assert.Equal(t, c.parts, [2]Word{v.Parts.Level, v.Parts.Shape}, v.Reason)
		})
	}
}

// Where seeds differ by a constant factor only and hardly, the band at all places is the prediction interval of their levels, so that
// distance, factor and lag that would have been seen follow by hand from the errors of reading and the look.
func TestPartsOfACurveByHand(t *testing.T) {
	const seeds, places, times = 8, 6, 1.05
	c := Claim{Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", PublishedIs: "run", Reference: &PublishedCurve{ID: "p", Figure: "Fig. 1"}}
	for k := range places {
		error := 0.015
		if k == 0 {
			error = 0.02
		}
		x := math.Pow(2, float64(k))
		c.Reference.Points = append(c.Reference.Points, []float64{x, 1 / x, 0, error / x})
	}
	var recs []*records.Record
	var levels []float64
	for seed := range seeds {
		var ys []float64
		level := times * math.Exp(0.001*(float64(seed)-3.5))
		for k := range places {
			ys = append(ys, level/math.Pow(2, float64(k)))
		}
		recs, levels = append(recs, recordstest.Record("a", uint64(seed+1), ys...)), append(levels, level)
	}
	for _, planned := range []int{0, 4, 9} {
		exp := experiment(c)
		exp.Methods = []Method{{ID: "a", Planned: planned}}
		v := Judge(exp, recs).Verdicts[0]
		require.NotNil(t, v.Parts, v.Reason)
		e := stats.GeometricInterval(levels).At(stats.LookLevel(seeds, planned, 1))
		low, high := e.Next(1)
		assert.Contains(t, v.Reason, "within "+printed.Digits(low/e.Mean, 3)+" to "+printed.Digits(high/e.Mean, 3)+" times our mean")
		assert.Contains(t, v.Reason, "read to 2 % or better")
		assert.InEpsilon(t, (math.Log(times)-math.Log1p(0.015))/(math.Log(high/low)/2), v.Parts.Distance, 0.01)
		assert.InEpsilon(t, math.Log1p(0.015)+e.Visible(1), math.Log(v.Parts.Visible), 0.01)
		require.NotNil(t, v.Parts.Lag)
		assert.InEpsilon(t, (math.Log1p(0.02)+e.Visible(1))/math.Ln2, *v.Parts.Lag, 0.01, "from the first place, which was read worst")
	}
}

// What a curve decides, and its level and its shape by themselves, is decided at the confidence of the look.
func TestALaterLookAtACurveDecidesLess(t *testing.T) {
	deviates := func(planned int) (all [3]int) {
		for i := range 60 {
			c := Claim{Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", PublishedIs: "run", Reference: &PublishedCurve{ID: "p", Figure: "Fig. 1"}}
			var recs []*records.Record
			for seed := range 8 {
				var ys []float64
				for k := range 8 {
					x := math.Pow(2, float64(k))
					if seed == 0 {
						c.Reference.Points = append(c.Reference.Points, []float64{x, 1 / x})
					}
					ys = append(ys, math.Pow(x, -1+0.005*float64(i))*(1+0.01*float64(i))*math.Exp(0.1*math.Sin(float64((1+seed)*(3+k)))))
				}
				recs = append(recs, recordstest.Record("a", uint64(seed+1), ys...))
			}
			exp := experiment(c)
			exp.Methods = []Method{{ID: "a", Planned: planned}}
			v := Judge(exp, recs).Verdicts[0]
			for j, word := range []Word{v.Verdict, v.Parts.Level, v.Parts.Shape} {
				if word == Deviates {
					all[j]++
				}
			}
		}
		return all
	}
	first, later := deviates(8), deviates(4)
	for j, what := range []string{"the curve", "its level", "its shape"} {
		assert.Less(t, later[j], first[j], what)
		assert.Positive(t, later[j], what)
	}
}

// A run like ours has our shape, though it leaves the band of our mean.
func TestARunLikeOursHasOurShape(t *testing.T) {
	run := func(seed int) (ys []float64) {
		for k := range 8 {
			ys = append(ys, math.Pow(2, -float64(k))*math.Exp(0.1*math.Sin(float64((1+seed)*(3+k)))))
		}
		return ys
	}
	var recs []*records.Record
	for seed := range 16 {
		recs = append(recs, recordstest.Record("a", uint64(seed+1), run(seed)...))
	}
	same := 0
	for other := 16; other < 40; other++ {
		c := Claim{Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", PublishedIs: "run", Reference: &PublishedCurve{ID: "p", Figure: "Fig. 1"}}
		for k, y := range run(other) {
			c.Reference.Points = append(c.Reference.Points, []float64{math.Pow(2, float64(k)), y})
		}
		v := Judge(experiment(c), recs).Verdicts[0]
		assert.Equal(t, Reproduced, v.Parts.Shape, v.Reason)
		if v.Parts.Level == Reproduced {
			same++
		}
	}
	assert.Equal(t, 21, same, "of 24 have our level too, at 95 %")
}

// The curve of a mean is held against arithmetic means, whose logarithms lie above those of geometric ones.
func TestTheCurveOfAMeanHasOurMeans(t *testing.T) {
	c := Claim{Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", PublishedIs: "mean of 1000000", Reference: &PublishedCurve{ID: "p", Figure: "Fig. 1"}}
	var recs []*records.Record
	for seed := range 400 {
		var ys []float64
		for k := range 6 {
			v := 1.0
			if k > 2 {
				v += 0.4 * (1 - 2*float64((k+seed)%2))
			}
			ys = append(ys, v)
		}
		recs = append(recs, recordstest.Record("a", uint64(seed+1), ys...))
	}
	for k := range 6 {
		c.Reference.Points = append(c.Reference.Points, []float64{math.Pow(2, float64(k)), 1})
	}
	v := Judge(experiment(c), recs).Verdicts[0]
	assert.InDelta(t, 1, *v.Measured, 1e-12)
	assert.Equal(t, Reproduced, v.Parts.Shape, v.Reason)
}

// Curves are compared where all of them have values, before the first place at which rounding decides one of them.
func TestPlacesOfCurves(t *testing.T) {
	c := Claim{Reference: new(PublishedCurve)}
	for x := 1.0; x < 500; x += 0.5 {
		c.Reference.Points = append(c.Reference.Points, []float64{x, 1})
	}
	var curves []stats.SeedCurve
	for _, own := range [][3]int{{2, 390, 60}, {5, 380, 50}, {4, 370, 70}} {
		s := stats.SeedCurve{Rounded: float64(own[2])}
		for x := own[0]; x <= own[1]; x++ {
			s.X = append(s.X, float64(x))
		}
		curves = append(curves, s)
	}
	places, rounded := c.commonPlaces(curves)
	require.NotEmpty(t, places)
	assert.Equal(t, []float64{5, 370, 40, 50}, []float64{places[0], places[len(places)-1], float64(len(places)), rounded})
}

// What would have been seen: a factor up to 1 + the share, and the shortest way on which the height changes by what is visible.
func TestWhatACurveShows(t *testing.T) {
	c := Claim{Reference: &PublishedCurve{Points: [][]float64{{1, 1}, {5, 1}, {6, 1}}}}
	assert.True(t, c.telling(math.Log1p(0.25), nil, nil))
	assert.False(t, c.telling(0.24, nil, nil))
	d := comparison{Claim: c, places: []float64{1, 2, 3, 5}}
	least, most := d.lag(stats.JointBand{Mean: []float64{0, 0.15, 0.3, 0.3}}, []float64{0.2, 0.2, 0.2, 0.2})
	require.NotNil(t, least)
	assert.InDelta(t, 2-0.1/0.15, *least, 1e-12)
	assert.Nil(t, most, "a quarter of the range changes it by less than a quarter")
}

// Between two points a published curve is read on a straight line, of two logarithmic axes where it falls by orders of magnitude, with
// the error of y and that of x times the slope.
func TestReadBetween(t *testing.T) {
	steep := PublishedCurve{XError: 0.01, YError: 0.02, Relative: true, Points: [][]float64{{1, 1}, {10, 0.01}, {100, 1e-4}}}
	y, dy := steep.between(math.Sqrt(10))
	assert.InEpsilon(t, 0.1, y, 1e-12)
	assert.InEpsilon(t, 0.1*(0.02+2*0.01), dy, 1e-9, "the slope is -2")
	y, _ = steep.between(100.5)
	assert.InEpsilon(t, 1e-4*math.Pow(1.005, -2), y, 1e-9, "beyond the end, where the error of reading may put a place")
	flat := PublishedCurve{XError: 0.1, YError: 0.2, Points: [][]float64{{1, 4}, {3, 8}, {5, 8}}}
	y, dy = flat.between(2)
	assert.InEpsilon(t, 6, y, 1e-12)
	assert.InEpsilon(t, 0.2+2*0.1, dy, 1e-12)
	_, dy = (&PublishedCurve{XError: 0.1, YError: 0.2, Points: [][]float64{{1, 8}, {3, 4}, {5, 4}}}).between(2)
	assert.InEpsilon(t, 0.2+2*0.1, dy, 1e-12, "it falls")
	_, _, dx, dy := (&PublishedCurve{XError: 0.01, YError: 0.02, Relative: true, Points: [][]float64{{-4, 3}}}).At(0)
	assert.Equal(t, [2]float64{0.04, 0.06}, [2]float64{dx, dy})
	_, _, dx, dy = (&PublishedCurve{XError: 1, YError: 1, Points: [][]float64{{4, 3, 0.1, 0.2}}}).At(0)
	assert.Equal(t, [2]float64{0.1, 0.2}, [2]float64{dx, dy}, "those of the point")
	for _, points := range [][][]float64{{{1, 1}, {2, 100}, {3, 100}}, {{1, 1}, {100, 2}, {101, 2}}} {
		assert.True(t, (&PublishedCurve{Points: points}).logarithmic(), points)
	}
	assert.False(t, (&PublishedCurve{Points: [][]float64{{1, 1}, {5, 5}, {10, 10}}}).logarithmic())

	// Of two ends, the larger error counts, whichever end has it.
	own := PublishedCurve{Points: [][]float64{{1, 4, 0.1, 0.2}, {3, 8, 0.3, 0.4}, {5, 12, 0.1, 0.2}}}
	for _, x := range []float64{2, 4} {
		_, dy = own.between(x)
		assert.InEpsilon(t, 0.4+2*0.3, dy, 1e-12, "at %v", x)
	}
	own = PublishedCurve{Points: [][]float64{{1, 1, 0.01, 0.02}, {10, 0.01, 0.2, 0.0003}, {100, 1e-4, 1, 2e-6}}}
	for x, y := range map[float64]float64{math.Sqrt(10): 0.1, math.Sqrt(1000): 0.001} {
		_, dy = own.between(x)
		assert.InEpsilon(t, y*(0.03+2*0.02), dy, 1e-9, "at %v", x)
	}
}

// A published curve across the key of a grid is held against the metric at the end of the runs of each seed.
func TestCurveAcross(t *testing.T) {
	claim := Claim{Kind: "curve", Method: "a", Metric: "error", Across: "data.inputs", Curve: "p", PublishedIs: "run",
		Reference: &PublishedCurve{ID: "p", Figure: "Fig. 1", Points: [][]float64{{1, 1}, {4, 0.5}, {32, 0.177}}}}
	for _, n := range []string{"1", "2", "4", "8", "16", "32"} {
		claim.Members = append(claim.Members, "a,inputs="+n)
	}
	for times, want := range map[float64]Word{1: Reproduced, 1.5: Deviates} {
		var recs []*records.Record
		for seed := range 6 {
			var ys []float64
			for i := range 6 {
				ys = append(ys, times*math.Pow(2, -float64(i)/2)*math.Exp(0.03*math.Sin(float64((seed+1)*(i+3)))))
			}
			recs = append(recs, grid(uint64(seed+1), ys...)...)
		}
		v := Judge(experiment(claim), recs).Verdicts[0]
		assert.Equal(t, want, v.ByNumbers(), v.Reason)
		assert.Contains(t, v.Reason, "of 3 places from data.inputs 1 to 32")
		recs[7] = recordstest.Sized(2, 2, math.NaN())
		assert.Equal(t, Failed, Judge(experiment(claim), recs).Verdicts[0].Verdict)
	}
}

// The accepted levels are what the error of reading and the tolerance leave open, in the mean over the points.
func TestCurveRegion(t *testing.T) {
	c := Claim{Kind: "curve", Curve: "p", Reference: &PublishedCurve{ID: "p", YError: 0.02, Relative: true, Points: [][]float64{{1, 1}, {2, 0.5}, {3, 0.3}}}}
	for tolerance, high := range map[float64]float64{0: 1.02, 1.5: 1.5 * 1.02} {
		c.Tolerance = tolerance
		a, err := c.Accepts(Ratio)
		require.NoError(t, err)
		assert.InDelta(t, high, a.High, 1e-12)
		assert.InDelta(t, 1/high, a.Low, 1e-12)
	}
}

// The points of a published curve are part of what the claim says.
func TestCurveDefinition(t *testing.T) {
	c := Claim{ID: "k", Kind: "curve", Method: "a", Metric: "error", X: "step", Curve: "p", Reference: &PublishedCurve{ID: "p", Points: [][]float64{{1, 1}, {2, 0.5}, {3, 0.3}}}}
	d := c.Definition()
	back, err := d.Claim()
	require.NoError(t, err)
	assert.Equal(t, c.Reference.Points, back.Reference.Points)
	for _, p := range []PublishedCurve{{Points: [][]float64{{1, 1}, {1, 2}, {3, 4}}}, {Points: [][]float64{{1}, {2, 2}, {3, 4}}}, {Points: [][]float64{{1, 1}, {2, math.NaN()}, {3, 4}}}, {Points: [][]float64{{1, 1, 0, -1}, {2, 2}, {3, 4}}}, {Points: [][]float64{{1, 1}, {2, 2}}}} {
		wrong, _ := p.Wrong()
		assert.NotEmpty(t, wrong, p.Points)
	}
}

// Every kind that fits a slope leaves out rounding errors, in a warning that names the place.
func TestRoundingErrorsAreLeftOut(t *testing.T) {
	ended := func(of func(x float64) float64) func(x float64) float64 {
		return func(x float64) float64 { return max(of(x), 1e-17) }
	}
	var grid []*records.Record
	for seed := range 3 {
		for n := 1; n <= 1<<14; n *= 2 {
			grid = append(grid, recordstest.Sized(uint64(seed+1), n, ended(func(x float64) float64 { return math.Pow(x, -4-0.001*float64(seed)) })(float64(n))))
		}
	}
	several := func(of func(seed uint64, c float64) *records.Record) (recs []*records.Record) {
		for seed := range 3 {
			recs = append(recs, of(uint64(seed+1), math.Exp(0.01*float64(seed))))
		}
		return recs
	}
	power := several(func(seed uint64, c float64) *records.Record {
		r := recordstest.Power("a", seed, c, -4+0.001*c)
		for i := range r.Points {
			r.Points[i].Values["error"] = records.Value(max(1e-17, *r.Points[i].Values["error"]))
		}
		return r
	})
	along := several(func(seed uint64, c float64) *records.Record {
		return recordstest.Along("a", seed, ended(func(t float64) float64 { return c * math.Pow(0.9+0.0001*c, t) }))
	})
	members := []string{}
	for _, r := range grid[:15] {
		members = append(members, r.Header.Method)
	}
	for name, c := range map[string]struct {
		claim Claim
		recs  []*records.Record
		at    string
	}{
		"rate":             {rateOf("-4", 0.1, false), power, "from step 2048 on"},
		"rate of the mean": {with1(rateOf("-4", 0.1, false), func(c *Claim) { c.Statistic = "mean" }), power, "from step 2048 on"},
		"rate across":      {Claim{Kind: "rate", Across: "data.inputs", Members: members, Published: "-4", PublishedIs: "theorem", Tolerance: 0.1}, grid, "from data.inputs 1024 on"},
		"geometric":        {factorOf("0.9", 0.01, false), along, "from step 280 on"},
		"too few are left": {with1(rateOf("-4", 0.1, false), func(c *Claim) { c.Window = [2]float64{512, 1 << 19} }), power, "from step 2048 on"},
	} {
		t.Run(name, func(t *testing.T) {
			c.claim.Method, c.claim.Metric = "a", "error"
			v := Judge(experiment(c.claim), c.recs).Verdicts[0]
			want := Reproduced
			if name == "too few are left" {
				want = Inconclusive
			}
			require.Equal(t, want, v.ByNumbers(), v.Reason)
			require.Len(t, v.Warnings, 1)
			assert.Contains(t, v.Warnings[0], c.at)
		})
	}
}
