package plots

import (
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/plots/live"
	"repro/plots/web"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// report is what the templates show.
type report struct {
	web.Page

	Ran         string // what was run and where, in one line
	Facts       []fact
	Papers      []paperView
	About       string
	Sentence    []phrase
	Beside      []string
	Deviating   []deviation
	Next        []command
	Claims      []judged
	Numbers     []judged // verdicts on numbers of whole columns of tables
	Experiments []experimentView
	Live        template.HTML // what the script needs of the figures
	Warnings    []string
}

type experimentView struct {
	claims.Case
	Cited       string // the paper, in short
	Conclusion  string
	Score       *matrixRow // nil if the experiment has no claims
	Commands    []command
	Figures     []figureView
	Lead        *figureView  // the figure that is not folded; nil if none was drawn
	More        []figureView // the others
	Tables      []tableView
	Rates       []claims.Verdict
	Runs        []runsView
	Cells       int
	Data        []records.DataDigest
	MoreData    int // data sets beyond mostDigests
	Substitutes []string
	Live        *live.Data // nil if no figure is alive
}

type figureView struct {
	ID, Title     string
	Caption, More string          // the first captionSentences, and the rest
	Drawing       *drawings.Sheet // nil if the page's script draws the figure
	Claims        []judged
	Files         []fileLink
	Warnings      []string
	Missing       string // why there is no figure; empty if there is one

	curves bool
}

// newReport returns the report without figures and tables.
func newReport(cases []claims.Case, warnings []error, how Output) *report {
	r := &report{}
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	var all []*records.Record
	for _, j := range cases {
		all = append(all, j.Records...)
		r.Experiments = append(r.Experiments, newExperimentView(j, how.say))
		for _, v := range j.Verdicts {
			if v.Column != "" {
				r.Numbers = append(r.Numbers, judged{v})
			} else {
				r.Claims = append(r.Claims, judged{v})
			}
		}
	}
	standing := claims.StandingOf(cases)
	r.About, r.Sentence, r.Beside = about(cases), sentence(standing), beside(standing)
	r.Deviating = deviations(standing)
	if words, line := Next(cases, how.say); line != "" {
		r.Next = append(r.Next, command{words, line})
	}
	r.Next = append(r.Next, command{"Your own experiment", printed.Line("new", "mine")})
	r.Ran, r.Facts = ran(cases, all), slices.Concat(facts(all), cited(cases))
	return r
}

// mostDigests is the largest number of data sets of an experiment that the report lists.
const mostDigests = 6

// newExperimentView returns an experiment without figures and tables.
func newExperimentView(j claims.Case, say claims.Say) experimentView {
	v := experimentView{
		Case: j, Cited: shortName(j.Paper, path.Dir(j.ID)), Runs: runsViews(j), Conclusion: conclusion(j), Score: newMatrixRow(j),
		Commands: commands(j.Experiment, say),
	}
	for _, r := range v.Runs {
		v.Cells += r.N
	}
	seen := map[records.DataDigest]bool{}
	for _, rec := range j.Records {
		for _, d := range rec.Header.Provenance.Data {
			if !seen[d] && len(v.Data) < mostDigests {
				v.Data = append(v.Data, d)
			} else if !seen[d] {
				v.MoreData++
			}
			seen[d] = true
		}
		v.Substitutes = figures.AppendNew(v.Substitutes, rec.Header.Provenance.Substitute)
	}
	for _, w := range j.Verdicts {
		if len(w.Sensitivity)+len(w.Halves) > 0 {
			v.Rates = append(v.Rates, w)
		}
	}
	return v
}

// newCard returns the card of an experiment whose figures are drawn.
func newCard(e experimentView) card {
	c := card{ID: e.ID, Title: e.Title, Conclusion: e.Conclusion, Class: class("")}
	if e.Lead != nil && e.Lead.Drawing != nil {
		c.Figure, c.ViewBox = e.Lead.ID, e.Lead.Drawing.Thumb()
		i := slices.IndexFunc(e.Live.Figures, func(f live.Figure) bool { return f.ID == c.Figure })
		c.X, c.Y = e.Live.Figures[i].X.Label, e.Live.Figures[i].Y.Label
	}
	counted := claims.ScoreOf(e.Verdicts).Papers().Verdicts
	if c.Ours = len(counted) == 0; c.Ours {
		counted = e.Verdicts
	}
	c.Counts = wordCounts(counted)
	for _, w := range []claims.Word{claims.Deviates, claims.Reproduced, claims.Inconclusive, claims.NotComparable} {
		if slices.ContainsFunc(counted, func(v claims.Verdict) bool { return v.Verdict == w }) {
			c.Class = class(w)
			break
		}
	}
	for _, f := range e.Case.Figures {
		text := place.FindString(f.Source)
		if text != "" && !slices.ContainsFunc(c.Sources, func(s sourceLink) bool { return s.Text == text }) {
			c.Sources = append(c.Sources, sourceLink{text, f.ID})
		}
	}
	return c
}

// place finds a figure, a table or a theorem in a source.
var place = regexp.MustCompile(`(Figs?\.|Tabs?\.|Tables?|Thms?\.?|Theorems?|Cor\.|Corollary|App\.|Alg\.|Algorithm|Prop\.|Proposition|Lemma) ?[\dA-Z][\w.]*\b(\([\w, ]+\))?( and \d+\b)?`)

// matrix returns the papers of the experiments, each once, in the order of their first experiments.
func matrix(exps []experimentView) []paperView {
	var papers []paperView
	for _, e := range exps {
		key := path.Dir(e.ID)
		at := slices.IndexFunc(papers, func(p paperView) bool { return p.Key == key })
		if at < 0 {
			at = len(papers)
			papers = append(papers, paperView{Key: key, Name: shortName(e.Paper, key), Title: e.Paper.Title})
		}
		papers[at].cases = append(papers[at].cases, e.Case)
		papers[at].Cards = append(papers[at].Cards, newCard(e))
		if e.Score != nil {
			papers[at].Rows = append(papers[at].Rows, *e.Score)
		}
	}
	return papers
}

// Plain returns the tables that are folded.
func (e experimentView) Plain() []tableView {
	return slices.DeleteFunc(slices.Clone(e.Tables), func(t tableView) bool { return t.Shown() || t.Missing != "" })
}

// tiles returns the tiles of the claims that a figure names.
func (e experimentView) tiles(fig claims.Figure) (tiles []judged) {
	if e.Score == nil {
		return nil
	}
	for _, id := range fig.Claims {
		for _, t := range e.Score.Tiles {
			if t.Claim == id {
				tiles = append(tiles, t)
			}
		}
	}
	return tiles
}

// captionSentences is how many sentences of a caption are not folded: what the spec says of the figure, and what lines and bands are.
const captionSentences = 2

// newFigureView returns a figure without its drawing.
func newFigureView(f *figures.Figure, tiles []judged) figureView {
	view := figureView{ID: f.ID, Title: f.Title, Warnings: f.Warnings, Claims: tiles}
	caption := slices.DeleteFunc(slices.Clone(f.Caption), func(sentence string) bool { // the tiles say the same
		return len(tiles) > 0 && strings.HasPrefix(sentence, figures.ClaimSentence)
	})
	axes := slices.IndexFunc(caption, func(sentence string) bool { return strings.HasPrefix(sentence, figures.AxesSentence) })
	n := min(captionSentences, len(caption))
	if axes >= 0 {
		n = min(n, axes) // the axes have labels
	}
	view.Caption, view.More = caption[:n].String(), caption[n:].String()
	return view
}

// enliven adds a figure, drawn as a sheet, to what the page's script needs. other is the run that is shown
// beside, or nil.
func (e *experimentView) enliven(f *figures.Figure, spec claims.Figure, sheet *drawings.Sheet, other *Run) {
	if e.Live == nil {
		e.Live = live.New(e.ID)
	}
	var besides []*records.Record
	if other != nil {
		if there := claims.Of(other.Cases, e.ID); there != nil {
			besides = there.Records
		}
	}
	if f.Heat != nil {
		e.Live.AddMaps(f, sheet.Areas)
	} else {
		e.Live.AddCurves(e.Case, spec, f, besides)
	}
}

// html executes the templates.
func (r *report) html() ([]byte, error) {
	if err := r.choose(); err != nil {
		return nil, err
	}
	var all []*live.Data
	for _, e := range r.Experiments {
		if e.Live != nil {
			all = append(all, e.Live)
		}
	}
	var err error
	if r.Live, err = web.Pack(all); err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, "page.tmpl", r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return fold(printed.Visible(b.String()))
}

// fold packs what the page holds in template elements, which its script unfolds: packed it is an eighth as long.
func fold(page string) ([]byte, error) {
	var folds []string
	page = folded.ReplaceAllStringFunc(page, func(element string) string {
		folds = append(folds, strings.TrimSuffix(strings.TrimPrefix(element, "<template>"), "</template>"))
		return "<template></template>"
	})
	packed, err := web.Pack(folds)
	return []byte(strings.Replace(page, foldsHere, foldsHere+string(packed), 1)), err
}

var folded = regexp.MustCompile(`(?s)<template>.*?</template>`)

// foldsHere is where the page has what is packed.
const foldsHere = `id="folds">`

// choose chooses the figure of each section and of its card, and makes style and script of the page. The script draws the other
// figures of curves, so their drawings are left out.
func (r *report) choose() error {
	var sheets []*drawings.Sheet
	for i := range r.Experiments {
		e := &r.Experiments[i]
		lead, best := -1, 0
		for k, f := range e.Figures {
			if f.Drawing == nil {
				continue
			}
			if s := merit(*e, f); s > best {
				lead, best = k, s
			}
		}
		e.More = e.Figures
		if lead >= 0 {
			e.Lead, e.More = &e.Figures[lead], slices.Concat(e.Figures[:lead], e.Figures[lead+1:])
			sheets = append(sheets, e.Lead.Drawing)
		}
		for k := range e.More {
			if f := &e.More[k]; f.curves {
				f.Drawing = nil
			} else if f.Drawing != nil {
				sheets = append(sheets, f.Drawing)
			}
		}
	}
	r.Papers = matrix(r.Experiments)
	var err error
	r.Page, err = web.NewPage("report.min.js", []string{"report.css"}, signsCSS()+drawings.SheetsCSS(sheets...))
	return err
}

// merit is how much a figure has to say for its experiment: the claims that hold on it, then the paper's numbers and its curves. Heat maps
// have least.
func merit(e experimentView, f figureView) int {
	n := 2
	for _, t := range f.Claims {
		if t.Here().Word == claims.Reproduced {
			n += 4
		}
	}
	for _, fig := range e.Live.Figures {
		switch {
		case fig.ID != f.ID:
		case fig.Maps != nil:
			return 1
		default:
			n += min(len(fig.Lines), 5) + 2*min(len(fig.Marks), 3)
		}
	}
	return n
}

// cited lists the papers of experiments.
func cited(cases []claims.Case) (papers []fact) {
	for _, e := range cases {
		f := fact{shortName(e.Paper, path.Dir(e.ID)), citation(e.Paper)}
		if f.Value != "" && !slices.Contains(papers, f) {
			papers = append(papers, f)
		}
	}
	return papers
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

// commands returns how to run an experiment again, and at the published size.
func commands(exp claims.Experiment, say claims.Say) []command {
	all := []command{{"Run it again", exp.Command(say, "run")}}
	if exp.Profile != "" && exp.Profile != paperSize {
		all = append(all, command{"at the published size", exp.Command(say, "run", "--profile", paperSize)})
	}
	return all
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"rich": Rich, "badge": badge, "sign": sign, "class": class, "anchor": anchor,
	"plain": figures.PlainText, "sentence": figures.Sentence, "base": path.Base, "words": func() []claims.Word { return claims.Words },
	"title": title, "marked": marked, "numbers": figures.Measured, "quantity": quantity,
	"tight":  func(s string) template.HTML { return rich(strings.ReplaceAll(s, " to ", "\u00a0to\u00a0")) }, // a range is not broken
	"number": func(v float64) template.HTML { return rich(figures.Number(v)) },
	"span":   func(low, high float64) template.HTML { return rich(figures.Within(low, high)) },
	"list":   func(values ...any) []any { return values },
}).ParseFS(web.Files, "*.tmpl"))

