package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// curveKind is the kind that judges a whole curve of a figure.
const curveKind = "curve"

var _ = Register(Kind{
	Name: curveKind, Doc: "the curve of the metric is a published one, over the range that both have: at all places together, and its level and its shape apart",
	Needs: []string{"curve"},
	May:   []string{"x", "across", "at", "published_is", "published_says", "tolerance", "why", "window", "unit", "visible", "visible_why"},
	Check: func(c *Claim, keys Keys) {
		switch {
		case !keys.Has("across") && !keys.Has("x"):
			keys.Wrong("x", "missing; a claim of kind %q needs it, or across", c.Kind)
		case keys.Has("across") && keys.Has("x"):
			keys.Wrong("x", "contradicts %s; keep one", keys.Place("across"))
		case keys.Has("x"):
			needless(keys, "across", "at")
		}
		switch {
		case !keys.Has("tolerance"):
		case c.Tolerance < 1:
			keys.Wrong("tolerance", "is a factor between the published curve and ours; must be >= 1, got %v", c.Tolerance)
		case keys.Has("visible"):
			keys.Wrong("visible", "has no effect with %s; keep one", keys.Place("tolerance"))
		}
	},
	Measure: single(measureCurve), Accept: curveRegion, Quantity: Ratio,
	Margin: func(c Claim) float64 {
		if c.Tolerance > 1 {
			return factorMargin(c)
		}
		return coarsest
	},
	Called: "level",
	Holds:  "the curve of {metric} of {method} is the published one, at {number} times its height",
})

// Number of places at which curves are compared: more than most would cost power, and fewer than the least have no shape.
const leastPlaces, mostPlaces = 3, 40

// curveRegion returns the levels that the tolerance or, without one, the reading of the published curve leaves open: Exact is 1.
func curveRegion(c Claim, _ Quantity) (Region, error) {
	if c.Reference == nil {
		return Region{}, fmt.Errorf("the points of the published curve %s are not there", printed.Quote(c.Curve))
	}
	margin := 0.0
	for i := range c.Reference.Points {
		if _, y, _, dy := c.Reference.At(i); y > 0 {
			margin += math.Log1p(dy/y) / float64(len(c.Reference.Points))
		}
	}
	if c.Tolerance > 1 {
		margin += math.Log(c.Tolerance)
	}
	return Region{Low: math.Exp(-margin), High: math.Exp(margin), Exact: 1}, nil
}

// A comparison has our curves divided by the published one of a claim.
type comparison struct {
	Claim
	places  []float64
	ratios  [][]float64 // of each seed, at each place
	margins []float64   // at each place, the logarithm of the factor that reading and tolerance leave open
}

// mostSpread is the largest standard deviation over seeds, of logarithms, with which the mean curve of several runs has a band that
// covers what it says: docs/error-rates.md has the simulation.
const mostSpread = 0.5

// measureCurve compares the curves of all seeds with the published one. The number is the level: the best constant factor.
func measureCurve(c Claim, recs []*records.Record) (m Measurement, err error) {
	if c.Reference == nil {
		return m, fmt.Errorf("the points of the published curve %s are not there", printed.Quote(c.Curve))
	}
	d := comparison{Claim: c}
	curves := stats.Along(recs, c.Metric, c.X)
	if c.Across != "" {
		if curves, err = stats.AlongGrid(recs, c.Metric, c.Across, c.At); err != nil {
			return m, err
		}
	}
	places, rounded := c.commonPlaces(curves)
	if rounded > 0 {
		m.Warnings = append(m.Warnings, c.roundedText(rounded))
	}
	if d.places = places; len(d.places) < leastPlaces {
		return m, fmt.Errorf("%s and the published curve have %s in common, and a shape needs %d; run longer, or evaluate more often", c.Method, printed.Count(len(d.places), "place"), leastPlaces)
	}
	for _, own := range curves {
		row, err := d.compare(own)
		if err != nil {
			return m, err
		}
		d.ratios, m.Seeds = append(d.ratios, row), append(m.Seeds, own.Seed)
	}
	for _, x := range d.places {
		y, dy := c.Reference.between(x)
		d.margins = append(d.margins, math.Log1p(dy/y)+math.Log(max(1, c.Tolerance)))
	}
	m.What = fmt.Sprintf("level of %s of %s over the published curve of %s", c.Metric, c.Method, c.Reference.Figure)
	if m.Estimate = stats.GeometricInterval(d.levels()); d.ofMean() {
		m.Estimate = stats.MeanInterval(d.levels())
	}
	if len(curves) > 1 {
		d.judge(&m)
	}
	return m, nil
}

