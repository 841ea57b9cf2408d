package figures

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// OrderLabel is the label of the axis of observed orders.
const OrderLabel = "observed order p_{k}"

// Orders returns the orders observed between successive points of a curve, each at the geometric mean of its two x.
func Orders(xs, es []float64) (at, orders []float64) {
	for k := 1; k < len(xs); k++ {
		at = append(at, math.Sqrt(xs[k-1])*math.Sqrt(xs[k]))
		orders = append(orders, stats.OrderBetween(xs[k-1], es[k-1], xs[k], es[k]))
	}
	return at, orders
}

// study makes a figure on two logarithmic axes that of a mesh study, if it is one: x is a discretisation parameter, or claims give rates of
// deterministic methods in it. The axis rises to the right whichever values are finer, guides and the slopes of claims are triangles,
// and a panel below shows the observed orders.
func (b *Builder) study(f *Figure) {
	c := f.Curves
	rates := b.rates(c)
	mesh, _ := b.Experiment.Abscissa(b.Spec.X)
	deterministic := func(l Line) bool {
		return slices.ContainsFunc(b.Experiment.Methods, func(m claims.Method) bool { return m.ID == l.Method && m.Deterministic })
	}
	if b.Spec.Across != "" || mesh.Finer == "" && (len(rates) == 0 || slices.ContainsFunc(c.Lines, func(l Line) bool { return !deterministic(l) })) {
		return
	}
	falls := make([]bool, len(c.Lines))
	for i := range c.Lines {
		if l := &c.Lines[i]; len(l.X) > 1 && l.X[len(l.X)-1] < l.X[0] {
			falls[i] = true
			for _, values := range [][]float64{l.X, l.Y, l.Low, l.High} {
				slices.Reverse(values)
			}
		}
	}
	for i := range c.Guides {
		g := &c.Guides[i]
		if g.Triangle, g.Line = true, -1; g.Label == g.Name {
			g.Label = Number(g.Slope)
		}
	}
	for _, r := range rates {
		if g := (Guide{Slope: r.Y, Name: "slope " + Number(r.Y), Label: Number(r.Y), Triangle: true, Line: r.Line}); g.Slope != 0 && !slices.ContainsFunc(c.Guides, func(o Guide) bool { return o.Slope == g.Slope && (o.Line < 0 || o.Line == g.Line) }) {
			c.Guides = append(c.Guides, g)
		}
	}
	b.orders(f, rates, falls)
}

// A rate is the slope that a claim gives for a line of the figure.
type rate struct {
	Mark
	Line int
}

// rates returns the slopes that claims give for the lines of a figure: the claims that the figure names or, if it names none of that kind,
// all.
func (b *Builder) rates(c *Curves) []rate {
	of := func(all []claims.Claim) (rates []rate) {
		for i, l := range c.Lines {
			for _, k := range all {
				if k.Method != l.Method || k.Metric != l.Metric || k.X != b.Spec.X || k.Across != "" || k.Quantity() != claims.Slope {
					continue
				}
				y, _, _, err := printed.Parse(k.Number())
				a, wrong := k.Accepts(claims.Slope)
				if err != nil || wrong != nil {
					continue // the claim's verdict holds the error
				}
				rates = append(rates, rate{Mark{X: math.NaN(), Y: y, Low: a.Low, High: a.High, Style: l.Style, Origin: k.Origin(), Claim: k.ID}, i})
			}
		}
		return rates
	}
	if named := of(b.figureClaims()); len(named) > 0 {
		return named
	}
	return of(b.Experiment.Claims)
}

// leastOrders is the shortest range of orders that a panel shows, and mostOrders how far it reaches at most beyond those that are claimed
// and those of the finest meshes.
const leastOrders, mostOrders = 1, 1.5

// orders adds the panel of the observed orders, with the claimed ones and what is accepted. It leaves out those that rounding decides. The
// finest mesh is the first of a line if its x falls, which the axis has turned round, and the last otherwise.
func (b *Builder) orders(f *Figure, rates []rate, falls []bool) {
	c := f.Curves
	p := &Curves{X: c.X, Y: Axis{Label: OrderLabel}}
	shown, all := Nothing, Nothing
	for i := range c.Lines {
		l := &c.Lines[i]
		o := Line{Label: l.Label, Style: l.Style, Method: l.Method, Metric: l.Metric, Statistic: l.Statistic}
		recs := records.Select(b.Records, l.Method)
		if k := slices.IndexFunc(recs, func(r *records.Record) bool { return len(r.Points) > 0 }); k >= 0 && !l.Level && len(l.X) > 1 {
			xs, ys := l.X, l.Y
			s, err := stats.PowerLaw.FitOrders(recs[k], l.Metric, b.Spec.X, [2]float64{}, false)
			if err != nil {
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", l.Label, err))
			} else if s.Rounded > 0 {
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s: from %s %s on rounding errors may decide, and no order is shown", l.Label, b.Spec.X, Number(s.Rounded)))
				from, to := 0, len(xs)
				if falls[i] {
					from = sort.Search(to, func(k int) bool { return xs[k] > s.Rounded })
				} else {
					to = sort.SearchFloat64s(xs, s.Rounded)
				}
				xs, ys = xs[from:to], ys[from:to]
			}
			o.X, o.Y = Orders(xs, ys)
			for k, v := range o.Y {
				all = all.With(finite(v))
				if falls[i] && k == 0 || !falls[i] && k == len(o.Y)-1 {
					shown = shown.With(finite(v))
				}
			}
		}
		p.Lines = append(p.Lines, o)
	}
	if all.Empty() {
		return
	}
	if shown.Empty() {
		shown = all
	}
	for _, r := range rates {
		shown = shown.With(r.Y).With(finite(r.Low)).With(finite(r.High))
	}
	shown = shown.Toward(all, mostOrders)
	short := max(0, leastOrders-shown.Length()) / 2
	shown = Interval{shown.Lo - short, shown.Hi + short}.Padded(padY, p.Y)
	for _, r := range rates {
		r.Low, r.High = max(r.Low, shown.Lo-1), min(r.High, shown.Hi+1) // without an end the band goes to the frame
		p.Marks = append(p.Marks, r.Mark)
	}
	p.Y.Min, p.Y.Max, c.Orders = shown.Lo, shown.Hi, p
}

// finite returns a number, NaN in place of an infinite one.
func finite(v float64) float64 { return v + 0*v }
