package experiments

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments/spectree"
	"repro/results/claims"
)

// TestClaimsSayWhoseTheyAre holds every claim to be the paper's, in its own words or as a figure draws it, or derived, or ours.
func TestClaimsSayWhoseTheyAre(t *testing.T) {
	for _, s := range fullSpecs(t) {
		for _, c := range s.Claims {
			if c.Words+c.Drawn+c.Derivation+c.Ours == "" && c.Kind != "column" { // whose cells say it
				t.Errorf("%s#%s: give words, drawn, derivation or ours", s.ID, c.ID)
			}
		}
	}
}

// TestWordsArePrinted holds the paper's words and its printed numbers against its text, at the place that the claim cites. Words
// are compared without markup, white space and the hyphens of broken lines.
func TestWordsArePrinted(t *testing.T) {
	papers := printedPapers(t)
	words, numbers := 0, 0
	for _, s := range fullSpecs(t) {
		columns := map[string][]string{}
		for _, c := range s.Claims {
			if c.Words == "" || c.Kind == "column" || strings.HasPrefix(c.Source, "README") {
				continue
			}
			words++
			if c.Published != "" && c.Drawn == "" {
				numbers++
				columns[c.Column] = append(columns[c.Column], c.Published)
			}
			for _, wrong := range papers[s.Paper].faults(c, columns[c.Column], cellsOf(s, c.Column)) {
				t.Errorf("%s#%s: %s", s.ID, c.ID, wrong)
			}
		}
	}
	t.Logf("held against the papers' texts: the words of %d claims, %d printed numbers", words, numbers)
}

// faults lists what the paper's text says against a claim with words. The cells of its column are compared when they are complete.
func (p *printedPaper) faults(c claims.Claim, cells []string, complete int) (wrong []string) {
	parts, err := p.at(c.Source)
	if err != nil {
		return []string{err.Error()}
	}
	if !quoted(parts, c.Words) {
		wrong = append(wrong, fmt.Sprintf("%s does not say %q; it may say %q", c.Source, c.Words, nearest(parts, c.Words)))
	}
	switch {
	case c.Published == "" || c.Drawn != "":
	case c.Column == "":
		if missing := numberMissing(c); missing != "" {
			wrong = append(wrong, missing)
		}
	case len(cells) == complete && !hasColumn(parts, cells):
		wrong = append(wrong, fmt.Sprintf("no column or row of %s has %v in this order", c.Source, cells))
	}
	return wrong
}

// TestQuotedSentences holds sentences in quotation marks, in all texts of the specs, against the paper's text.
func TestQuotedSentences(t *testing.T) {
	papers := printedPapers(t)
	for _, id := range builtinIDs(t) {
		text, err := fs.ReadFile(builtin, id+".toml")
		require.NoError(t, err)
		tree, err := spectree.Parse(id, string(text))
		require.NoError(t, err)
		p := papers[filepath.Dir(id)]
		tree.Walk(func(n *spectree.Node) {
			said, _ := n.Value.(string)
			for _, m := range sentence.FindAllStringSubmatch(said, -1) {
				if !quoted(p.paragraphs, m[1]) {
					t.Errorf("%s, line %d: the paper does not say %q; it may say %q", id, n.Place.Line, m[1], nearest(p.paragraphs, m[1]))
				}
			}
		})
	}
}

// sentence matches what stands in quotation marks and has four words or more.
var sentence = regexp.MustCompile(`["“](\pL(?:[^\s"”]*\s+[^\s"”]+){3,})["”]`)

// seeded is a paper as PDFs give it: a word broken over two lines, another over two pages, ligatures, TeX, tables with tabs.
const seeded = `# A Paper

## 1 Introduction

Others need a time of $O(n^{-1/2})$ , which is large.

## 2 Main Results

We show that random fea-
tures suﬃce: the error falls as $O(1/\sqrt{t})$ with $\lambda_1 = 0.25$ , and it takes at
most 1,200 steps, while UDSG performs worse

than the state-of-the-art DSG in Figure 1.

Figure 1: Error against time.

method	train	test
A	0.92%	2.03%
B	0.10%	1.44%
C	0.41%	1.91%

Table 1: Errors after 10 epochs.

### 2.1 Proofs

**Theorem 1.** The rate is $\frac{\theta}{t}$ .

**Proof** It follows that the rate is 7.

## 3 Conclusion

Table 1 shows that B has the smallest error of 1.44.
`