// confidence returns the confidence at which the look with these seeds decides.
func (d comparison) confidence() float64 { return stats.LookLevel(len(d.ratios), d.planned, d.Runs()) }

// levels returns the mean ratio of each seed: a geometric mean or, of means, an arithmetic one.
func (d comparison) levels() (all []float64) {
	for _, row := range d.ratios {
		level := 0.0
		for _, v := range row {
			if d.ofMean() {
				level += v / float64(len(row))
			} else {
				level += math.Log(v) / float64(len(row))
			}
		}
		if !d.ofMean() {
			level = math.Exp(level)
		}
		all = append(all, level)
	}
	return all
}

// axis names what curves, and lines across a grid, are against.
func (c Claim) axis() string { return cmp.Or(c.Across, abscissaOf(c)) }

// commonPlaces returns the places at which the published curve, up to its error of reading, and all runs have values: those of the
// sparser of them, at most mostPlaces at equal distances in their order, in the claim's window and before rounding errors may decide
// ours, from which place on is 0 if nowhere.
func (c Claim) commonPlaces(curves []stats.SeedCurve) (some []float64, rounded float64) {
	points := c.Reference.Points
	low, _, before, _ := c.Reference.At(0)
	high, _, beyond, _ := c.Reference.At(len(points) - 1)
	low, high = low-before, high+beyond
	if c.Window != [2]float64{} {
		low, high = max(low, c.Window[0]), min(high, c.Window[1])
	}
	var ours []float64
	for i, c := range curves {
		if c.Rounded > 0 && (rounded == 0 || c.Rounded < rounded) {
			rounded = c.Rounded
		}
		if len(c.X) == 0 {
			return nil, rounded
		}
		low, high = max(low, c.X[0]), min(high, c.X[len(c.X)-1])
		if i == 0 {
			ours = slices.Clone(c.X)
		}
	}
	var theirs []float64
	for _, p := range points {
		theirs = append(theirs, p[0])
	}
	inside := func(all []float64) []float64 {
		return slices.DeleteFunc(all, func(x float64) bool { return x < low || x > high })
	}
	places := inside(ours)
	if theirs = inside(theirs); len(theirs) < len(places) {
		places = theirs
	}
	for _, i := range stats.Evenly(len(places), mostPlaces) {
		some = append(some, places[i])
	}
	return slices.Compact(some), rounded
}

// compare returns the seed's ratios to the published curve. Between evaluations, or settings, it is read as the published curve is.
func (d comparison) compare(c stats.SeedCurve) (ratios []float64, err error) {
	var own PublishedCurve
	for i, x := range c.X {
		own.Points = append(own.Points, []float64{x, c.Y[i]})
	}
	for _, x := range d.places {
		theirs, _ := d.Reference.between(x)
		v := own.Points[0][1]
		if len(own.Points) > 1 {
			v, _ = own.between(x)
		}
		v *= d.factor()
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return nil, fmt.Errorf("%s of %s seed %d is %w at %s %s", d.Metric, d.Method, c.Seed, stats.ErrNotFinite, d.axis(), printed.Number(x))
		case min(v, theirs) <= 0:
			return nil, fmt.Errorf("%s of %s seed %d is %s at %s %s, and the published curve is %s; only positive values have a ratio", d.Metric, d.Method, c.Seed, printed.Number(v), d.axis(), printed.Number(x), printed.Number(theirs))
		}
		ratios = append(ratios, v/theirs)
	}
	return ratios, nil
}

