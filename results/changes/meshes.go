package changes

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// Nothing of a deterministic method is random: every point of its curve is compared by itself, without an interval over seeds.
const (
	meshMargin  = 0.05 // share by which an error may grow at a mesh: that of the constant of an error
	orderMargin = 0.1  // by which settled orders may fall although no error is larger
	floorMoves  = 10   // how many times as large errors may become that rounding decides: another order of additions moves them as much
	meshPlaces  = 64   // of a curve

	plateauShare = 1e-8 // of the largest value of a curve: what stops falling above it does so for other reasons than rounding
)

// deterministic reports whether nothing of the methods is random: the spec says so, or there are two seeds or more; and all have the same
// values, accepted and now.
func deterministic(exp claims.Experiment, ids []string, base, now []Cell, anySettings bool) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		was, is := matched(base, now, id, anySettings)
		return !declared(exp, id) && len(was) < 2 || distinct(was) > 1 || distinct(is) > 1
	})
}

// declared reports whether the spec says that a method is deterministic.
func declared(exp claims.Experiment, id string) bool {
	return slices.ContainsFunc(exp.Methods, func(m claims.Method) bool { return m.ID == id && m.Deterministic })
}

// meshOf returns the discretisation parameter against which a method was measured: that of a claim, or else one that the experiment
// has. It is empty if the curve is one of steps.
func meshOf(exp claims.Experiment, method string, all []Series) string {
	var names []string
	for _, c := range exp.Claims {
		if a, _ := exp.Abscissa(c.X); a.Finer != "" && slices.Contains(c.Methods(), method) {
			names = append(names, c.X)
		}
	}
	for _, a := range exp.Abscissae {
		names = append(names, a.Name)
	}
	i := slices.IndexFunc(names, func(name string) bool { return slices.ContainsFunc(all, Series{Method: method, Metric: name}.same) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// A mesh is a point of two curves: at the accepted place from, and now at the place at, which is another if both are ends at different
// steps.
type mesh struct{ from, at, was, is float64 }

// points returns the places and values of the i-th seed, in which a mesh is one that only has its accepted value: against the series of
// x or, if there is none, against steps. The place of an end at no known step is NaN.
func (s Series) points(i int, x string, all []Series) (points []mesh) {
	k := slices.IndexFunc(all, Series{Method: s.Method, Metric: x}.same)
	for place, v := range s.of(i) {
		at := math.NaN()
		switch {
		case k >= 0:
			at = all[k].value(s.Seeds[i], s.step(place))
		case place < len(s.Steps) || s.Last > 0:
			at = float64(s.step(place))
		}
		if !math.IsNaN(v) {
			points = append(points, mesh{from: at, was: v})
		}
	}
	return points
}

// step returns the step of a place, that of the end being Last.
func (s Series) step(place int) int {
	if place < len(s.Steps) {
		return s.Steps[place]
	}
	return s.Last
}

// value returns the value of a seed at a step of s, NaN if there is none.
func (s Series) value(seed uint64, step int) float64 {
	i, place := slices.Index(s.Seeds, seed), slices.Index(s.Steps, step)
	if step == s.Last {
		place = len(s.Steps)
	}
	if i < 0 || place < 0 {
		return math.NaN()
	}
	return s.of(i)[place]
}

// paired pairs the points of two curves at the same places; missing are the accepted places that are not there now. The end of a curve
// of steps, which may come sooner or later, is paired with the end.
func paired(was, is []mesh, steps bool) (all []mesh, missing []float64) {
	for i, p := range was {
		k := slices.IndexFunc(is, func(q mesh) bool { return math.Abs(p.from-q.from) <= 4*packed*math.Abs(p.from) })
		end := i == len(was)-1 && len(is) > 0 && (steps || math.IsNaN(p.from) || math.IsNaN(is[len(is)-1].from))
		switch {
		case k < 0 && end:
			k = len(is) - 1
			fallthrough
		case k >= 0:
			all = append(all, mesh{p.from, is[k].from, p.was, is[k].was})
		case !steps || len(is) == 0 || p.from < is[len(is)-1].from:
			missing = append(missing, p.from)
		}
	}
	return all, missing
}

// meshShifts compares the curve of a deterministic method, one of base, with that of now point by point, against the parameter x or, if
// that is empty, against steps.
func (s Series) meshShifts(metric claims.Metric, base, now []Series, x string) []Shift {
	k := slices.IndexFunc(now, s.same)
	if k < 0 {
		return s.shifts(metric.Better, now, nil) // which says so
	}
	var worst []Shift
	floor, name := floors(base).of(s.Method, s.Metric), "step "
	if x != "" {
		name = x + " = "
	}
	for i, seed := range s.Seeds {
		j := slices.Index(now[k].Seeds, seed)
		if j < 0 {
			continue
		}
		all, missing := paired(s.points(i, x, base), now[k].points(j, x, now), x == "")
		found := judge(all, metric, name, floor)
		if len(missing) > 0 {
			found = append(found, Shift{Part: OfSteps, State: records.Worse, Reason: fmt.Sprintf("%s is no longer measured at %s%s, %d of %s; if that is right, accept it",
				s.Metric, name, printed.List(printed.Each(missing, printed.Number)), len(missing), printed.Count(len(missing)+len(all), "place"))})
		}
		if len(worst) == 0 || len(found) > 0 && slices.Index(records.Matches, found[len(found)-1].State) < slices.Index(records.Matches, worst[len(worst)-1].State) {
			worst = found
		}
	}
	for i := range worst {
		worst[i].Layer, worst[i].Metric, worst[i].Seeds = OfCurves, s.Metric, len(s.Seeds)
	}
	return worst
}

// where says at which meshes the metric of a claim about deterministic methods moved, empty if only rounding moved it, and whether
// it got worse.
func where(exp claims.Experiment, c claims.Claim, base, now Snapshot) (text string, worse bool) {
	for _, s := range base.Series {
		if s.Metric != c.Metric || !slices.Contains(c.Methods(), s.Method) {
			continue
		}
		for _, found := range s.meshShifts(exp.Metric(c.Metric), base.Series, now.Series, meshOf(exp, s.Method, base.Series)) {
			if found.Part != OfBits {
				text, worse = text+"; "+found.Reason, worse || found.State == records.Worse
			}
		}
	}
	return text, worse
}

// quiet reports whether only rounding moved everything that a claim about deterministic methods is measured from, on the accepted meshes
// and no others.
func quiet(exp claims.Experiment, c claims.Claim, base, now Snapshot) bool {
	for _, name := range []string{c.Metric, c.X, c.At.X} {
		if a, known := records.AbscissaOf(name); name == "" || known && a.Source == records.Place {
			continue
		}
		for _, method := range c.Methods() {
			i, k := slices.IndexFunc(base.Series, Series{Method: method, Metric: name}.same), slices.IndexFunc(now.Series, Series{Method: method, Metric: name}.same)
			if i < 0 || k < 0 || base.Series[i].Places() != now.Series[k].Places() || slices.Contains([]int{seriesPlaces, meshPlaces}, base.Series[i].Places()) {
				return false // the last have more points than places
			}
			if len(base.Series[i].meshShifts(exp.Metric(name), base.Series, now.Series, meshOf(exp, method, base.Series))) > 0 {
				return false
			}
		}
	}
	return true
}

// judge compares the points of two curves of a metric. It returns nothing if only rounding moved them.
func judge(all []mesh, metric claims.Metric, x string, floor float64) []Shift {
	largest, signed := 0.0, metric.Signed
	for _, m := range all {
		if !math.IsInf(m.was, 0) {
			largest, signed = max(largest, math.Abs(m.was)), signed || m.was < -floor
		}
	}
	s := Shift{Part: OfMeshes, State: records.Same, Moved: true, Margin: meshMargin}
	at, far, n := -1, 0.0, 0 // of the worst state: where it shows most, by which share, and at how many places
	for i, m := range all {
		unit := math.Abs(m.was)
		if signed {
			unit = largest
		}
		of, share := m.moved(metric.Better, unit, floor)
		if of == "" || at >= 0 && slices.Index(records.Matches, of) > slices.Index(records.Matches, s.State) {
			continue
		}
		if of != s.State {
			s.State, far, n = of, 0, 0
		}
		if n++; share >= 0.99*far { // of those as far the finest
			at, far = i, max(far, share)
		}
	}
	if metric.Better == "smaller" && s.State != records.Worse {
		if s.Reason = lostOrder(all, x, floor); s.Reason != "" {
			s.State, at = records.Worse, 0
		}
	}
	if at < 0 {
		return nil
	}
	if s.Reason == "" {
		s.Size = records.Value(all[at].is / all[at].was)
		s.Reason = all[at].sentence(metric.Name, x, floor)
		switch s.State {
		case records.Same:
			s.Reason += ", more than rounding and within the margin of " + s.MarginText()
		case records.Worse, records.Better:
			s.Reason += fmt.Sprintf(", and beyond the margin of %s at %d of %s", s.MarginText(), n, printed.Count(len(all), "place"))
			s.Reason += orderBetween(all, x, s.State == records.Worse)
		}
	}
	if s.State == records.Better {
		s.Reason += "; accept it, so that it is not lost again"
	}
	s.Moved = s.State == records.Same
	return []Shift{{Part: OfBits, State: records.Same, Moved: true, Reason: "values moved by more than rounding"}, s}
}

// moved says what a value did, nothing if only rounding moved it, and by which share of unit.
func (m mesh) moved(better string, unit, floor float64) (of records.Match, share float64) {
	by := math.Abs(m.is - m.was)
	worse := better != "smaller" && better != "larger" || (m.is > m.was) == (better == "smaller")
	if endless := math.IsInf(m.is, 0); endless || math.IsInf(m.was, 0) {
		by, worse, unit = math.Inf(1), endless, 1
		if endless && math.IsInf(m.was, 0) {
			return "", 0
		}
	}
	share = by / max(unit, floor)
	switch over := by - floor; {
	case over <= rounding*unit:
		return "", share
	case over <= meshMargin*unit:
		return records.Same, share
	case worse:
		return records.Worse, share
	}
	return records.Better, share
}

// sentence says how a value moved at its place.
func (m mesh) sentence(metric, x string, floor float64) string {
	where := "at the end"
	if !math.IsNaN(m.at) {
		where = fmt.Sprintf("at %s%s", x, printed.Number(m.at))
	}
	if m.at != m.from && !math.IsNaN(m.from) && !math.IsNaN(m.at) {
		where += fmt.Sprintf(", where it ends now and not at %s,", printed.Number(m.from))
	}
	if ratio := m.is / m.was; m.was > floor && m.is > 0 && !math.IsInf(ratio, 0) {
		return fmt.Sprintf("%s %s is %s times the accepted one", where, metric, printed.Digits(ratio, 3))
	}
	return fmt.Sprintf("%s %s is %s and was %s", where, metric, printed.Number(m.is), printed.Number(m.was))
}

// orderBetween says between which neighbours the observed order moved most to the worse, or to the better, if one moved by more than its margin.
func orderBetween(all []mesh, x string, worse bool) string {
	far, text := orderMargin, ""
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		was, is := stats.OrderBetween(a.at, a.was, b.at, b.was), stats.OrderBetween(a.at, a.is, b.at, b.is)
		slower := is - was
		if (b.at < a.at) == worse {
			slower = -slower
		}
		if slower >= far && !math.IsInf(slower, 0) {
			far, text = slower, fmt.Sprintf("; the order between %s%s and %s was %s and is %s", x, printed.Number(a.at), printed.Number(b.at), decimals(was), decimals(is))
		}
	}
	return text
}

// decimals writes an order as tables of convergence print it.
func decimals(order float64) string { return fmt.Sprintf("%.2f", order) }

// lostOrder says that the settled order of a curve is certainly lower than the accepted one, and that its last meshes fall less by more
// than changes within their margins can make; empty if not.
func lostOrder(all []mesh, x string, floor float64) string {
	was, is := ordersOf(all, func(m mesh) float64 { return m.was }), ordersOf(all, func(m mesh) float64 { return m.is })
	if was.Why != "" || is.Why != "" {
		return ""
	}
	a, b := all[max(0, len(all)-4)], all[len(all)-1]
	fell, apart := math.Abs(was.Mean)-math.Abs(is.Mean), was.Low > is.High
	if was.Mean < 0 {
		apart = was.High < is.Low
	}
	if less := math.Log(b.is / a.is * a.was / b.was); !apart || fell <= orderMargin || min(b.was, b.is) <= floor || less <= 2*math.Log1p(meshMargin) {
		return ""
	}
	return fmt.Sprintf("no value is larger, and the order was %s [%s, %s] and is %s [%s, %s], so that finer meshes lose%s",
		decimals(was.Mean), decimals(was.Low), decimals(was.High), decimals(is.Mean), decimals(is.Low), decimals(is.High), orderBetween(all, x, true))
}

// ordersOf returns the orders of one of two curves.
func ordersOf(all []mesh, of func(mesh) float64) stats.Orders {
	r := &records.Record{}
	for i, m := range all {
		r.Points = append(r.Points, records.Point{Step: i + 1, Values: map[string]*float64{"x": records.Value(m.at), "y": records.Value(of(m))}})
	}
	o, err := stats.PowerLaw.FitOrders(r, "y", "x", [2]float64{}, false)
	if err != nil {
		o.Why = err.Error()
	}
	return o
}

// plateau returns the largest value from where rounding decides on, 0 if it decides nowhere, or if the curve rises again.
func (s Series) plateau() (most float64) {
	for i := range s.Seeds {
		points, largest := s.points(i, "", nil), 0.0
		for k, m := range points {
			points[k].at, largest = float64(k+1), max(largest, m.was)
		}
		from := ordersOf(points, func(m mesh) float64 { return m.was }).Rounded
		for _, m := range points {
			switch {
			case from == 0 || m.at < from:
			case m.was > plateauShare*largest:
				return 0
			default:
				most = max(most, m.was)
			}
		}
	}
	return most
}
