package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

type tableView struct {
	ID, Title, Source string
	Groups            []tableGroup // above the header of a table whose rows are places
	Header            []string
	Rows              []tableRowView
	Compared          bool // some cells have a number of the paper below ours
	Study             bool // of the meshes of a study
	Notes             []string
	Files             []fileLink
	Missing           string
}

// Narrow reports whether a table stands beside a figure.
func (t tableView) Narrow() bool {
	return len(t.Header) <= 5 && (len(t.Rows) <= 5 || t.Study && len(t.Rows) <= 12)
}

// Shown reports whether a table is not folded.
func (t tableView) Shown() bool { return t.Compared || t.Study }

// A tableGroup is a number of columns that belong to one method.
type tableGroup struct {
	Label string
	Span  int
}

type tableRowView struct {
	Label string
	Cells []tableCellView
}

// A tableCellView is a measured number, with the published one below it and its verdict if there is one.
type tableCellView struct {
	Text      string
	Verdict   half
	Published string
	Claim     string
	Distance  string // from the published number, in standard deviations; empty if it is not known
	Far       int    // 0 below one standard deviation, 1 below three, 2 beyond
	Hint      string // the full content of the cell, as a tooltip
}

// newTableView returns a table as the report shows it.
func newTableView(d *Table) tableView {
	v := tableView{ID: d.ID, Title: d.Title, Source: d.Source, Notes: d.Notes, Header: []string{"method"}}
	if d.X != "" {
		v.Header[0] = d.Place
	}
	for i, c := range d.Columns {
		v.Header = append(v.Header, columnName(c))
		v.Study = v.Study || c.Order
		if d.X == "" {
			continue
		}
		if i == 0 || c.Method != d.Columns[i-1].Method {
			v.Groups = append(v.Groups, tableGroup{Label: c.Label})
		}
		v.Groups[len(v.Groups)-1].Span++
	}
	for _, r := range d.Rows {
		row := tableRowView{Label: r.Label}
		for j, c := range r.Cells {
			row.Cells = append(row.Cells, newTableCellView(c, d.X != "", d.Columns[j].Format))
			v.Compared = v.Compared || c.Published != ""
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// columnName returns the words for a column's metric, with its unit.
func columnName(c Column) string {
	if c.Order {
		return orderName
	}
	name := figures.InWords(c.Words, c.Metric)
	if c.Unit.Sign != "" {
		name, _, _ = strings.Cut(name, " (") // the unit of the abscissa; the table may have another
	}
	return c.Unit.Label(name)
}

// newTableCellView returns a cell with the published number, if there is one. In a table of places, ours is then as long as the
// published one.
func newTableCellView(c Cell, place bool, format string) tableCellView {
	v := tableCellView{Text: cellText(c)}
	if format != "" && c.Missing == "" && !math.IsInf(c.Median, 0) {
		v.Text = figures.WithMinus(figures.Typeset(fmt.Sprintf(format, c.Median)))
	}
	if c.Published == "" {
		return v
	}
	v.Published, v.Claim, v.Verdict = figures.WithMinus(c.Published), c.Claim, halfOf(c.Verdict)
	v.Hint = fmt.Sprintf("%s over %s, %s %s: ", v.Text, printed.Count(c.Seeds, "seed"), c.Origin, v.Published)
	if c.Verdict != nil {
		v.Distance, v.Far = distance(*c.Verdict)
		if c.Verdict.AtSize != "" {
			v.Hint += c.Verdict.VerdictText()
		} else {
			v.Hint += string(c.Verdict.Verdict)
		}
	}
	if v.Distance != "" {
		v.Hint += "; " + v.Distance
	}
	if place && c.Missing == "" && !math.IsInf(c.Median, 0) {
		v.Text = figures.WithMinus(printed.Like(c.Published, c.Median))
	}
	return v
}

// distance says how far the measured number of a verdict is from the published one, in standard deviations of one run, and
// how large that is.
func distance(v claims.Verdict) (words string, far int) {
	if v.Measured == nil || v.SD == nil || !(*v.SD > 0) || v.PublishedLow == nil || v.PublishedHigh == nil {
		return "", 0
	}
	ours, theirs := *v.Measured, (*v.PublishedLow+*v.PublishedHigh)/2
	if v.Log {
		if !(ours > 0 && theirs > 0) {
			return "", 0
		}
		ours, theirs = math.Log(ours), math.Log(theirs)
	}
	d := (ours - theirs) / *v.SD
	switch a := math.Abs(d); {
	case a >= 3:
		far = 2
	case a >= 1:
		far = 1
	}
	if math.Abs(d) < 0.05 {
		return "no distance", 0
	}
	return fmt.Sprintf("%s SD %s", printed.Digits(math.Abs(d), 2), map[bool]string{true: "above", false: "below"}[d > 0]), far
}

// cellText writes the number of a table's cell with its band, if it has one.
func cellText(c Cell) string {
	switch {
	case c.Missing != "":
		return c.Missing
	case math.IsInf(c.Median, 1):
		return "diverged"
	case c.Seeds < 2, c.Low == c.High:
		return figures.Number(c.Median)
	}
	write := figures.NumberWithin(c.Low, c.High)
	return fmt.Sprintf("%s [%s, %s]", write(c.Median), write(c.Low), write(c.High))
}

type fileLink struct{ Name, Href string }

// A runsView is a row of the table of runs: the runs of a method, or of all combinations of a method's grid, that ended
// alike.
type runsView struct {
	Method, Label, Status string
	Seeds, Steps, Seconds string // each as a range
	N                     int
	Odd                   bool // neither done nor out of budget
}

// runsViews lists the runs of an experiment, then the planned runs without a record.
func runsViews(j claims.Case) []runsView {
	type group struct {
		view           runsView
		seeds          []uint64
		steps, seconds []float64
	}
	var groups []*group
	have := map[string]bool{}
	for _, r := range j.Records {
		have[r.Header.Cell] = true
		s := r.Status()
		v := runsView{Method: gridOf(r.Header.Method), Status: string(s), Odd: s != records.Done && s != records.Budget}
		v.Label = methodLabel(j.Experiment, v.Method)
		if v.Odd && r.End != nil && r.End.Reason != "" {
			v.Status += ": " + r.End.Reason
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.view == v })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{view: v})
		}
		g := groups[i]
		g.seeds = append(g.seeds, r.Header.Seed)
		if k := len(r.Points); k > 0 {
			t := r.Points[k-1].Timing
			g.seconds = append(g.seconds, t.Setup+t.Train)
			g.steps = append(g.steps, float64(r.Points[k-1].Step))
		}
	}
	var out []runsView
	for _, g := range groups {
		g.view.N, g.view.Seeds, g.view.Steps, g.view.Seconds = len(g.seeds), seedList(g.seeds), spread(g.steps), spread(g.seconds)
		out = append(out, g.view)
	}
	missing := map[string]int{}
	var without []string
	for _, p := range j.Expected {
		if !have[p.Cell] {
			m := gridOf(p.Method)
			without = figures.AppendNew(without, m)
			missing[m]++
		}
	}
	for _, m := range without {
		out = append(out, runsView{Method: m, Label: methodLabel(j.Experiment, m), Status: "no record", N: missing[m], Odd: true})
	}
	return out
}