// telling reports whether a constant factor, as its logarithm, and a lag that would have been seen are as small as the claim asks. A lag
// counts only where the largest that it accepts changes the curve by more than the largest factor.
func (c Claim) telling(factor float64, lag, most *float64) bool {
	share := cmp.Or(c.Visible, seenShare)
	return factor <= math.Log1p(share)*(1+1e-12) && (most == nil || lag != nil && *lag <= *most)
}

// lag returns the smallest shift along x that would have been seen where the curve is: the shortest way between two places whose heights
// differ by what would be seen at both; nil if there are none. most is the largest that the claim accepts, nil if the curve changes by
// less than the largest accepted factor within it.
func (d comparison) lag(band stats.JointBand, visible []float64) (least, most *float64) {
	share := cmp.Or(d.Visible, seenShare)
	length := d.places[len(d.places)-1] - d.places[0]
	heights := make([]float64, len(d.places))
	for j, x := range d.places {
		y, _ := d.Reference.between(x)
		heights[j] = band.Mean[j] + math.Log(y)
	}
	for j, x := range d.places {
		for i := j - 1; i >= 0; i-- {
			way, apart, need := x-d.places[i], math.Abs(heights[i]-heights[j]), max(visible[i], visible[j])
			if way <= share*length && apart > math.Log1p(share) {
				most = new(share * length)
			}
			if before := math.Abs(heights[i+1] - heights[j]); apart > 0 && apart >= need {
				way -= (d.places[i+1] - d.places[i]) * (apart - need) / (apart - before)
				if least == nil || way < *least {
					least = &way
				}
				break
			}
		}
	}
	return least, most
}

// judge decides the claim. Without a tolerance it deviates if the published curve leaves, by more than its reading error, the band
// that holds a curve like it at all places together, and is reproduced if it does not and a constant factor and a lag of seenShare would
// have been seen. With a tolerance, the band of our mean must lie within the tolerance at every place. The level and the shape, which is
// what is left after the best constant factor, are judged apart, each by the band of a curve like the published one.
func (d comparison) judge(m *Measurement) {
	band := stats.NewJointBand(d.ratios, d.ofMean(), d.confidence())
	at, distance := band.Farthest(d.margins, d.Runs())
	seen := make([]float64, len(d.margins))
	for j, margin := range d.margins {
		seen[j] = band.Visible(j, d.Runs(), margin)
	}
	visible := slices.Min(seen)
	lag, most := d.lag(band, seen)
	m.Word = Inconclusive
	switch {
	case d.ofMean() && slices.Max(band.SD) > mostSpread:
	case distance > 1:
		m.Word = Deviates
	case d.Tolerance > 1 && d.within(band), d.Tolerance <= 1 && m.N >= runSeeds && d.telling(visible, lag, most):
		m.Word = Reproduced
	}
	level, levelText := d.level(m.Estimate)
	shape, shapeText := d.shape()
	m.Parts = &Parts{Level: level, Shape: shape, Places: len(d.places), At: d.places[at], Distance: finite(distance), Visible: finite(math.Exp(visible)), Lag: lag, MostLag: most}
	below, above := band.Around(at, d.Runs())
	m.Reason = fmt.Sprintf("%s, %s; of %d places from %s %s to %s, ours lies farthest from the published curve at %s, where it is %s times as high; %s is expected within %s to %s times our mean there, at all places together (%s)",
		levelText, shapeText, len(d.places), d.axis(), printed.Number(d.places[0]), printed.Number(d.places[len(d.places)-1]), printed.Number(d.places[at]),
		times(band.Mean[at]), d.expected(), times(-below), times(above), percent(d.confidence()))
	if reading := slices.Max(d.margins) - math.Log(max(1, d.Tolerance)); reading > 0 {
		m.Reason += fmt.Sprintf("; the curve was read to %s %% or better", printed.Digits(100*math.Expm1(reading), 2))
	}
	if d.Tolerance > 1 {
		m.Reason += fmt.Sprintf("; accepted is a factor of %s at every place", printed.Number(d.Tolerance))
	}
	m.Reason += fmt.Sprintf("; a constant factor of %s%s would have been seen", times(visible), d.lagText(lag))
	if d.Tolerance <= 1 && !d.telling(visible, lag, most) {
		m.Reason += d.askedText(most)
	}
	if d.ofMean() && slices.Max(band.SD) > mostSpread {
		m.Reason += "; the runs spread so much that no band of a mean of several can be trusted"
	}
}

