package plots

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/tables"
)

//go:embed report.tmpl
var reportText string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"rich": rich, "badge": badge, "sign": sign, "class": class, "anchor": anchor,
	"number": func(v float64) template.HTML { return rich(number(v)) },
	"span": func(low, high float64) template.HTML {
		write := numberWithin(low, high)
		return rich(write(low) + " to " + write(high))
	},
}).Parse(reportText))

// report is what the template shows.
type report struct {
	Profiles    string
	Dates       string
	Facts       []fact
	Counts      []wordCount
	Scores      []scoreView // empty if none of the experiments has shipped verdicts
	Verdicts    []verdictView
	Cells       []verdictView // verdicts on numbers of whole columns of tables
	Experiments []experimentView
	Warnings    []string
}

// A fact is a line of the header.
type fact struct{ Name, Value string }

// A wordCount is the number of claims with one verdict.
type wordCount struct {
	Word claims.Word
	N    int
}

// A scoreView holds the verdicts on an experiment's claims: of the records at hand, and at the published size as shipped
// with repro.
type scoreView struct {
	ID, Title, Profile string
	Here, Shipped      []wordCount
}

type verdictView struct {
	claims.Verdict
	Title               string // of the claim, in words
	Published, Measured string
	Accepted            string
}

type experimentView struct {
	claims.Experiment
	Citation    string
	Figures     []figureView
	Tables      []tableView
	Rates       []claims.Verdict
	Ambiguities []claims.Ambiguity
	Cells       []cellView
	Data        []records.DataDigest
	Substitutes []string
}

type figureView struct {
	ID, Title, Caption string
	SVG                template.HTML
	Files              []fileLink
	Warnings           []string
	Missing            string // why there is no figure; empty if there is one
}

type tableView struct {
	ID, Title, Source string
	Groups            []tableGroup // above the header of a table whose rows are places
	Header            []string
	Rows              []tableRowView
	Notes             []string
	Files             []fileLink
	Missing           string
}

// A tableGroup is a number of columns that belong to one method.
type tableGroup struct {
	Label string
	Span  int
}

type tableRowView struct {
	Label string
	Cells []tableCellView
}

// A tableCellView is a measured number, or a published number with its verdict. In a table whose rows are places it is
// both.
type tableCellView struct {
	Text      string
	Verdict   claims.Word
	Published string
	Claim     string
	Hint      string // the full content of the cell, as a tooltip
}

type fileLink struct{ Name, Href string }

type cellView struct {
	Name, Method, Status, Reason string
	Seed                         uint64
	Steps                        int
	Seconds                      string
	Odd                          bool // neither done nor out of budget
}

// newReport returns the report without figures and tables.
func newReport(exps []claims.Experiment, store *records.Store, verdicts []claims.Verdict, shipped map[string]claims.Tally) *report {
	r := &report{}
	for _, w := range store.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	var all []*records.Record
	for _, exp := range exps {
		recs := exp.Records(store.Records)
		all = append(all, recs...)
		v := experimentView{Experiment: exp, Citation: citation(exp.Paper), Cells: cellViews(exp, recs), Ambiguities: exp.Ambiguities}
		for _, rec := range recs {
			for _, d := range rec.Header.Provenance.Data {
				if !slices.Contains(v.Data, d) {
					v.Data = append(v.Data, d)
				}
			}
			v.Substitutes = appendNew(v.Substitutes, rec.Header.Provenance.Substitute)
		}
		for _, w := range verdicts {
			if w.Experiment == exp.ID && len(w.Sensitivity) > 0 {
				v.Rates = append(v.Rates, w)
			}
		}
		r.Experiments = append(r.Experiments, v)
	}
	for _, v := range verdicts {
		if v.Column != "" {
			r.Cells = append(r.Cells, newVerdictView(v))
		} else {
			r.Verdicts = append(r.Verdicts, newVerdictView(v))
		}
	}
	r.Counts = wordCounts(claims.TallyOf(verdicts))
	r.Scores = scoreViews(exps, verdicts, shipped)
	r.Profiles, r.Dates, r.Facts = profiles(exps), dates(all), facts(all)
	return r
}

