package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Proposal is a spec over files with curves, and what the curves show by themselves.
type Proposal struct {
	Table *imports.Table
	X     string // the abscissa of the rates
	Mesh  bool   // it is a discretisation parameter, so that the points are meshes
	Fits  []Fitted
	Notes []string // what was read in a way that may not be meant, in words
	Text  string   // of the spec

	methods  []string         // with a value
	measured []imports.Wanted // the metrics
}

// A Fitted is the rate of a metric of a method.
type Fitted struct {
	Method, Metric string
	Seeds, Points  int // points of the seed with the fewest
	First, Last    float64
	Rate           stats.Rate // of a power law or, if Geometric is set, of convergence by a factor in every unit of x: what leaves less
	Geometric      bool
	Else           float64       // what the other of the two laws leaves, as Rate.Lack; NaN if it cannot be fitted
	Orders         *stats.Orders // in place of a rate over seeds: of a curve in which nothing is random
	Err            error         // why there is none
}

// Words says which law was fitted where, what it leaves, and what the other one does.
func (f Fitted) Words() string {
	if f.Orders != nil {
		return f.orders()
	}
	law, other := "power law", "geometric decay"
	if f.Geometric {
		law, other = other, law
	}
	percent := func(share float64) string { return printed.Digits(100*share, 2) + " %" }
	text := fmt.Sprintf("%s from %s to %s, misfit %s", law, printed.Number(f.Rate.Window[0]), printed.Number(f.Rate.Window[1]), percent(f.Rate.Lack))
	if !math.IsNaN(f.Else) {
		text += fmt.Sprintf(" (%s: %s)", other, percent(f.Else))
	}
	switch {
	case !f.Rate.Bounded():
		text += "; one seed: no interval"
	case f.Bends():
		text += "; the late one differs: perhaps no " + law
	}
	return text
}

// orders says what was observed between successive meshes, and whether it has settled.
func (f Fitted) orders() string {
	o := f.Orders
	of := "orders "
	if f.Geometric {
		of = "factors "
	}
	text := of + strings.Join(printed.Each(o.Observed, func(p stats.Observed) string { return printed.Digits(p.Order, 3) }), ", ")
	switch {
	case o.Why != "":
		text += "; " + o.Why
	case o.Rounded > 0:
		text += "; rounding from " + printed.Number(o.Rounded) + " on"
	}
	if f.Last > f.First {
		text += "; it grows towards the finest"
	}
	return text
}

// order returns the nearest multiple of 1/2, if the orders have settled around it.
func (f Fitted) order() (order float64, ok bool) {
	if f.Err != nil || f.Orders == nil || f.Orders.Why != "" || f.Geometric {
		return 0, false
	}
	o := f.Orders
	order = math.Round(2*o.Mean) / 2
	return order, order != 0 && f.Last < f.First && o.Low > order-orderTolerance && o.High < order+orderTolerance
}

// orderTolerance is that of a proposed order: half orders are 0.5 apart.
const orderTolerance = 0.2

// Bends reports whether the second half of the window has another rate than the whole.
func (f Fitted) Bends() bool {
	return len(f.Rate.Halves) == 2 && (f.Rate.Mean < f.Rate.Halves[1].Low || f.Rate.Mean > f.Rate.Halves[1].High)
}

// Propose looks at files with curves and proposes a spec that stands in a folder.
func Propose(paths []string, dir string) (*Proposal, error) {
	guess, err := imports.Propose(paths)
	if err != nil {
		return nil, err
	}
	if len(guess.Metrics) == 0 {
		return nil, fmt.Errorf("%s: no column has numbers that differ, beside those of steps and seeds; name the columns in the [curves] of a spec%s", paths[0], strings.Join(append([]string{""}, guess.Notes...), "\n"))
	}
	o := guess.Options
	var wanted []imports.Wanted
	var names []string
	for _, c := range guess.Metrics {
		names = append(names, printed.Distinct(metricName(c), names))
		wanted = append(wanted, imports.Wanted{Name: names[len(names)-1], Column: c})
	}
	p := &Proposal{X: "step", Notes: guess.Notes, measured: wanted, Mesh: o.Abscissa != ""}
	for _, c := range guess.Meshes {
		wanted = append(wanted, imports.Wanted{Name: idOf(c), Column: c})
	}
	if mesh, _ := o.Axis(); p.Mesh {
		mesh.Name = idOf(mesh.Name)
		p.X, o.Mesh = mesh.Name, mesh
	}
	p.Table, err = o.Read("", wanted, guess.Methods)
	var resumed imports.Resumed
	if errors.As(err, &resumed) {
		o.Twice = "last"
		p.Table, err = o.Read("", wanted, guess.Methods)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n(read as %s)", err, strings.ReplaceAll(strings.TrimSpace(curvesTable(&o)), "\n", ", "))
	}
	switch f := p.Table.Options; {
	case p.Mesh:
	case f.Step == "" && f.Epoch != "":
		p.X = "epoch"
	case f.Step == "" && f.Seconds+f.Clock != "":
		p.X = "seconds"
	}
	p.look(len(paths), resumed.What)
	for _, m := range p.methods {
		for i := range p.measured {
			p.Fits = append(p.Fits, p.fit(m, i))
		}
	}
	if o.File, err = fileFrom(dir, o.File); err != nil {
		return nil, err
	}
	p.Text = p.spec(&o)
	return p, nil
}