// TestQuotesOfSeededMistakes shows that a wrong digit, a changed word, an order, a sign or a place that the paper does not have
// is noticed, and what a PDF does to a text is not.
func TestQuotesOfSeededMistakes(t *testing.T) {
	p := newPaper(seeded)
	for _, q := range []struct {
		source, words, published, kind string
		wrong                          string // what is wrong with it; empty if nothing is
	}{
		{"Sec. 2", "random features suffice: the error falls as O(1/√t)", "-0.5", "rate", ""},
		{"Sec. 2", "UDSG performs worse than the state-of-the-art DSG", "", "order", ""},
		{"Fig. 1", "UDSG performs worse than ... DSG", "", "order", ""},
		{"Sec. 2", "λ_1 = 0.25 ... at most 1200 steps", "1200", "value", ""},
		{"Sec. 1", "a time of O(n^{-1/2})", "-0.5", "rate", ""},
		{"Thm 1", "The rate is θ/t", "-1", "rate", ""},
		{"Table 1", "B ... 1.44", "1.44", "value", ""},
		{"Table 1", "test ... B 1.44%", "1.44", "value", ""},
		{"Table 1", "train ... B 1.44%", "1.44", "value", "does not say"},
		{"Table 1", "smallest error of 1.44", "1.44", "value", ""},
		{"Sec. 2", "UDSG performs better than the state-of-the-art DSG", "", "order", "does not say"},
		{"Sec. 2", "λ_1 = 0.24", "0.24", "value", "does not say"},
		{"Sec. 2", "λ_1 = 0.25 ... at most 1,200 steps", "1210", "value", "do not have the number"},
		{"Sec. 2", "at most 1,200 steps ... λ_1 = 0.25", "", "order", "does not say"},
		{"Sec. 2", "DSG in Figure 1 ... performs worse", "", "order", "does not say"},
		{"Sec. 2", "UDSG worse than", "", "order", "does not say"},
		{"Sec. 2", "random feature", "", "order", "does not say"},
		{"Sec. 1", "a time of O(n^{1/2})", "0.5", "rate", "does not say"},
		{"Sec. 1", "a time of O(n^{-1/2})", "-2", "", "do not have the number"},
		{"Sec. 1", "a time of O(n^{-1/2})", "2", "rate", "no formula"},
		{"Sec. 1", "which is large", "-1", "rate", "no formula"},
		{"Sec. 3", "random features suffice", "", "order", "does not say"},
		{"Thm 1", "the rate is 7", "7", "value", "does not say"},
		{"Table 1", "A ... 1.44", "1.44", "value", "does not say"},
		{"Table 2", "A ... 0.92", "0.92", "value", "no Table 2"},
		{"the text", "random features suffice", "", "order", "names no place"},
		{"Sec. 2", "...", "", "order", "does not say"},
	} {
		wrong := strings.Join(p.faults(claims.Claim{Kind: q.kind, Source: q.source, Words: q.words, Published: q.published}, nil, 0), "; ")
		if q.wrong == "" {
			assert.Empty(t, wrong, q.words)
		} else {
			assert.Contains(t, wrong, q.wrong, q.words)
		}
	}
}

func TestColumnsOfSeededMistakes(t *testing.T) {
	parts, err := newPaper(seeded).at("Table 1")
	require.NoError(t, err)
	for cells, found := range map[[3]string]bool{
		{"0.92", "0.10", "0.41"}: true,
		{"2.03", "1.44", "1.91"}: true,
		{"2.03", "1.91", "1.44"}: false, // two rows changed places
		{"0.92", "1.44", "0.41"}: false, // a cell of the other column
		{"0.92", "0.10", "0.42"}: false,
		{"0.92", "0.1", "0.41"}:  false, // a digit left out: another rounding
	} {
		assert.Equal(t, found, hasColumn(parts, cells[:]), "%v", cells)
	}
	assert.True(t, hasColumn(parts, []string{"0.10", "1.44"}), "a row")
}

// fullSpecs loads the built-in specs of papers as published.
func fullSpecs(t *testing.T) []*Spec {
	specs, errs := loadAll(t, LoadOptions{Profile: "paper"})
	for _, err := range errs {
		require.NoError(t, err)
	}
	return specs
}

// cellsOf counts the claims of a column.
func cellsOf(s *Spec, column string) (n int) {
	for _, c := range s.Claims {
		if c.Column == column {
			n++
		}
	}
	return n
}

