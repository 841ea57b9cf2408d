package experiments

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestWordsArePrinted holds the paper's words, and the printed number that they must have, against its text. Words are compared
// without markup, white space and the hyphens of broken lines.
func TestWordsArePrinted(t *testing.T) {
	papers := printedPapers(t)
	words := 0
	for _, s := range fullSpecs(t) {
		for _, c := range s.Claims {
			if c.Words == "" || c.Kind == "column" || strings.HasPrefix(c.Source, "README") {
				continue
			}
			words++
			for _, wrong := range faults(papers[s.Paper], c) {
				t.Errorf("%s#%s: %s", s.ID, c.ID, wrong)
			}
		}
	}
	t.Logf("held against the papers' texts: the words of %d claims", words)
}

// faults lists what the paper's text says against a claim with words.
func faults(paper []string, c claims.Claim) (wrong []string) {
	if !says(paper, c.Words, strings.Contains(c.Source, "Table")) {
		wrong = append(wrong, fmt.Sprintf("the paper does not say %q", c.Words))
	}
	if c.Published != "" && c.Drawn == "" && c.Column == "" {
		if missing := numberMissing(c); missing != "" {
			wrong = append(wrong, missing)
		}
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
				if !says(p, m[1], false) {
					t.Errorf("%s, line %d: the paper does not say %q", id, n.Place.Line, m[1])
				}
			}
		})
	}
}

// sentence matches what stands in quotation marks and has four words or more.
var sentence = regexp.MustCompile(`["“](\pL(?:[^\s"”]*\s+[^\s"”]+){3,})["”]`)

// TestQuotesOfSeededMistakes shows that a wrong digit, a changed word, an order or a sign is noticed, and what a PDF does to a text is
// not.
func TestQuotesOfSeededMistakes(t *testing.T) {
	paper := tokensOf("Others need a time of $O(n^{-1/2})$ , which is large.\n\nWe show that random fea-\ntures suﬃce: the error falls as $O(1/\\sqrt{t})$ with " +
		"$\\lambda_1 = 0.25$ , and it takes at\nmost 1,200 steps, while UDSG performs worse\n\nthan the state-of-the-art DSG.\n\nmethod\ttrain\ttest\nA\t0.92%\t2.03%\nB\t0.10%\t1.44%\n")
	for _, q := range []struct{ source, words, published, kind, wrong string }{
		{"Sec. 2", "random features suffice: the error falls as O(1/√t)", "-0.5", "rate", ""},
		{"Sec. 2", "UDSG performs worse than ... DSG", "", "order", ""},
		{"Sec. 2", "λ_1 = 0.25 ... at most 1200 steps", "1200", "value", ""},
		{"Sec. 1", "a time of O(n^{-1/2})", "-0.5", "rate", ""},
		{"Table 1", "test ... B 1.44%", "1.44", "value", ""},
		{"Sec. 2", "UDSG performs better than the state-of-the-art DSG", "", "order", "does not say"},
		{"Sec. 2", "λ_1 = 0.25 ... at most 1,200 steps", "1210", "value", "do not have the number"},
		{"Sec. 2", "at most 1,200 steps ... λ_1 = 0.25", "", "order", "does not say"},
		{"Sec. 2", "random feature", "", "order", "does not say"},
		{"Sec. 1", "a time of O(n^{1/2})", "0.5", "rate", "does not say"},
		{"Sec. 1", "a time of O(n^{-1/2})", "2", "rate", "no formula"},
		{"Table 1", "B ... 0.92", "0.92", "value", "does not say"},
	} {
		wrong := strings.Join(faults(paper, claims.Claim{Kind: q.kind, Source: q.source, Words: q.words, Published: q.published}), "; ")
		if q.wrong == "" {
			assert.Empty(t, wrong, q.words)
		} else {
			assert.Contains(t, wrong, q.wrong, q.words)
		}
	}
}

// fullSpecs loads the built-in specs of papers as published.
func fullSpecs(t *testing.T) []*Spec {
	specs, errs := loadAll(t, "paper")
	for _, err := range errs {
		require.NoError(t, err)
	}
	return specs
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

// says reports whether a paper has the words: what stands between dots that leave something out, in this order, not far from one
// another. In a table other cells may stand between any two words.
func says(paper []string, words string, table bool) bool {
	const near = 400 // words, numbers and signs
	var pieces [][]string
	for _, piece := range strings.Split(strings.ReplaceAll(words, "…", "..."), "...") {
		for tokens := range slices.Chunk(tokensOf(piece), max(1, len(piece))) {
			pieces = append(pieces, tokens)
		}
	}
	if table {
		pieces = slices.Collect(slices.Chunk(slices.Concat(pieces...), 1))
	}
	for from := 0; len(pieces) > 0; from++ {
		first := index(paper[from:], pieces[0])
		if first < 0 {
			return false
		}
		from += first
		at := 0
		rest := paper[from:min(from+near, len(paper))]
		for at < len(pieces) {
			i := index(rest, pieces[at])
			if i < 0 {
				break
			}
			rest, at = rest[i+len(pieces[at]):], at+1
		}
		if at == len(pieces) {
			return true
		}
	}
	return false
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

var (
	tag       = regexp.MustCompile(`</?[a-z]+[^<>]*>`)
	link      = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	fraction  = regexp.MustCompile(`\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}`)
	raised    = regexp.MustCompile(`[_^]\{([^{}]*)\}`)
	argument  = regexp.MustCompile(`\\([A-Za-z]+)\{([^{}]*)\}`)
	command   = regexp.MustCompile(`\\([A-Za-z]+)`)
	hyphen    = regexp.MustCompile(`(\pL)-\s*(\pL)`)
	broken    = regexp.MustCompile(`(\pL)-\s*\n\s*(\p{Ll})`)
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

var papersRead map[string][]string // by printedPapers

// printedPapers reads the papers' texts by key, from the folder papers beside one that REPRO_DATA names. A text belongs to the
// paper whose title stands at its head.
func printedPapers(t *testing.T) map[string][]string {
	t.Helper()
	if papersRead != nil {
		return papersRead
	}
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
	all := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		head := strings.ToLower(strings.Join(tokensOf(string(text[:min(2000, len(text))])), " "))
		for _, key := range root.Table().Keys {
			if title := strings.ToLower(strings.Join(tokensOf(root.Find(key, "title").Text()), " ")); strings.Contains(head, title) {
				all[key] = nil
				for block := range strings.SplitSeq(broken.ReplaceAllString(string(text), "$1$2"), "\n\n") {
					all[key] = append(all[key], tokensOf(block)...)
				}
			}
		}
	}
	for _, s := range fullSpecs(t) {
		if all[s.Paper] == nil {
			words := slices.ContainsFunc(s.Claims, func(c claims.Claim) bool { return c.Words != "" })
			require.False(t, words, "no text in %v begins with the title of %s, whose words claims of %s have", files, s.Paper, s.ID)
			all[s.Paper] = []string{} // without a text there is nothing to quote
		}
	}
	papersRead = all
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