// look finds the methods, and what is odd in a table of some files. Where a run was resumed, it is said where.
func (p *Proposal) look(files int, resumed string) {
	note := func(format string, args ...any) { p.Notes = append(p.Notes, fmt.Sprintf(format, args...)) }
	if n := len(p.Table.Files) - files; n > 0 {
		note("%s named like those that were given; the spec reads them too", printed.Count(n, "more file"))
	}
	seeds, has, again := p.Table.Seeds(), map[string][]string{}, 0
	if i := slices.IndexFunc(p.Table.Curves, func(c *imports.Curve) bool { return c.Unsorted }); i >= 0 && p.Mesh {
		note("the rows are not in the order of %s; they are read from coarse to fine", p.X)
	}
	for _, c := range p.Table.Curves {
		if again += c.Again; len(c.Points) > 0 {
			has[c.Method] = append(has[c.Method], c.Seed)
		}
	}
	if again > 0 {
		note("of %s, there is a later one at the same x or a smaller one, as of a run that was resumed: %s; twice = \"last\" reads the last", printed.Count(again, "value"), resumed)
	}
	for _, m := range p.Table.Methods() {
		lacks := slices.DeleteFunc(slices.Clone(seeds), func(s string) bool { return slices.Contains(has[m], s) })
		switch {
		case len(has[m]) == 0:
			note("method %s has rows and no value; it is left out", printed.Quote(m))
			continue
		case len(lacks) > 0:
			note("method %s has no curve of seed %s; claims are judged without", printed.Quote(m), printed.Names(lacks, 3))
		}
		p.methods = append(p.methods, m)
	}
	if len(p.methods) > 1 && len(seeds) < 2 && !p.Mesh {
		note("each of the %d methods has one seed, so that nothing can be said of the best; if their names have a seed, write a pattern such as \"{method}-{seed}\" in curves.names, curves.columns or curves.file", len(p.methods))
	}
}

// fileFrom returns the path of a file from a folder.
func fileFrom(dir, file string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil || filepath.IsAbs(filepath.FromSlash(file)) {
		return file, err
	}
	to, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return file, err
	}
	return imports.NameOf(from, to), nil
}

// metricName makes a name for a column that no metric of the program has.
func metricName(column string) string {
	name := idOf(column)
	if _, cost := records.AbscissaOf(name); cost || metrics.Lookup(name) != nil {
		name = "own-" + name
	}
	return name
}

// strange matches what cannot be part of an id.
var strange = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// idOf makes an id of a name.
func idOf(name string) string {
	id := strings.Trim(strange.ReplaceAllString(name, "-"), "-.")
	if len(id) > 60 {
		id = id[:60]
	}
	if !spectree.ValidID(id) {
		id = cmp.Or("m"+id, "m")
	}
	return id
}

// fit fits a rate to a metric of a method.
func (p *Proposal) fit(method string, metric int) Fitted {
	f := Fitted{Method: method, Metric: p.Table.Metrics[metric].Name, Points: math.MaxInt}
	var recs []*records.Record
	for _, c := range p.Table.Curves {
		if c.Method != method || len(c.Points) == 0 {
			continue
		}
		r := &records.Record{Header: records.Header{Seed: uint64(len(recs))}}
		n := 0
		for i := range c.Points {
			if q := &c.Points[i]; q.Has(metric) {
				if n++; n == 1 && len(recs) == 0 {
					f.First = q.Values[metric]
				}
				f.Last = q.Values[metric]
				r.Points = append(r.Points, p.Table.Recorded(q))
			}
		}
		recs, f.Points = append(recs, r), min(f.Points, n)
	}
	if f.Seeds = len(recs); p.Mesh && !differ(recs) {
		f.study(recs[0], p.X)
		return f
	}
	f.Rate, f.Err = stats.FitRate(recs, f.Metric, p.X, [2]float64{})
	factor, err := stats.FitFactor(recs, f.Metric, p.X, [2]float64{}, "")
	if err != nil {
		factor.Lack = math.NaN()
	}
	f.Else = factor.Lack
	if err == nil && factor.Mean < 1 && (f.Err != nil || factor.Lack < f.Rate.Lack) {
		if f.Else = f.Rate.Lack; f.Err != nil {
			f.Else = math.NaN()
		}
		f.Rate, f.Err, f.Geometric = factor, nil, true
	}
	return f
}

