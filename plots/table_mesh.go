package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// orderName is the header of a column of orders, and none what stands in a cell without one.
const orderName, none = "order", "–"

// ordersTables returns the tables that papers print of a mesh study: one for each discretisation parameter that a claim or a figure of the
// experiment is about and none of its own tables.
func ordersTables(j claims.Case) (tables []claims.Table) {
	add := func(x string, metrics ...string) {
		mesh, _ := j.Abscissa(x)
		if mesh.Finer == "" || slices.ContainsFunc(j.Tables, func(t claims.Table) bool { return t.X == x }) {
			return
		}
		i := slices.IndexFunc(tables, func(t claims.Table) bool { return t.X == x })
		if i < 0 {
			ids := printed.Each(j.Tables, func(t claims.Table) string { return t.ID })
			i, tables = len(tables), append(tables, claims.Table{ID: printed.Distinct("orders-"+x, ids), Title: "Errors and orders", X: x})
		}
		t := &tables[i]
		t.Metrics = figures.AppendNew(t.Metrics, metrics...)
	}
	for _, f := range j.Figures {
		add(f.X, f.Y)
		for _, s := range f.Series {
			add(f.X, s.Metric)
		}
	}
	for _, c := range j.Claims {
		add(c.X, c.Metric)
	}
	return slices.DeleteFunc(tables, func(t claims.Table) bool { return len(t.Metrics) == 0 })
}

// addMeshes fills in a table of a mesh study: a row a mesh, from the coarsest to the finest, and two columns a metric of a method, its
// values and the orders between a mesh and the one before. If the spec names rows, it has these meshes only.
func (d *Table) addMeshes(j claims.Case, t claims.Table, methods []claims.Method, finer string) error {
	var curves []stats.Curve
	var xs []float64
	seeds := 0
	for _, m := range methods {
		recs := records.Select(j.Records, m.ID)
		d.noteRecords(cmp.Or(m.Label, m.ID), recs)
		recs = slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool { return !r.Status().Complete() })
		for _, metric := range t.Metrics {
			if c := stats.CurveOf(recs, metric, t.X, ""); len(c.X) > 0 { // others have another discretisation parameter or other metrics
				c.Method, c.Label = m.ID, cmp.Or(m.Label, m.ID)
				curves, xs, seeds = append(curves, c), append(xs, c.X...), max(seeds, c.Seeds)
			}
		}
	}
	xs = meshes(xs, t.Rows, finer)
	write := meshFormat(xs)
	for _, x := range xs {
		d.Rows = append(d.Rows, Row{Label: write(x), At: x})
	}
	if len(d.Rows) == 0 {
		return fmt.Errorf("table %s of %s: %w: no method has values at a %s; run the experiment", t.ID, j.ID, figures.ErrNoData, t.X)
	}
	for _, c := range curves {
		col := columnOf(j.Experiment, c.Metric)
		col.Format = "%.2e"
		if slices.ContainsFunc(curves, func(o stats.Curve) bool { return o.Method != c.Method }) {
			col.Method, col.Label = c.Method, c.Label
		}
		before := -1 // the mesh before, among those of the curve
		for i := range d.Rows {
			at := d.Rows[i].At
			value := Cell{Median: math.NaN(), Low: math.NaN(), High: math.NaN(), Missing: none}
			order := value
			if k := slices.IndexFunc(c.X, func(x float64) bool { return same(x, at) }); k >= 0 {
				value = Cell{Median: col.Unit.Of(c.Median[k]), Low: col.Unit.Of(c.Low[k]), High: col.Unit.Of(c.High[k]), Seeds: c.N[k]}
				if before >= 0 {
					if p := stats.OrderBetween(c.X[before], c.Median[before], c.X[k], c.Median[k]); !math.IsNaN(p) && !math.IsInf(p, 0) {
						order = Cell{Median: p, Seeds: c.N[k]}
					}
				}
				before = k
			}
			col.compare(&value, j, c.Method, records.At{X: t.X, Value: at})
			d.Rows[i].Cells = append(d.Rows[i].Cells, value, order)
		}
		d.Columns = append(d.Columns, col, Column{Method: col.Method, Label: col.Label, Metric: col.Metric, Unit: claims.Unit{Factor: 1}, Order: true, Format: "%.2f"})
	}
	d.Notes = append(d.Notes, fmt.Sprintf("Order: the slope of the logarithm of the column before against that of %s, from the mesh before to this one.%s", t.X, departure(j, methods)))
	if seeds > 1 {
		d.Notes = append(d.Notes, "Medians over seeds.")
	}
	d.summarize()
	return nil
}

// meshes returns each of some meshes once, from the coarsest to the finest: those that are wanted, or all if none is.
func meshes(xs, wanted []float64, finer string) []float64 {
	slices.Sort(xs)
	xs = slices.CompactFunc(xs, same)
	if finer == records.FinerSmaller {
		slices.Reverse(xs)
	}
	return slices.DeleteFunc(xs, func(x float64) bool {
		return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w float64) bool { return same(w, x) })
	})
}

// meshFormat returns a format for meshes: whole numbers in full, others with three digits, unless these do not tell 1/32 from 0.0312.
func meshFormat(xs []float64) func(float64) string {
	short := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	parts, exact := true, true
	for _, x := range xs {
		v, _ := strconv.ParseFloat(short(x), 64) // what FormatFloat writes is a number
		parts, exact = parts && same(math.Round(1/x), 1/x), exact && (same(v, x) || x == math.Trunc(x))
	}
	return func(x float64) string {
		switch {
		case x == math.Trunc(x):
			return decimal(x)
		case parts && !exact:
			return fmt.Sprintf("1/%.0f", 1/x)
		}
		return short(x)
	}
}

// same reports whether two values of x are equal but for rounding.
func same(a, b float64) bool { return math.Abs(a-b) <= records.Slack*math.Abs(b) }