// gridOf returns the id of the method to whose grid a method belongs, and its own if it belongs to none.
func gridOf(method string) string {
	base, _, _ := strings.Cut(method, ",")
	return base
}

// spread writes the smallest and the largest of some values.
func spread(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	low, high := figures.Number(slices.Min(values)), figures.Number(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

// seedList writes seeds, with consecutive ones as a range.
func seedList(seeds []uint64) string {
	seeds = slices.Compact(slices.Sorted(slices.Values(seeds)))
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d–%d", seeds[i], seeds[j]))
		} else {
			parts = append(parts, fmt.Sprint(seeds[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// ran says what was run and where, in one line.
func ran(cases []claims.Case, recs []*records.Record) string {
	parts := []string{amount(cases), dates(recs)}
	if s := seconds(recs); s > 0 {
		parts = append(parts, printed.Duration(s)+" of training")
	}
	var machines []string
	for _, r := range recs {
		for _, name := range []string{r.Header.Timing.CPU, r.Header.Timing.Host} {
			machines = figures.AppendNew(machines, name)
		}
	}
	if len(machines) > 0 {
		parts = append(parts, strings.Join(machines, ", "))
	}
	return strings.Join(parts, " · ")
}

// seconds is how long all runs trained.
func seconds(recs []*records.Record) (sum float64) {
	for _, r := range recs {
		if n := len(r.Points); n > 0 {
			sum += r.Points[n-1].Timing.Train
		}
	}
	return sum
}

// amount says how much was run, and at which size.
func amount(cases []claims.Case) string {
	n := 0
	for _, j := range cases {
		n += len(j.Records)
	}
	s := printed.Count(len(cases), "experiment") + ", " + printed.Count(n, "run")
	if size := claims.SizeOf(cases); size != "" {
		s += " " + size
	}
	return s
}

// dates returns the first and the last day on which a run started or ended.
func dates(recs []*records.Record) string {
	var days []string
	for _, r := range recs {
		stamp := r.Header.Timing.Started
		if r.End != nil && r.End.Timing.Finished != "" {
			days = figures.AppendNew(days, day(r.End.Timing.Finished))
		}
		days = figures.AppendNew(days, day(stamp))
	}
	slices.Sort(days)
	switch len(days) {
	case 0:
		return "no records"
	case 1:
		return days[0]
	}
	return days[0] + " to " + days[len(days)-1]
}

// day returns the date of an RFC 3339 time.
func day(stamp string) string {
	date, _, _ := strings.Cut(stamp, "T")
	return date
}

// facts returns the provenance of the records: program, machine and precision. It lists every distinct value once.
func facts(recs []*records.Record) []fact {
	names := []string{"program", "system", "CPU", "threads", "precision"}
	values := make([][]string, len(names))
	for _, r := range recs {
		p, t := r.Header.Provenance, r.Header.Timing
		for i, v := range []string{p.Name() + " " + p.String(), t.Host, t.CPU, fmt.Sprint(t.Threads), p.Precision} {
			values[i] = figures.AppendNew(values[i], v)
		}
	}
	var out []fact
	for i, name := range names {
		if len(values[i]) > 0 {
			out = append(out, fact{name, strings.Join(values[i], "; ")})
		}
	}
	return out
}

// A fact is a line of the provenance.
type fact struct{ Name, Value string }
