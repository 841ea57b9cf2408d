package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// isFixed reports whether the records of a claim's method are one run: nothing is drawn at random, by declaration or because two seeds
// gave the same values. It is an error if the spec says so and the seeds differ.
func (c Claim) isFixed(recs []*records.Record) (bool, error) {
	if c.Statistic != "" || records.Timed(c.X) || records.Timed(c.Metric) {
		return false, nil
	}
	for _, r := range recs[1:] {
		if !slices.EqualFunc(recs[0].Points, r.Points, func(a, b records.Point) bool { return a.Step == b.Step && c.same(a, b) }) {
			if c.fixed {
				return true, fmt.Errorf("%s is said to be deterministic, and seeds %d and %d have other values of %s; find out what is drawn, or remove deterministic",
					c.Method, recs[0].Header.Seed, r.Header.Seed, c.Metric)
			}
			return false, nil
		}
	}
	return c.fixed || len(recs) > 1, nil
}

// same reports whether two points have the same value of the claim's metric at the same place.
func (c Claim) same(a, b records.Point) bool {
	x, _ := a.Abscissa(c.X)
	y, _ := b.Abscissa(c.X)
	v, _ := a.Measure(c.Metric)
	w, _ := b.Measure(c.Metric)
	return x == y && v == w
}

// fixedLine measures the line through the curve of a run in which nothing is drawn at random; fixed reports whether the records are one.
func (c Claim) fixedLine(form *stats.Form, recs []*records.Record, what string) (m Measurement, fixed bool, err error) {
	if fixed, err = c.isFixed(recs); err != nil || !fixed {
		return m, fixed, err
	}
	o, err := form.FitOrders(recs[0], c.Metric, abscissaOf(c), c.Window, c.Richardson)
	if err != nil {
		return m, true, err
	}
	m.Fixed, m.Orders, m.What = true, &o, what
	m.Estimate = stats.Estimate{Mean: o.Mean, Low: o.Low, High: o.High, SD: math.NaN(), N: len(recs)}
	if o.Why == "" {
		m.Window = &[2]float64{min(o.Window[0], o.Window[1]), max(o.Window[0], o.Window[1])}
	}
	if o.Rounded > 0 {
		m.Warnings = append(m.Warnings, c.roundedText(o.Rounded))
	}
	return m, true, nil
}

// fixedWord returns the word for a number of a run in which nothing is drawn at random, and the reason. A printed number of runs is met
// by a range that holds one that rounds to it, if it is no wider than the difference that must be seen.
func (m Measurement) fixedWord(k float64) (word Word, reason string) {
	a := m.accept
	reason = fmt.Sprintf("%s is %s%s, exactly, because nothing is drawn at random, which %s", m.What, printed.Number(m.Mean), m.Unit, a.relation(m.Low, m.High))
	if m.Orders != nil {
		reason = m.ordersText()
		if m.Orders.Why != "" {
			return Inconclusive, reason + "; accepted is " + a.String()
		}
		reason += ", which " + a.relation(m.Low, m.High)
	}
	switch {
	case a.misses(m.Low, m.High):
		return Deviates, reason
	case a.contains(m.Low, m.High), a.ofRuns(k) && m.High-m.Low <= a.seen:
		return Reproduced, reason
	}
	return Inconclusive, reason
}

// mostOrders is how many of the observed orders a reason has.
const mostOrders = 6

// ordersText says what the curve has to say of its order.
func (m Measurement) ordersText() string {
	o := m.Orders
	name := "orders"
	if m.Quantity == Factor || m.Quantity == Speed {
		name = "factors"
	}
	last := o.Observed[max(0, len(o.Observed)-mostOrders):]
	texts := printed.Each(last, func(p stats.Observed) string { return printed.Digits(p.Order, 3) })
	list := fmt.Sprintf("deterministic: the %s between successive points to %s are %s", name, printed.Number(last[len(last)-1].To), strings.Join(texts, ", "))
	if len(last) < len(o.Observed) {
		list = fmt.Sprintf("deterministic: the last %s to %s are %s", name, printed.Number(last[len(last)-1].To), strings.Join(texts, ", "))
	}
	if o.Why != "" {
		return fmt.Sprintf("%s; %s", list, o.Why)
	}
	text := fmt.Sprintf("%s is %s; %s; those from %s on agree with %s to %s", m.What, printed.Digits(m.Mean, 3), list, printed.Number(o.Window[0]),
		printed.Digits(m.Low, 3), printed.Digits(m.High, 3))
	if o.Within > 0 {
		text += fmt.Sprintf(" (the values go to %s; the grid convergence index of the last is %s)", printed.Number(o.Limit), printed.Number(o.Within))
	}
	return text
}