// numberMissing says what is wrong with the words of a claim whose number they must have; empty if nothing is.
func numberMissing(c claims.Claim) string {
	words := tokensOf(c.Words)
	switch has := contains(words, tokensOf(c.Published)); {
	case c.Kind == "rate" && !hasExponent(words, strings.TrimPrefix(c.Published, "-")):
		return fmt.Sprintf("the words %q have no formula with the exponent %s", c.Words, c.Published)
	case c.Kind != "rate" && !has:
		return fmt.Sprintf("the words %q do not have the number %s; give the sentence or the row that has", c.Words, c.Published)
	}
	return ""
}

// hasExponent reports whether words have a formula with the exponent, whose sign may be that of a fraction: O(1/t) has 1, O(1/√t)
// and O(t^{-1/2}) have 0.5, d/ε² has 2.
func hasExponent(words []string, exponent string) bool {
	switch exponent {
	case "1":
		return slices.ContainsFunc(words, func(w string) bool { return w == "(" || w == "/" })
	case "0.5":
		return contains(words, []string{"√"}) || contains(words, []string{"1", "/", "2"})
	}
	for i, w := range words {
		if w == exponent && i > 0 && words[i-1] != "/" {
			return true
		}
	}
	return false
}

// A printedPaper is the text of a paper as it was extracted from its PDF.
type printedPaper struct {
	paragraphs []paragraph
}

// A paragraph is what stands between empty lines, a heading, or a row of a table, whose cells are parted by tabs. What breaks off
// at the end of a page goes on in the same paragraph.
type paragraph struct {
	text    string
	heading string // number or letter of the section that begins here
	row     bool
	cell    bool // of the row before it
	tokens  []string
}

func (q paragraph) tabular() bool { return q.row || q.cell }

var (
	heading   = regexp.MustCompile(`^[#* ]*([0-9]+(?:\.[0-9]+)*|[A-H](?:\.[0-9]+)*)\.?[* ]+(\S.*)$`)
	listed    = regexp.MustCompile(`^[0-9]+\.\s`) // an entry of a list, not a heading
	unended   = regexp.MustCompile(`[^.:?!]$`)
	captioned = regexp.MustCompile(`^(Table|Figure) [0-9]+:`)
	stating   = regexp.MustCompile(`^[#* ]*(?:Theorem|Proposition|Lemma|Corollary|Proof|Algorithm)\b`)
)

// newPaper takes a text apart.
func newPaper(text string) *printedPaper {
	p := &printedPaper{}
	open := false // the last paragraph may go on
	gap := true   // an empty line stands before
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		row := strings.Contains(strings.TrimSpace(line), "\t")
		if !row {
			line = strings.TrimSpace(line)
		}
		m := heading.FindStringSubmatch(line)
		titled := gap && len(line) < 90 && (unended.MatchString(line) || m != nil && strings.Contains(m[1], "."))
		begins := m != nil && (line[0] == '#' || titled && 'A' <= m[2][0] && m[2][0] <= 'Z' && !listed.MatchString(line))
		switch {
		case line == "":
			gap = true
			continue
		case row:
			p.paragraphs, open = append(p.paragraphs, paragraph{text: line, row: true}), false
		case begins || line[0] == '#':
			q := paragraph{text: line}
			if begins {
				q.heading = m[1]
			}
			p.paragraphs, open = append(p.paragraphs, q), false
		case captioned.MatchString(line) || gap && stating.MatchString(line):
			p.paragraphs, open = append(p.paragraphs, paragraph{text: line}), true
		case open && (!gap || goesOn(p.paragraphs[len(p.paragraphs)-1].text, line)):
			p.paragraphs[len(p.paragraphs)-1].text += "\n" + line
		default:
			p.paragraphs, open = append(p.paragraphs, paragraph{text: line}), true
		}
		gap = false
	}
	p.paragraphs = withCells(p.paragraphs)
	for i := range p.paragraphs {
		p.paragraphs[i].tokens = tokensOf(p.paragraphs[i].text)
	}
	return p
}

// withCells adds a paragraph for each cell of a table, after its row: what stands above it in its column, the head of its row, and
// the cell. So words can name a cell by its column and its row.
func withCells(paragraphs []paragraph) (all []paragraph) {
	var above []string // by column
	for _, q := range paragraphs {
		all = append(all, q)
		if !q.row {
			above = nil
			continue
		}
		cells := strings.Split(q.text, "\t")
		for j, cell := range cells {
			for len(above) <= j {
				above = append(above, "")
			}
			if j > 0 {
				all = append(all, paragraph{text: above[j] + " " + cells[0] + " " + cell, cell: true})
			}
			above[j] += " " + cell
		}
	}
	return all
}

