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
	Verdicts    []verdictView
	Cells       []verdictView // on numbers of whole columns of tables
	Experiments []experimentView
	Warnings    []string
}

// A fact is a line of the header.
type fact struct{ Name, Value string }

type wordCount struct {
	Word claims.Word
	N    int
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
	Missing            string // why there is no figure
}

type tableView struct {
	ID, Title, Source string
	Groups            []tableGroup // above the header, of a table whose rows are places
	Header            []string
	Rows              []tableRowView
	Notes             []string
	Files             []fileLink
	Missing           string
}

// A tableGroup is columns that belong to one method.
type tableGroup struct {
	Label string
	Span  int
}

type tableRowView struct {
	Label string
	Cells []tableCellView
}

// A tableCellView is a number, or what was published with its verdict; in a table whose rows are places
// both.
type tableCellView struct {
	Text      string
	Verdict   claims.Word
	Published string
	Claim     string
	Hint      string // what the cell says at length
}

type fileLink struct{ Name, Href string }

type cellView struct {
	Name, Method, Status, Reason string
	Seed                         uint64
	Steps                        int
	Seconds                      string
	Odd                          bool // neither done nor out of budget
}

// newReport gathers all but the figures and tables.
func newReport(out string, exps []claims.Experiment, store *records.Store, verdicts []claims.Verdict) *report {
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
	for _, w := range verdictOrder {
		n := 0
		for _, v := range verdicts {
			if v.Verdict == w {
				n++
			}
		}
		if n > 0 {
			r.Counts = append(r.Counts, wordCount{w, n})
		}
	}
	r.Profiles, r.Dates, r.Facts = profiles(exps), dates(all), facts(all)
	return r
}

// html fills in the template.
func (r *report) html() ([]byte, error) {
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
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

// profiles lists the profiles of the experiments.
func profiles(exps []claims.Experiment) string {
	var names []string
	for _, e := range exps {
		name := e.Profile
		if reduced(e) {
			name += " (reduced: smaller than the papers' sizes)"
		}
		names = appendNew(names, name)
	}
	return strings.Join(names, ", ")
}

// reduced says whether an experiment ran at a profile smaller than the paper's.
func reduced(e claims.Experiment) bool { return e.Profile != "" && e.Profile != claims.PaperProfile }

// dates says when the records were taken.
func dates(recs []*records.Record) string {
	var days []string
	for _, r := range recs {
		stamp := r.Header.Timing.Started
		if r.End != nil && r.End.Timing.Finished != "" {
			days = appendNew(days, day(r.End.Timing.Finished))
		}
		days = appendNew(days, day(stamp))
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

// facts says what the records ran on, every distinct value once.
func facts(recs []*records.Record) []fact {
	names := []string{"repro", "commit", "Go", "system", "CPU", "threads", "precision"}
	values := make([][]string, len(names))
	for _, r := range recs {
		p, t := r.Header.Provenance, r.Header.Timing
		commit := p.Commit
		if p.Dirty {
			commit = strings.TrimSpace(commit + " with uncommitted changes")
		}
		for i, v := range []string{p.Version, commit, p.Go, t.Host, t.CPU, fmt.Sprint(t.Threads), p.Precision} {
			values[i] = appendNew(values[i], v)
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

// newVerdictView says a verdict's numbers as they are read.
func newVerdictView(v claims.Verdict) verdictView {
	view := verdictView{Verdict: v, Title: v.Statement, Published: published(v), Measured: measured(v)}
	if view.Title == "" {
		view.Title = v.Claim
	}
	if low, high := v.Accept[0], v.Accept[1]; low != nil || high != nil {
		view.Accepted = fmt.Sprintf("%s to %s", bound(low, minus+"∞"), bound(high, "∞")) + claimUnit(v)
	}
	return view
}

func bound(v *float64, unbounded string) string {
	if v == nil {
		return unbounded
	}
	return number(*v)
}

// cellViews lists the runs of an experiment, then the planned ones without a record.
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