// differ reports whether records have different values.
func differ(recs []*records.Record) bool {
	return slices.ContainsFunc(recs, func(r *records.Record) bool {
		return !slices.EqualFunc(r.Points, recs[0].Points, func(a, b records.Point) bool { return reflect.DeepEqual(a.Values, b.Values) })
	})
}

// study finds the orders between successive meshes or, if these do not settle and factors do, those of a geometric decay.
func (f *Fitted) study(r *records.Record, x string) {
	power, err := stats.PowerLaw.FitOrders(r, f.Metric, x, [2]float64{}, false)
	if f.Orders, f.Err = &power, err; err == nil && power.Why != "" {
		if decay, err := stats.Exponential.FitOrders(r, f.Metric, x, [2]float64{}, false); err == nil && decay.Why == "" && decay.High < 1 {
			f.Orders, f.Geometric = &decay, true
		}
	}
}

// curvesTable writes the keys of [curves].
func curvesTable(o *imports.Options) string {
	var b strings.Builder
	for _, f := range strict.Fields(reflect.TypeFor[imports.Options]()) {
		switch v := reflect.ValueOf(o).Elem().FieldByIndex(f.Index).Interface().(type) {
		case string:
			if v != "" {
				fmt.Fprintf(&b, "%s = %s\n", f.Key, printed.TOML(v))
			}
		case []string:
			if len(v) > 0 {
				fmt.Fprintf(&b, "%s = %s\n", f.Key, tomlTexts(v))
			}
		}
	}
	return b.String()
}

func tomlTexts(texts []string) string {
	var all []*spectree.Node
	for _, s := range texts {
		all = append(all, &spectree.Node{Value: s})
	}
	return spectree.Inline(&spectree.Node{Value: all})
}

// repeats returns the number of seeds and the first, and lists the seeds if they do not follow each other.
func repeats(seeds []string) (n int, first uint64, list []string) {
	for i, s := range seeds {
		v, err := strconv.ParseUint(s, 10, 53)
		if i == 0 {
			first = v
		}
		if err != nil || v != first+uint64(i) {
			if len(seeds) == 1 {
				return 1, 1, nil
			}
			return len(seeds), 1, seeds
		}
	}
	return len(seeds), first, nil
}

// MethodIDs returns the methods as the files call them, and the ids that the spec gives them.
func (p *Proposal) MethodIDs() (names, ids []string) {
	for _, name := range p.methods {
		if _, err := strconv.ParseFloat(name, 64); err == nil && records.MeshRank(p.Table.Options.Method) >= 0 {
			name = p.Table.Options.Method + name // such as a degree
		}
		ids = append(ids, printed.Distinct(idOf(cmp.Or(name, "all")), ids))
	}
	return p.methods, ids
}