// goesOn reports whether a paragraph that a page broke off goes on in the next: it does not end, nor does a heading stand between
// the halves of a word.
func goesOn(before, after string) bool {
	half := strings.HasSuffix(before, "-") && strings.ToLower(after[:1]) != after[:1]
	return unended.MatchString(before) && !half
}

// A cited matches places of a paper in a source, such as Sec. 5.1, Table 3, or Thm 4 to 6.
var cited = regexp.MustCompile(`\b(Sec\.|Secs\.|Sections?|App\.|Tables?|Figs?\.|Thms?|Theorems?|Props?\.|Lemmas?|Cors?\.|Alg\.|eqs?\.|Abstract)(?: \(?([0-9A-H][0-9.]*)((?:(?:, | and | to )[0-9A-H][0-9.]*\b)*))?`)

// at returns the paragraphs that a source cites.
func (p *printedPaper) at(source string) (parts []paragraph, err error) {
	found := cited.FindAllStringSubmatch(source, -1)
	for _, m := range found {
		for _, number := range numbered(m[2], m[3]) {
			own := p.place(m[1], number)
			if len(own) == 0 {
				return nil, fmt.Errorf("the paper's text has no %s %s", m[1], number)
			}
			parts = append(parts, own...)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%q names no place of the paper", source)
	}
	return parts, nil
}

// numbered lists the numbers of a first and further ones: "4" and " to 6", "2" and " and 3, 5".
func numbered(first, more string) []string {
	first = strings.TrimRight(first, ".")
	all := []string{first}
	for _, m := range regexp.MustCompile(`(, | and | to )([0-9A-H][0-9.]*)`).FindAllStringSubmatch(more, -1) {
		next := strings.TrimRight(m[2], ".")
		if m[1] == " to " {
			prefix := next[:strings.LastIndex(next, ".")+1]
			from, _ := strconv.Atoi(strings.TrimPrefix(all[len(all)-1], prefix))
			to, _ := strconv.Atoi(strings.TrimPrefix(next, prefix))
			for i := from + 1; i < to; i++ {
				all = append(all, prefix+strconv.Itoa(i))
			}
		}
		all = append(all, next)
	}
	return all
}

// place returns the paragraphs of a section, a table, a figure, a theorem or an equation.
func (p *printedPaper) place(what, number string) []paragraph {
	switch what[:3] {
	case "Sec", "App":
		return p.section(number)
	case "Abs":
		return p.paragraphs[:min(40, len(p.paragraphs))]
	case "Tab":
		return append(p.table(number), p.speaking("Tables?", number)...)
	case "Fig":
		return p.speaking("Fig(?:ure|\\.)", number)
	case "eq.", "eqs":
		return p.paragraphs
	case "Alg":
		return p.statement("Algorithm", number)
	}
	full := map[string]string{"Thm": "Theorem", "The": "Theorem", "Pro": "Proposition", "Lem": "Lemma", "Cor": "Corollary"}[what[:3]]
	return p.statement(full, number)
}

// section returns a section with its subsections.
func (p *printedPaper) section(number string) (parts []paragraph) {
	in := false
	for _, q := range p.paragraphs {
		if q.heading != "" {
			in = q.heading == number || strings.HasPrefix(q.heading, number+".")
		}
		if in {
			parts = append(parts, q)
		}
	}
	return parts
}

// table returns the rows next to a table's caption, above and below it.
func (p *printedPaper) table(number string) (parts []paragraph) {
	for i, q := range p.paragraphs {
		if !strings.HasPrefix(q.text, "Table "+number+":") {
			continue
		}
		parts = append(parts, q)
		first := i - 1
		for first >= 0 && captioned.MatchString(p.paragraphs[first].text) {
			first--
		}
		above := first
		for above >= 0 && p.paragraphs[above].tabular() {
			above--
		}
		parts = append(parts, p.paragraphs[above+1:first+1]...)
		last := i + 1
		for last < len(p.paragraphs) && captioned.MatchString(p.paragraphs[last].text) {
			last++
		}
		below := last
		for below < len(p.paragraphs) && p.paragraphs[below].tabular() {
			below++
		}
		parts = append(parts, p.paragraphs[last:below]...)
	}
	return parts
}

// speaking returns the paragraphs that name a figure or a table.
func (p *printedPaper) speaking(kind, number string) (parts []paragraph) {
	names := regexp.MustCompile(`\b` + kind + `\s*(?:\d+ and )?` + regexp.QuoteMeta(number) + `(?:[^0-9.]|\.\D|\.?$)`)
	for _, q := range p.paragraphs {
		if names.MatchString(q.text) {
			parts = append(parts, q)
		}
	}
	return parts
}

// statement returns a theorem or the like, with what follows up to the next one, a proof or a heading.
func (p *printedPaper) statement(kind, number string) (parts []paragraph) {
	begins := regexp.MustCompile(`^[#* ]*` + kind + ` ` + regexp.QuoteMeta(number) + `(?:[^0-9.]|\.\D|\.?$)`)
	in := false
	for _, q := range p.paragraphs {
		switch {
		case begins.MatchString(q.text):
			in = true
		case q.heading != "" || stating.MatchString(q.text):
			in = false
		}
		if in {
			parts = append(parts, q)
		}
	}
	return parts
}

// quoted reports whether a paragraph says the words: what stands between dots that leave something out, in this order.
func quoted(paragraphs []paragraph, words string) bool {
	var pieces [][]string
	for _, piece := range strings.Split(strings.ReplaceAll(words, "…", "..."), "...") {
		if tokens := tokensOf(piece); len(tokens) > 0 {
			pieces = append(pieces, tokens)
		}
	}
	return len(pieces) > 0 && slices.ContainsFunc(paragraphs, func(q paragraph) bool {
		rest := q.tokens
		for _, piece := range pieces {
			i := index(rest, piece)
			if i < 0 {
				return false
			}
			rest = rest[i+len(piece):]
		}
		return true
	})
}

func contains(tokens, piece []string) bool { return index(tokens, piece) >= 0 }

// index returns the first place of the piece among tokens, -1 if there is none.
func index(tokens, piece []string) int {
	for i := 0; i+len(piece) <= len(tokens); i++ {
		if slices.Equal(tokens[i:i+len(piece)], piece) {
			return i
		}
	}
	return -1
}

// nearest returns the paragraph that has most of the words, for a message.
func nearest(paragraphs []paragraph, words string) string {
	asked, best, text := tokensOf(words), 0, ""
	for _, q := range paragraphs {
		n := 0
		for i := range asked {
			if i+2 <= len(asked) && contains(q.tokens, asked[i:i+2]) {
				n++
			}
		}
		if n > best {
			best, text = n, q.text
		}
	}
	return text[:min(len(text), 600)]
}

// hasColumn reports whether a column or a row of the tables among the paragraphs has the cells in this order. A zero may have
// other digits: some papers print 0 for what they round.
func hasColumn(paragraphs []paragraph, cells []string) bool {
	var lines [][]string
	for _, q := range paragraphs {
		if !q.row {
			continue
		}
		for j, cell := range strings.Split(q.text, "\t") {
			for len(lines) <= j {
				lines = append(lines, nil)
			}
			lines[j] = append(lines[j], cell)
		}
		lines = append(lines, strings.Split(q.text, "\t"))
	}
	return slices.ContainsFunc(lines, func(line []string) bool {
		found := 0
		for _, cell := range line {
			if found < len(cells) && sameNumber(cell, cells[found]) {
				found++
			}
		}
		return found == len(cells)
	})
}

// sameNumber reports whether a cell of a table begins with the number.
func sameNumber(cell, number string) bool {
	a, b := tokensOf(cell), tokensOf(number)
	if len(a) >= len(b) && slices.Equal(a[:len(b)], b) {
		return len(a) == len(b) || a[len(b)] == "%" || a[len(b)] == "(" || a[len(b)] == "†" || a[len(b)] == "‡"
	}
	v, err := strconv.ParseFloat(number, 64)
	zero, wrong := strconv.ParseFloat(strings.Trim(cell, "% $"), 64)
	return err == nil && wrong == nil && v == 0 && zero == 0
}

var (
	tag       = regexp.MustCompile(`</?[a-z]+[^<>]*>`)
	link      = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	fraction  = regexp.MustCompile(`\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}`)
	raised    = regexp.MustCompile(`[_^]\{([^{}]*)\}`)
	argument  = regexp.MustCompile(`\\([A-Za-z]+)\{([^{}]*)\}`)
	command   = regexp.MustCompile(`\\([A-Za-z]+)`)
	hyphen    = regexp.MustCompile(`(\pL)-\s*(\pL)`)
	thousands = regexp.MustCompile(`(\d),(\d{3})\b`)
	token     = regexp.MustCompile(`\d+(?:\.\d+)?|\p{Greek}|[\p{Latin}\pM]+|\S`)
)

// letters are the signs for commands of TeX; a command without one, such as \mathcal, is markup.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
	"lambda": "λ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Theta": "Θ", "Omega": "Ω",
	"leq": "≤", "leqslant": "≤", "le": "≤", "geq": "≥", "geqslant": "≥", "ge": "≥", "times": "×", "cdot": "·", "sqrt": "√", "in": "∈",
	"infty": "∞", "log": "log", "ln": "ln", "exp": "exp", "max": "max", "min": "min", "cos": "cos", "sin": "sin", "approx": "≈",
	"sim": "∼", "propto": "∝", "pm": "±", "neq": "≠", "sum": "Σ", "pi": "π", "mu": "μ", "dagger": "†", "ddagger": "‡", "to": "→",
}