// Rich converts text as specs write it, with exponents such as m^(-1/2), to HTML.
func Rich(s string) template.HTML { return rich(figures.Typeset(s)) }

// rich converts text with ^{...} and _{...} to HTML; everything else is escaped.
func rich(s string) template.HTML {
	var b strings.Builder
	for _, p := range figures.Spans(s) {
		text := html.EscapeString(p.Text)
		switch {
		case p.Shift > 0:
			b.WriteString("<sup>" + text + "</sup>")
		case p.Shift < 0:
			b.WriteString("<sub>" + text + "</sub>")
		default:
			b.WriteString(text)
		}
	}
	return template.HTML(b.String())
}

var notInAnchor = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// anchor returns the id, for links inside the report, of what has the given name.
func anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllString(s, "-"), "-")
}

// verdictClasses are the classes of verdicts, which have their colours.
var verdictClasses = map[claims.Word]string{
	claims.Reproduced: "good", claims.Deviates: "bad", claims.Inconclusive: "open", claims.NotComparable: "apart", claims.NotRun: "none", claims.Failed: "fail",
}

// signsCSS puts the sign of a verdict before its word, for readers who do not see the colour. Screen readers hear the word alone.
func signsCSS() string {
	var b strings.Builder
	for _, w := range claims.Words {
		fmt.Fprintf(&b, ".badge.%s::before{content:\"%s\"/\"\"}\n", class(w), w.Sign())
	}
	return b.String()
}

// badge returns the words for a verdict with its sign and colour.
func badge(w claims.Word, called string) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `">` + html.EscapeString(called) + `</b>`)
}

// sign returns a verdict's sign, labelled with the word for screen readers.
func sign(w claims.Word) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `" role="img" aria-label="` + html.EscapeString(string(w)) + `"></b>`)
}

// class returns the colour class of a verdict, and none for no verdict.
func class(w claims.Word) string {
	if w == "" {
		return "none"
	}
	return verdictClasses[w]
}
