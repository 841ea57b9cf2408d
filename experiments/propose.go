package experiments

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Proposal is a spec over files with curves, and what the curves show by themselves.
type Proposal struct {
	Table *imports.Table
	X     string // the abscissa of the rates
	Fits  []Fitted
	Text  string // of the spec
}

// A Fitted is the rate of a metric of a method.
type Fitted struct {
	Method, Metric string
	Seeds, Points  int // points of the seed with the fewest
	First, Last    float64
	Rate           stats.Rate
	Err            error // why there is none
}

// Bends reports whether the second half of the window has another rate than the whole.
func (f Fitted) Bends() bool {
	return len(f.Rate.Halves) == 2 && (f.Rate.Mean < f.Rate.Halves[1].Low || f.Rate.Mean > f.Rate.Halves[1].High)
}

// Propose looks at files with curves and proposes a spec that stands in a folder.
func Propose(paths []string, dir string) (*Proposal, error) {
	o, columns, err := imports.Propose(paths)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: no column has numbers that differ, beside those of steps and seeds; name the columns in the [curves] of a spec", paths[0])
	}
	var wanted []imports.Wanted
	for _, c := range columns {
		wanted = append(wanted, imports.Wanted{Name: metricName(c), Column: c})
	}
	p := &Proposal{X: "step"}
	if p.Table, err = o.Read("", wanted); err != nil {
		return nil, fmt.Errorf("%w\n(read as %s)", err, strings.ReplaceAll(strings.TrimSpace(curvesTable(&o)), "\n", ", "))
	}
	switch f := p.Table.Options; {
	case f.Step == "" && f.Epoch != "":
		p.X = "epoch"
	case f.Step == "" && f.Seconds+f.Clock != "":
		p.X = "seconds"
	}
	for _, m := range p.Table.Methods() {
		for i := range wanted {
			p.Fits = append(p.Fits, p.fit(m, i))
		}
	}
	if o.File, err = fileFrom(dir, o.File); err != nil {
		return nil, err
	}
	p.Text = p.spec(&o)
	return p, nil
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

// metricName makes a name for a column that no other metric has.
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
		if c.Method != method {
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
	f.Seeds = len(recs)
	f.Rate, f.Err = stats.FitRate(recs, f.Metric, p.X, [2]float64{})
	return f
}

// curvesTable writes the keys of [curves].
func curvesTable(o *imports.Options) string {
	var b strings.Builder
	for _, k := range []struct{ key, value string }{
		{"file", o.File}, {"format", o.Format}, {"method", o.Method}, {"seed", o.Seed}, {"step", o.Step}, {"epoch", o.Epoch}, {"seconds", o.Seconds},
		{"clock", o.Clock}, {"metric", o.Metric}, {"value", o.Value}, {"columns", o.Columns}, {"decimal", o.Decimal},
	} {
		if k.value != "" {
			fmt.Fprintf(&b, "%s = %s\n", k.key, tomlText(k.value))
		}
	}
	if len(o.Seeds) > 0 {
		fmt.Fprintf(&b, "seeds = %s\n", tomlTexts(o.Seeds))
	}
	return b.String()
}

func tomlText(s string) string { return spectree.Inline(&spectree.Node{Value: s}) }

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

// spec writes the proposed spec.
func (p *Proposal) spec(o *imports.Options) string {
	var b strings.Builder
	n, first, list := repeats(p.Table.Seeds())
	o.Seeds = list
	fmt.Fprintf(&b, "# Proposed from %s. Correct what is wrong, and say what is claimed; docs/curves.md and docs/spec.md have the keys.\n", printed.Visible(o.File))
	fmt.Fprintf(&b, "schema = 1\npaper = \"own\"\ntitle = %s\nproblem.kind = \"own\"\nrepeat = { seeds = %d, first = %d }\n\n[curves]\n%s", tomlText("Curves of "+filepath.Base(o.File)), n, first, curvesTable(o))
	for i, m := range p.Table.Metrics {
		fmt.Fprintf(&b, "\n[[metric]]\nname = %q\n", m.Name)
		if m.Column != m.Name {
			fmt.Fprintf(&b, "column = %s\n", tomlText(m.Column))
		}
		if p.rises(i) {
			b.WriteString("better = \"larger\" # it rises\n")
		}
		if p.signed(i) {
			b.WriteString("signed = true\n")
		}
	}
	var ids []string
	for _, name := range p.Table.Methods() {
		id := idOf(cmp.Or(name, "all"))
		for base, i := id, 2; slices.ContainsFunc(ids, func(other string) bool { return strings.EqualFold(id, other) }); i++ {
			id = fmt.Sprintf("%s-%d", base, i)
		}
		ids = append(ids, id)
		fmt.Fprintf(&b, "\n[[method]]\nid = %q\nalgorithm = %q\n", id, importedName)
		if name != id && name != "" {
			fmt.Fprintf(&b, "curve = %s\n", tomlText(name))
		}
	}
	for i, m := range p.Table.Metrics {
		fmt.Fprintf(&b, "\n[[figure]]\nid = %q\nx = %q\ny = %q\n", m.Name, p.X, m.Name)
		if p.signed(i) {
			b.WriteString("scale = \"logx\"\n")
		}
	}
	p.claims(&b, ids)
	return b.String()
}

// claims writes a claim for the first metric, and one to fill in.
func (p *Proposal) claims(b *strings.Builder, ids []string) {
	metric := p.Table.Metrics[0].Name
	best, of := 0, func(i int) Fitted { return p.Fits[i*len(p.Table.Metrics)] }
	for i := range ids {
		if better := of(i).Last < of(best).Last; better != p.rises(0) && of(i).Last != of(best).Last {
			best = i
		}
	}
	if others := slices.Delete(slices.Clone(ids), best, best+1); len(others) > 0 && !p.signed(0) {
		fmt.Fprintf(b, "\n[[claim]]\nid = \"best\"\nkind = \"order\"\nstatement = \"%s is best at the end\"\nsource = \"these curves\"\nours = \"it had the best last value\"\nmethod = %q\nagainst = %s\nmetric = %q\n",
			ids[best], ids[best], tomlTexts(others), metric)
	}
	for i, id := range ids {
		if f := of(i); f.Err == nil && f.Rate.Bounded() {
			fmt.Fprintf(b, "\n# [[claim]]\n# id = \"rate\"\n# kind = \"rate\"\n# statement = \"what is said of it\"\n# source = \"where\"\n# method = %q\n# metric = %q\n# x = %q\n# published = %q # measured here; write what is claimed\n# published_is = \"theorem\"\n# published_says = \"the sentence\"\n",
				id, metric, p.X, printed.Number(f.Rate.Mean))
			return
		}
	}
}

// rises reports whether most curves of a metric end above where they begin.
func (p *Proposal) rises(metric int) bool {
	up, all := 0, 0
	for i := metric; i < len(p.Fits); i += len(p.Table.Metrics) {
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