// plainly writes the forms of a character in one way, and leaves markup out.
var plainly = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-",
	"\uE000", "+", "\uE001", "-",
	"²", " 2", "³", " 3", "⁴", " 4", "₁", " 1", "₂", " 2", "ϵ", "ε", "ϕ", "φ", "′", "", "'", "", "’", "", "‘", "", "\"", "", "“", "", "”", "",
	"$", "", "{", "", "}", "", "^", " ", "_", " ", "*", "", "\\", "", "#", "", "~", " ")

// tokensOf returns the words, numbers and signs of a text, without what a PDF and its extraction add.
func tokensOf(text string) []string {
	text = link.ReplaceAllString(tag.ReplaceAllString(text, ""), "$1")
	for before := ""; before != text; {
		before, text = text, raised.ReplaceAllStringFunc(text, func(part string) string { return " " + hidden.Replace(part[2:len(part)-1]) })
		text = argument.ReplaceAllStringFunc(text, func(part string) string {
			m := argument.FindStringSubmatch(part)
			if strings.HasSuffix(m[1], "frac") {
				return part
			}
			return " " + letters[m[1]] + " " + m[2]
		})
		text = fraction.ReplaceAllStringFunc(text, func(part string) string {
			m := fraction.FindStringSubmatch(part)
			return bracketed(m[1]) + "/" + bracketed(m[2])
		})
	}
	text = command.ReplaceAllStringFunc(text, func(c string) string { return " " + letters[c[1:]] + " " })
	text = hyphen.ReplaceAllString(plainly.Replace(text), "$1$2")
	return token.FindAllString(thousands.ReplaceAllString(text, "$1$2"), -1)
}