// lagText names the smallest lag that would have been seen.
func (d comparison) lagText(lag *float64) string {
	if lag == nil {
		return ", and no lag,"
	}
	return fmt.Sprintf(" and a lag of %s %s", printed.Digits(*lag, 2), d.axis())
}

// askedText says what must be seen for the claim to be reproduced.
func (c Claim) askedText(most *float64) string {
	share := cmp.Or(c.Visible, seenShare)
	text := fmt.Sprintf("; reproduced asks for a factor of %s", printed.Number(1+share))
	if most != nil {
		text += fmt.Sprintf(" and a lag of %s %s", printed.Digits(*most, 2), c.axis())
	}
	return text
}

// within reports whether the band of our mean lies within the margins at all places.
func (d comparison) within(band stats.JointBand) bool {
	for j, mean := range band.Mean {
		below, above := band.Around(j, math.Inf(1))
		if mean+above > d.margins[j] || mean-below < -d.margins[j] {
			return false
		}
	}
	return true
}

// times writes the factor that has a logarithm.
func times(log float64) string { return printed.Digits(finite(math.Exp(log)), 3) }

// finite returns a number that JSON can have.
func finite(v float64) float64 { return min(v, math.MaxFloat64) }

// expected names what the band is of.
func (d comparison) expected() string {
	if math.IsInf(d.Runs(), 1) {
		return "the expectation"
	}
	return furtherRuns(d.PublishedIs)
}

// level judges the level by itself, and says what it is: that of the published curve if the interval of a curve like it meets what
// reading and tolerance leave open.
func (d comparison) level(e stats.Estimate) (Word, string) {
	margin := 0.0
	for _, v := range d.margins {
		margin += v / float64(len(d.margins))
	}
	text := fmt.Sprintf("%s [%s, %s] times as high", printed.Digits(e.Mean, 3), printed.Digits(e.Low, 3), printed.Digits(e.High, 3))
	if low, high := e.At(d.confidence()).Next(d.Runs()); high < math.Exp(-margin) || low > math.Exp(margin) {
		return Deviates, text
	}
	return Reproduced, "same level (" + text + ")"
}

// shape judges the curves divided by their levels, and says what they show.
func (d comparison) shape() (Word, string) {
	shapes := make([][]float64, len(d.ratios))
	for i, level := range d.levels() {
		for _, v := range d.ratios[i] {
			shapes[i] = append(shapes[i], v/level)
		}
	}
	band := stats.NewJointBand(shapes, d.ofMean(), d.confidence())
	at, distance := band.Farthest(d.margins, d.Runs())
	if distance <= 1 {
		return Reproduced, "same shape"
	}
	return Deviates, fmt.Sprintf("another shape: beside the level, ours is %s times as high at %s %s", times(band.Mean[at]), d.axis(), printed.Number(d.places[at]))
}

// Parts say what a claim of a whole curve is made of.
type Parts struct {
	Level    Word    `json:"level"`
	Shape    Word    `json:"shape"`
	Places   int     `json:"places"`   // at which the curves are compared
	At       float64 `json:"at"`       // where ours lies farthest from the published curve
	Distance float64 `json:"distance"` // there, in halves of the band that holds a curve like the published one
	Visible  float64 `json:"visible"`  // constant factor that would have been seen with probability stats.Power

	Lag     *float64 `json:"lag,omitempty"`      // shift along x that would have been seen with the same probability
	MostLag *float64 `json:"most_lag,omitempty"` // the largest that the claim accepts, where that makes a difference
}

