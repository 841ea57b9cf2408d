package imports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
)

// put adds a value at a place to a curve.
func (t *Table) put(c *Curve, in *table, at *Point, metric int, y float64) error {
	if c.last == nil || c.last.x != at.x {
		if c.keep(t); len(c.Points) >= mostPoints || t.size > mostNumbers {
			return in.errorf("the curve of method %s and seed %s has %d points and more, and a table may have %d a curve and %d numbers in all; set curves.every = 10 to read every 10th value",
				printed.Quote(c.Method), printed.Quote(c.Seed), len(c.Points), mostPoints, mostNumbers)
		}
		p := *at
		p.Values, p.given = slices.Repeat([]float64{math.NaN()}, len(t.Metrics)), 0
		c.last = &p
	}
	return c.set(t, c.last, at, metric, y)
}

// set gives a point a value that stands elsewhere.
func (c *Curve) set(t *Table, p, from *Point, metric int, y float64) error {
	if p.Has(metric) {
		if t.Options.Twice == "" {
			return c.twice(t, p, from, metric)
		}
		c.Again++
		p.Epoch, p.Seconds, p.file, p.line = from.Epoch, from.Seconds, from.file, from.line
	}
	p.Values[metric] = y
	p.given |= 1 << metric
	return nil
}

// keep keeps the last point so far, if it has the value of a metric that every chooses.
func (c *Curve) keep(t *Table) {
	if c.last == nil {
		return
	}
	chosen := false
	for m := range t.Metrics {
		if c.last.Has(m) {
			chosen = chosen || c.count[m]%max(t.Options.Every, 1) == 0
			c.count[m]++
		}
	}
	for m := range t.Metrics {
		if c.last.Has(m) {
			if c.tails[m] = c.last; chosen {
				c.tails[m] = nil
			}
		}
	}
	if chosen {
		t.size += 8 + len(t.Metrics)
		c.Points = append(c.Points, *c.last)
	}
}

// settle sorts the points of a curve, joins those of the same x, and checks it.
func (c *Curve) settle(t *Table) error {
	c.keep(t)
	for m := range t.Metrics {
		if err := c.back(t, m); err != nil {
			return err
		}
	}
	c.Points = slices.DeleteFunc(c.Points, func(p Point) bool { return p.given == 0 })
	for m, p := range c.tails {
		if p != nil && !slices.Contains(c.tails[:m], p) {
			c.Points = append(c.Points, *p)
		}
	}
	rises := func(a, b Point) int { return cmp.Compare(a.x, b.x) }
	c.Unsorted = !slices.IsSortedFunc(c.Points, rises) && !slices.IsSortedFunc(c.Points, func(a, b Point) int { return rises(b, a) })
	slices.SortStableFunc(c.Points, rises)
	var kept []Point
	for _, p := range c.Points {
		if n := len(kept); n == 0 || kept[n-1].x != p.x {
			kept = append(kept, p)
			continue
		}
		for m, v := range p.Values {
			if p.Has(m) {
				if err := c.set(t, &kept[len(kept)-1], &p, m, v); err != nil {
					return err
				}
			}
		}
	}
	c.Points = kept
	return c.finish(t)
}

// leastRun is how many points the parts between which x goes back have, in the mean, that are taken for runs. Rows that stand in no
// order have two.
const leastRun = 3