// spec writes the proposed spec.
func (p *Proposal) spec(o *imports.Options) string {
	var b strings.Builder
	n, first, list := repeats(p.Table.Seeds())
	o.Seeds = list
	fmt.Fprintf(&b, "# Proposed from %s. Correct what is wrong, and say what is claimed; docs/curves.md and docs/spec.md have the keys.\n", printed.Quote(o.File))
	fmt.Fprintf(&b, "schema = 1\npaper = \"own\"\ntitle = %s\nproblem.kind = \"own\"\nrepeat = { seeds = %d, first = %d }\n\n[curves]\n%s", printed.TOML("Curves of "+idOf(filepath.Base(o.File))), n, first, curvesTable(o))
	for _, m := range append(p.Table.Metrics[len(p.measured):], imports.Wanted{Name: p.X, Column: o.Abscissa}) {
		switch {
		case !p.Mesh || m.Name == p.X && m.Name == m.Column:
			continue
		case m.Name == m.Column:
			fmt.Fprintf(&b, "\n[[abscissa]]\nname = %q\n", m.Name)
		default:
			fmt.Fprintf(&b, "\n[[abscissa]]\nname = %q\ncolumn = %s\n", m.Name, printed.TOML(m.Column))
		}
	}
	for i, m := range p.measured {
		fmt.Fprintf(&b, "\n[[metric]]\nname = %q\n", m.Name)
		if m.Column != m.Name {
			fmt.Fprintf(&b, "column = %s\n", printed.TOML(m.Column))
		}
		if p.rises(i) {
			b.WriteString("better = \"larger\" # it rises\n")
		}
		if p.signed(i) {
			b.WriteString("signed = true\n")
		}
	}
	names, ids := p.MethodIDs()
	for i, name := range names {
		id := ids[i]
		fmt.Fprintf(&b, "\n[[method]]\nid = %q\nalgorithm = %q\n", id, importedName)
		if name != id && name != "" {
			fmt.Fprintf(&b, "curve = %s\n", printed.TOML(name))
		}
	}
	for i, m := range p.measured {
		fmt.Fprintf(&b, "\n[[figure]]\nid = %q\nx = %q\ny = %q\n", m.Name, p.X, m.Name)
		switch {
		case p.signed(i):
			b.WriteString("scale = \"semilogx\"\n")
		case slices.ContainsFunc(p.Fits, func(f Fitted) bool { return f.Metric == m.Name && f.Geometric }):
			b.WriteString("scale = \"semilogy\"\n")
		}
	}
	p.claims(&b, ids)
	return b.String()
}

// claims writes a claim for the first metric, and one to fill in.
func (p *Proposal) claims(b *strings.Builder, ids []string) {
	if p.Mesh {
		p.orders(b, ids)
	}
	metric := p.measured[0].Name
	best, of := 0, func(i int) Fitted { return p.Fits[i*len(p.measured)] }
	for i := range ids {
		if better := of(i).Last < of(best).Last; better != p.rises(0) && of(i).Last != of(best).Last {
			best = i
		}
	}
	if others := slices.Delete(slices.Clone(ids), best, best+1); len(others) > 0 && !p.signed(0) && len(p.Table.Seeds()) > 1 {
		fmt.Fprintf(b, "\n[[claim]]\nid = \"best\"\nkind = \"order\"\nstatement = \"%s is best at the end\"\nsource = \"these curves\"\nours = \"it had the best last value\"\nmethod = %q\nagainst = %s\nmetric = %q\n",
			ids[best], ids[best], tomlTexts(others), metric)
	}
	for i, id := range ids {
		if f := of(i); f.Err == nil && f.Orders == nil && f.Rate.Bounded() {
			kind := "rate"
			if f.Geometric {
				kind = "geometric"
			}
			fmt.Fprintf(b, "\n# [[claim]]\n# id = \"rate\"\n# kind = %q\n# statement = \"what is said of it\"\n# source = \"where\"\n# method = %q\n# metric = %q\n# x = %q\n# published = %q # measured here, %s; write what is claimed\n# published_is = \"theorem\"\n# published_says = \"the sentence\"\n",
				kind, id, metric, p.X, printed.Number(f.Rate.Mean), f.Words())
			return
		}
	}
}

// orders writes a claim for each order that has settled.
func (p *Proposal) orders(b *strings.Builder, ids []string) {
	for i, f := range p.Fits {
		id := ids[i/len(p.measured)]
		order, ok := f.order()
		if !ok {
			continue
		}
		number, name := printed.Exact(order), f.Metric
		if len(ids) > 1 {
			name = id + "-" + name
		}
		fmt.Fprintf(b, "\n[[claim]]\nid = \"order-%s\"\nkind = \"rate\"\nstatement = \"the order of %s in %s is %s\"\nsource = \"these curves\" # where your theory says it\nmethod = %q\nmetric = %q\nx = %q\nderived = %q # measured here: %s\nderivation = \"the nearest multiple of 1/2 to what was measured\"\ntolerance = %g\nwhy = \"orders that are multiples of 1/2 are 0.5 apart\"\n",
			name, f.Metric, p.X, number, id, f.Metric, p.X, number, f.Words(), orderTolerance)
	}
}

// rises reports whether most curves of a metric end above where they begin.
func (p *Proposal) rises(metric int) bool {
	up, all := 0, 0
	for i := metric; i < len(p.Fits); i += len(p.measured) {
		if all++; p.Fits[i].Last > p.Fits[i].First {
			up++
		}
	}
	return 2*up > all
}

// signed reports whether a metric has values that are not positive.
func (p *Proposal) signed(metric int) bool {
	for _, c := range p.Table.Curves {
		for i := range c.Points {
			if q := &c.Points[i]; q.Has(metric) && q.Values[metric] < 0 {
				return true
			}
		}
	}
	return false
}