// A PublishedCurve is a curve of a figure of the paper, as points.
type PublishedCurve struct {
	ID       string `toml:"id" json:"id" must:"yes" doc:"name of the curve, for claims of kind curve"`
	Figure   string `toml:"figure" json:"figure" must:"yes" doc:"the paper's figure, such as Fig. 3 (top left)"`
	Page     int    `toml:"page" json:"page,omitempty" want:">= 0" doc:"its page"`
	Obtained string `toml:"obtained" json:"obtained" must:"yes" want:"vector|raster|table|data" doc:"how the points were obtained: read from the paths of a vector figure, from the pixels of a picture, from a table, or from data of the authors"`
	How      string `toml:"how" json:"how,omitempty" doc:"the file, the program and the calibration that they were read with"`

	File  string `toml:"file" json:"-" not:"points" doc:"file with the points, which may be of several curves: CSV with the columns x and y, and if known curve, x_error and y_error; or a project or an export of WebPlotDigitizer. It is relative to the spec"`
	Curve string `toml:"curve" json:"-" needs:"file" doc:"name of the curve in the file; the id if left out"`

	Points   [][]float64 `toml:"points" json:"points" doc:"in place of file: the points [x, y] or [x, y, x_error, y_error], with rising x"`
	XError   float64     `toml:"x_error" json:"x_error,omitempty" want:">= 0" doc:"largest error of reading x, for points without one"`
	YError   float64     `toml:"y_error" json:"y_error,omitempty" want:">= 0" doc:"largest error of reading y, for points without one"`
	Relative bool        `toml:"relative" json:"relative,omitempty" doc:"x_error and y_error are shares of x and of y, as on logarithmic axes"`
}

// At returns the point with an index: x and y with their largest errors of reading.
func (c *PublishedCurve) At(i int) (x, y, dx, dy float64) {
	p := c.Points[i]
	x, y, dx, dy = p[0], p[1], c.XError, c.YError
	if c.Relative {
		dx, dy = dx*math.Abs(x), dy*math.Abs(y)
	}
	if len(p) == 4 {
		dx, dy = p[2], p[3]
	}
	return x, y, dx, dy
}

// Wrong returns what is wrong with the points and the index of the first that it is about; empty if nothing is.
func (c *PublishedCurve) Wrong() (wrong string, at int) {
	for i, p := range c.Points {
		switch {
		case len(p) != 2 && len(p) != 4:
			return "is not [x, y] or [x, y, x_error, y_error]", i
		case slices.ContainsFunc(p, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }):
			return "is not finite", i
		case len(p) == 4 && min(p[2], p[3]) < 0:
			return "has an error below 0", i
		case i > 0 && p[0] <= c.Points[i-1][0]:
			return "does not lie beyond the point before it; sort the points by x, and keep one at each", i
		}
	}
	if len(c.Points) < leastPlaces {
		return "a curve needs 3 points", 0
	}
	return "", 0
}

// logarithmic reports whether points are read between as on two logarithmic axes: all values are positive, and y or x goes over
// more than a factor of ten.
func (c *PublishedCurve) logarithmic() bool {
	low, high := math.Inf(1), 0.0
	for _, p := range c.Points {
		if min(p[0], p[1]) <= 0 {
			return false
		}
		low, high = min(low, p[1]), max(high, p[1])
	}
	return high/low > 10 || c.Points[len(c.Points)-1][0]/c.Points[0][0] > 10
}

// between returns y at x, which lies between two points or at one, or a little beyond the ends, with the largest error of reading: its
// own, and that of x along the stretch between them.
func (c *PublishedCurve) between(x float64) (y, dy float64) {
	log := c.logarithmic()
	scale, back := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if log {
		scale, back = math.Log, math.Exp
	}
	i := 1
	for i < len(c.Points)-1 && c.Points[i][0] < x {
		i++
	}
	x0, y0, dx0, dy0 := c.At(i - 1)
	x1, y1, dx1, dy1 := c.At(i)
	slope := (scale(y1) - scale(y0)) / (scale(x1) - scale(x0))
	y = back(scale(y0) + slope*(scale(x)-scale(x0)))
	if log {
		return y, y * (max(dy0/y0, dy1/y1) + math.Abs(slope)*max(dx0/x0, dx1/x1))
	}
	return y, max(dy0, dy1) + math.Abs(slope)*max(dx0, dx1)
}