// hidden hides the signs of an index or exponent, which is no sum in a fraction; plainly shows them again.
var hidden = strings.NewReplacer("+", "\uE000", "-", "\uE001")

// bracketed puts a part of a fraction that is a sum in brackets, as a line of text must.
func bracketed(part string) string {
	if strings.ContainsAny(part, "+-") {
		return "(" + part + ")"
	}
	return part
}

// printedPapers reads the papers' texts by key, from the folder papers beside one that REPRO_DATA names. A text belongs to the
// paper whose title stands at its head.
func printedPapers(t *testing.T) map[string]*printedPaper {
	t.Helper()
	var files []string
	for _, dir := range filepath.SplitList(os.Getenv("REPRO_DATA")) {
		found, err := filepath.Glob(filepath.Join(dir, "..", "papers", "*.txt"))
		require.NoError(t, err)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("there are no texts of papers; set REPRO_DATA to a folder of data beside which a folder papers has them as *.txt")
	}
	root := parsed(t, "papers.toml")
	all := map[string]*printedPaper{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		head := strings.ToLower(strings.Join(tokensOf(string(text[:min(2000, len(text))])), " "))
		for _, key := range root.Table().Keys {
			if title := strings.ToLower(strings.Join(tokensOf(root.Find(key, "title").Text()), " ")); strings.Contains(head, title) {
				all[key] = newPaper(string(text))
			}
		}
	}
	for _, s := range fullSpecs(t) {
		if all[s.Paper] == nil {
			words := slices.ContainsFunc(s.Claims, func(c claims.Claim) bool { return c.Words != "" })
			require.False(t, words, "no text in %v begins with the title of %s, whose words claims of %s have", files, s.Paper, s.ID)
			all[s.Paper] = new(printedPaper) // without a text there is nothing to quote
		}
	}
	return all
}

func parsed(t *testing.T, file string) *spectree.Node {
	t.Helper()
	text, err := fs.ReadFile(builtin, file)
	require.NoError(t, err)
	root, err := spectree.Parse(file, string(text))
	require.NoError(t, err)
	return root
}