// html executes the template.
func (r *report) html() ([]byte, error) {
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return []byte(printed.Visible(b.String())), nil
}

// appendNew appends the values that are not empty and not there yet.
func appendNew(list []string, values ...string) []string {
	for _, v := range values {
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// wordCounts returns the counts of a tally that are not zero.
func wordCounts(t claims.Tally) []wordCount {
	var counts []wordCount
	for _, w := range claims.Words {
		if n := t.Of(w); n > 0 {
			counts = append(counts, wordCount{w, n})
		}
	}
	return counts
}

// scoreViews returns the scores of the experiments, and nothing if none of them has shipped verdicts.
func scoreViews(exps []claims.Experiment, verdicts []claims.Verdict, shipped map[string]claims.Tally) []scoreView {
	var views []scoreView
	known := false
	for _, exp := range exps {
		own := slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.Experiment != exp.ID })
		view := scoreView{ID: exp.ID, Title: exp.Title, Profile: exp.Profile, Here: wordCounts(claims.TallyOf(own)), Shipped: wordCounts(shipped[exp.ID])}
		known = known || len(view.Shipped) > 0
		views = append(views, view)
	}
	if !known {
		return nil
	}
	return views
}

// citation writes a paper as a reference.
func citation(p claims.Paper) string {
	authors := strings.Join(p.Authors, ", ")
	var parts []string
	for _, s := range []string{authors, p.Title, p.Venue} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ". ")
	if p.Year != 0 {
		s += fmt.Sprintf(", %d", p.Year)
	}
	return s
}

// newVerdictView returns a verdict with its numbers as text.
func newVerdictView(v claims.Verdict) verdictView {
	view := verdictView{Verdict: v, Title: v.Statement, Published: marked(v), Measured: measured(v)}
	if view.Title == "" {
		view.Title = v.Claim
	}
	if low, high := v.Accept[0], v.Accept[1]; low != nil || high != nil {
		view.Accepted = fmt.Sprintf("%s to %s", bound(low, minus+"∞"), bound(high, "∞")) + v.UnitSign()
	}
	return view
}

func bound(v *float64, unbounded string) string {
	if v == nil {
		return unbounded
	}
	return number(*v)
}

// cellViews lists the runs of an experiment, then the planned runs without a record.
func cellViews(exp claims.Experiment, recs []*records.Record) []cellView {
	var out []cellView
	have := map[string]bool{}
	for _, r := range recs {
		have[r.Header.Cell] = true
		s := r.Status()
		c := cellView{Name: r.Header.Cell, Method: r.Header.Label, Seed: r.Header.Seed, Status: string(s)}
		c.Odd = s != records.Done && s != records.Budget
		if k := len(r.Points); k > 0 {
			last := r.Points[k-1]
			c.Steps, c.Seconds = last.Step, number(last.Timing.Setup+last.Timing.Train)
		}
		if r.End != nil {
			c.Steps, c.Reason = r.End.Steps, r.End.Reason
		}
		out = append(out, c)
	}
	for _, p := range exp.Expected {
		if !have[p.Cell] {
			out = append(out, cellView{Name: p.Cell, Status: "no record", Odd: true})
		}
	}
	return out
}

// cellText writes the number of a table's cell with its band.
func cellText(c tables.Cell) string {
	switch {
	case c.Missing != "":
		return c.Missing
	case math.IsInf(c.Median, 1):
		return "diverged"
	case c.Seeds < 2:
		return number(c.Median)
	}
	write := numberWithin(c.Low, c.High)
	return fmt.Sprintf("%s [%s, %s]", write(c.Median), write(c.Low), write(c.High))
}