// back looks for a metric whose x goes back to where it was before: where a file has two runs for one curve, or one that was resumed.
// Of that it keeps the later values, if the options say so.
func (c *Curve) back(t *Table, metric int) error {
	var runs [][2]float64 // the first and the last x of each
	var before *Point
	var first []Point // around the first place where it goes back
	n := 0
	for i := range c.Points {
		p := &c.Points[i]
		switch {
		case !p.Has(metric):
			continue
		case before == nil || p.x < before.x:
			runs = append(runs, [2]float64{p.x, p.x})
			if len(runs) == 2 {
				first = []Point{*before, *p}
			}
		}
		runs[len(runs)-1][1] = p.x
		before, n = p, n+1
	}
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	overlap := false
	for i := range sorted[min(1, len(sorted)):] {
		overlap = overlap || sorted[i+1][0] <= sorted[i][1]
		sorted[i+1][1] = max(sorted[i+1][1], sorted[i][1])
	}
	if len(runs) < 2 || n < leastRun*len(runs) || !overlap {
		return nil
	}
	if t.Options.Twice == "" {
		return c.ambiguous(t, &first[0], &first[1], "", fmt.Sprintf("goes back from %s to %s", printed.Exact(math.Abs(first[0].x)), printed.Exact(math.Abs(first[1].x))))
	}
	least, after := math.Inf(1), math.Inf(1) // the first x of the later runs, the x of the value behind
	for i := len(c.Points) - 1; i >= 0; i-- {
		p := &c.Points[i]
		if !p.Has(metric) {
			continue
		}
		if p.x > after {
			least = min(least, after)
		}
		if after = p.x; p.x >= least {
			p.Values[metric] = math.NaN()
			p.given &^= 1 << metric
			c.Again++
		}
	}
	return nil
}

// A Resumed is the error of a curve that has two values at an x after its first, or goes back to an x after it: a run that was resumed,
// perhaps.
type Resumed struct {
	error
	What string // where, and from where to where
}

// twice says that a curve has a value twice.
func (c *Curve) twice(t *Table, first, again *Point, metric int) error {
	return c.ambiguous(t, first, again, " "+printed.Exact(math.Abs(again.x)), fmt.Sprintf("has %s a second time", printed.Quote(t.Metrics[metric].Name)))
}

// ambiguous says that a curve may be two.
func (c *Curve) ambiguous(t *Table, first, again *Point, x, what string) error {
	of, o := "", &t.Options
	for i, name := range []string{c.Method, c.Seed} {
		if name != "" {
			of += fmt.Sprintf(" of %s %s", keyNames[i], printed.Quote(name))
		}
	}
	what = fmt.Sprintf("%s:%d: %s%s%s %s", t.paths[again.file], again.line, cmp.Or(o.Abscissa, o.Step, o.Epoch, o.Seconds, o.Clock, "row"), x, of, what)
	if o.Abscissa != "" {
		return fmt.Errorf("%s, after line %d; a mesh has one row: remove one, name the column that tells the two apart in curves.method, or choose rows by curves.where", what, first.line)
	}
	err := fmt.Errorf("%s, after line %d; name the column that tells the two apart in curves.seed or curves.method, choose rows by curves.where, or set curves.twice = \"last\" if the run was resumed",
		what, first.line)
	if len(c.Points) > 0 && c.Points[0].x < again.x {
		return Resumed{err, what}
	}
	return err
}

// finish makes the steps of a curve that has none, makes its clock begin at 0, and says how it ended.
func (c *Curve) finish(t *Table) error {
	if len(c.Points) == 0 {
		return nil
	}
	o, first, last := &t.Options, c.Points[0], &c.Points[len(c.Points)-1]
	for i := range c.Points {
		p := &c.Points[i]
		if o.Step == "" && o.onAxis() {
			p.Step = i + 1
		}
		if o.Clock != "" {
			p.Seconds -= first.Seconds
		}
		if before := c.Points[max(i-1, 0)]; p.Seconds < before.Seconds || p.Epoch < before.Epoch && (o.Step != "" || !o.falls()) {
			return fmt.Errorf("%s:%d: step %d has fewer epochs or seconds than step %d on line %d; correct them, or name only one of curves.step, curves.epoch and curves.seconds, which leaves out those of the format",
				t.paths[p.file], p.line, p.Step, before.Step, before.line)
		}
	}
	for m, v := range last.Values {
		if last.Has(m) && records.Value(v) == nil {
			c.Broken = fmt.Sprintf("%s is %v at step %d", t.Metrics[m].Name, v, last.Step)
			break
		}
	}
	return nil
}
