package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/findings"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/stats"
	"repro/runner/goldentest"
)

// verdicts are those that come with repro.
func verdicts(t *testing.T) []claims.Verdict {
	t.Helper()
	all, err := baseline.Verdicts()
	require.NoError(t, err)
	return all
}

// board is what score prints.
func board(t *testing.T) (board findings.Board) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(ok(t, "score", "--json").out), &board))
	return board
}

func TestScore(t *testing.T) {
	board := board(t)
	var papers []string
	for _, p := range board.Papers {
		papers = append(papers, p.ID)
		for _, n := range p.Score {
			rows, experiments := 0, 0
			for _, r := range p.Rows {
				rows += r.Score.Of(n.Class).Reproduced
			}
			for _, e := range p.Experiments {
				experiments += e.Score.Of(n.Class).Reproduced
			}
			assert.Equal(t, []int{n.Reproduced, n.Reproduced}, []int{rows, experiments}, "%s: %s", p.ID, n.Class)
		}
	}
	assert.Equal(t, []string{"dai2014", "li2016", "ma2017", "carratino2018", "jezequel2019", "rathore2024"}, papers)
	assert.Equal(t, 49, board.Rows, "as many as the papers have figures, tables and statements that can be measured")
	assert.Equal(t, 3, board.Extensions)
	verdicts := slices.DeleteFunc(verdicts(t), func(v claims.Verdict) bool { // the solvers are of no paper
		return !slices.Contains(papers, path.Dir(v.Experiment))
	})
	for _, n := range claims.ScoreOf(verdicts) {
		assert.Equal(t, n.Reproduced, board.Score.Of(n.Class).Reproduced, n.Class)
		assert.Equal(t, n.Claims-n.NotRun, board.Score.Of(n.Class).Claims-board.Score.Of(n.Class).NotRun, n.Class)
	}
}

// The verdicts that come with repro are those on the claims its specs make now, and a claim says why it deviates if, and only if, it does.
func TestShippedVerdictsAreOfTheSpecs(t *testing.T) {
	verdicts := verdicts(t)
	by := map[string][]claims.Verdict{}
	for _, v := range verdicts {
		by[v.Experiment] = append(by[v.Experiment], v)
	}
	for id, verdicts := range by {
		refs, err := catalog.Resolve([]string{id})
		require.NoError(t, err)
		spec, err := catalog.Load(refs[0], experiments.LoadOptions{Profile: "paper"})
		require.NoError(t, err)
		var want, got []string
		because, deviates := map[string]bool{}, map[string]bool{} // by column and claim
		for _, c := range spec.Experiment().Claims {
			if c.Because != "" {
				because[cmp.Or(c.Column, c.ID)] = true
			}
			want = append(want, fmt.Sprintf("%s: %s %s, published %q ± %g", c.ID, c.Kind, c.Method, c.Number(), c.Tolerance))
		}
		for _, v := range verdicts {
			got = append(got, fmt.Sprintf("%s: %s %s, published %q ± %g", v.Claim, v.Kind, v.Method, v.Number(), v.Tolerance))
			assert.Equal(t, "paper", v.Profile, "%s: %s", id, v.Claim)
			if v.Verdict == claims.Deviates {
				deviates[cmp.Or(v.Column, v.Claim)] = true
			}
		}
		assert.Equal(t, deviates, because, "%s: deviates_because", id)
		assert.Equal(t, want, got, "%s: run it at profile paper and put its verdicts into results/baseline/paper", id)
	}
}

// TestPagesHaveTheScores compares the counts of verdicts in README.md and docs/papers with the verdicts that come
// with repro.
func TestPagesHaveTheScores(t *testing.T) {
	root := filepath.Join(testdata, "..", "..", "..", "..")
	pages := map[string]func(*testing.T, string) string{
		"README.md": func(t *testing.T, page string) string { return withSceptic(t, withPapers(t, page)) },
		"docs/scoreboard.md": func(t *testing.T, page string) string {
			return strings.ReplaceAll(withScoreboard(t, page), "](docs/", "](")
		},
	}
	pages["docs/reproduced.md"] = withPeople
	for _, paper := range []string{"carratino2018", "dai2014", "jezequel2019", "li2016", "ma2017", "rathore2024"} {
		pages["docs/papers/"+paper+".md"] = func(t *testing.T, page string) string {
			page = withSentence(t, page, paper)
			if paper == "ma2017" {
				page = withCounts(t, page)
			}
			return page
		}
	}
	for name, remake := range pages {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(name))
			goldentest.Equal(t, file, remake(t, read(t, file)))
		})
	}
}

// between puts a text between the marks of a page: a comment that begins with start, and one that names the end.
func between(t *testing.T, page, start, end, text string) string {
	marks := regexp.MustCompile("(?s)(<!-- " + start + "[^\n]*-->\n).*?(<!-- end of the " + end + " -->)")
	require.True(t, marks.MatchString(page), "the page has the marks %v", marks)
	return marks.ReplaceAllString(page, "${1}"+text+"${2}")
}

// withScoreboard puts what score --markdown prints between the marks of a page.
func withScoreboard(t *testing.T, page string) string {
	table := ok(t, "score", "--markdown").out
	return between(t, page, "repro score --markdown", "scores", "\n"+table+"\n")
}

// withSentence puts the sentence of a paper between the marks of its page.
func withSentence(t *testing.T, page, paper string) string {
	papers := board(t).Papers
	p := papers[slices.IndexFunc(papers, func(p findings.Paper) bool { return p.ID == paper })]
	p.Page = ""
	return between(t, page, "sentence of repro score", "sentence", "\n"+p.Sentence()+"\n\n")
}

// withPapers puts a sentence for each paper between the marks of a page, and their sum.
func withPapers(t *testing.T, page string) string {
	board := board(t)
	text := ""
	for _, p := range board.Papers {
		text += "- " + p.Sentence() + "\n"
	}
	text += fmt.Sprintf("\nTogether: %s. Our own checks stand apart: %d, %s.\n", board.Score.Papers().Sentence(), board.Score.Checks().Claims, board.Score.Checks().Prose())
	return between(t, page, "papers of repro score --markdown", "papers", "\n"+text+"\n")
}

// withSceptic puts what somebody who wants to disbelieve the scores would say of them between the marks of a page.
func withSceptic(t *testing.T, page string) string {
	board, err := findings.Shipped(nil)
	require.NoError(t, err)
	of, few, digits := board.Score.Of, 0, 0
	cells := slices.DeleteFunc(slices.Clone(of(claims.Printed).Verdicts), claims.Verdict.Whole)
	for _, v := range cells {
		if v.Verdict == claims.Reproduced {
			if v.Seeds <= 3 {
				few++
			}
			if strings.HasPrefix(v.Experiment, "ma2017/") {
				digits++
			}
		}
	}
	numbers, columns := claims.CountOf(cells), of(claims.Printed).Claims-len(cells)
	text := fmt.Sprintf(`
- **Not run.** %d of the %d printed numbers and %d statements: the data is missing, or the run takes too long.
- **One paper.** %d of the %d printed numbers that are reproduced are of ma2017, nearly all of its tables on MNIST.
- **Few seeds.** %d of these %d come from three seeds or fewer, and the paper printed one run: only a gap of about six standard deviations is
  detected. The verdicts on %d whole columns detect smaller ones.
- **Not reproduced.** %d printed numbers and %d statements deviate; %d and %d are inconclusive.
- **Not counted.** %d claims ran on data that the paper does not have, are of a column for which we chose a step that is not printed, or repeat
  another number. %d are our own checks: that they hold says little about the papers.
`, numbers.NotRun, numbers.Claims, of(claims.Stated).NotRun, digits, numbers.Reproduced, few, numbers.Reproduced, columns,
		numbers.Deviates, of(claims.Stated).Deviates, numbers.Inconclusive, of(claims.Stated).Inconclusive, of(claims.Apart).Claims, of(claims.Ours).Claims)
	return between(t, page, "sceptic", "sceptic", text+"\n")
}

// A figure of each paper, for people: the one that says most, and its title.
var bestFigures = map[string][2]string{
	"dai2014":       {"ridge-time.svg", "All methods of Fig. 4(3) against time"},
	"li2016":        {"objective-a9a.svg", "Training objective on Adult against feature evaluations"},
	"ma2017":        {"mnist-kernels.svg", "Test error of EigenPro and Pegasos on MNIST, with the numbers of Table 7 as rings"},
	"carratino2018": {"regimes.svg", "Excess risk under the conditions of the theorem"},
	"jezequel2019":  {"adversarial-regret.svg", "Regret against an adversary"},
	"rathore2024":   {"askotch-linear.svg", "Relative residual of ASkotch and Skotch against passes"},
}

// withPeople says of each paper in a few sentences what is reproduced, and lists what deviates.
func withPeople(t *testing.T, page string) string {
	board := board(t)
	verdicts := verdicts(t)
	entries, err := findings.Scored(nil)
	require.NoError(t, err)
	because := map[string]string{}
	for _, e := range entries {
		for _, c := range e.Claims {
			because[e.ID+"#"+c.ID] = c.Because
		}
	}
	var b strings.Builder
	for _, p := range board.Papers {
		figure := bestFigures[p.ID]
		require.NotEmpty(t, figure[0], p.ID)
		fmt.Fprintf(&b, "## %s\n\n![%s](img/%s)\n\n", p.Title, figure[1], figure[0])
		fmt.Fprintf(&b, "- Altogether: %s.\n", p.Score.Papers().Sentence())
		for _, n := range p.Score {
			if n.Class.Whose() == claims.Papers {
				fmt.Fprintf(&b, "- %s: %s.\n", n.Class, n.Sentence())
			}
		}
		var needs []findings.Need
		for _, r := range p.Rows {
			needs = append(needs, r.Needs...)
		}
		if names := append(findings.Needed(needs, findings.Fetch), findings.Needed(needs, findings.Bring)...); len(names) > 0 {
			fmt.Fprintf(&b, "- Data sets that are missing: %s.\n", strings.Join(names, ", "))
		}
		var lines []string
		for _, v := range verdicts {
			if strings.HasPrefix(v.Experiment, p.ID+"/") && v.Verdict == claims.Deviates && v.Heading().Whose() == claims.Papers && v.Column == "" {
				lines = append(lines, fmt.Sprintf("  - %s (%s): %s. %s", v.Statement, v.Source, compared(v), because[v.Experiment+"#"+v.Claim]))
			}
		}
		if len(lines) == 0 {
			fmt.Fprintf(&b, "- No other claim deviates.\n")
		} else {
			fmt.Fprintf(&b, "- Besides single cells of tables, these deviate:\n%s\n", strings.Join(lines, "\n"))
		}
		fmt.Fprintf(&b, "- [The page of the paper](%s) has all numbers and says why some differ.\n\n", strings.TrimPrefix(p.Page, "docs/"))
	}
	return between(t, page, "people", "people", "\n"+strings.ReplaceAll(b.String(), "$", "$$"))
}

// compared writes the published and the measured number of a claim.
func compared(v claims.Verdict) string {
	text := strings.TrimSpace(string(v.Quantity()) + " " + v.MeasuredText(func(x float64) string { return printed.Digits(x, 3) }))
	if n := v.MarkedText(); n != "" {
		text += ", not " + n
	}
	return text
}

// withCounts fills in the counts of published numbers in the tables of docs/papers/ma2017.md.
func withCounts(t *testing.T, page string) string {
	verdicts := verdicts(t)
	rows := []struct {
		label, experiment, claims string // a regular expression of the claims that are published numbers
		visible                   bool   // ends with the median difference that would have been seen
	}{
		{"Tables 7, 8", "mnist-kernels", "@", true},
		{"Table 9", "bandwidth", "@", true},
		{"Table of Sec. 2.1", "gd-mnist10k", `^(train|test|error)-`, true},
		{"Table 3 and App. E, MNIST", "epochs", "", false},
		{"App. G, ratios of MNIST", "spectrum", `^ratio`, false},
		{"EigenPro 2.0 (an extension)", "eigenpro2", "@", true},
	}
	lines := strings.Split(page, "\n")
	at := -1
	for _, row := range rows {
		var counted []claims.Verdict
		for _, v := range verdicts {
			if v.Experiment == "ma2017/"+row.experiment && regexp.MustCompile(row.claims).MatchString(v.Claim) {
				counted = append(counted, v)
			}
		}
		require.NotEmpty(t, counted, row.label)
		at++
		next := slices.IndexFunc(lines[at:], func(l string) bool { return strings.HasPrefix(l, "| "+row.label+" |") })
		require.NotEqual(t, -1, next, "a row %q below line %d", row.label, at)
		at += next
		tally := claims.CountOf(counted)
		s := fmt.Sprintf("| %s | %d | %d | %d | %d |", row.label, tally.Claims, tally.Reproduced, tally.Inconclusive, tally.Deviates)
		if row.visible {
			s += fmt.Sprintf(" %.0f %%", medianVisible(t, counted))
		}
		lines[at] = s + " |"
	}
	return strings.Join(lines, "\n")
}

// medianVisible returns the median difference that would have been seen, in per cent of the published number.
func medianVisible(t *testing.T, verdicts []claims.Verdict) float64 {
	var shares []float64
	for _, v := range verdicts {
		if v.Visible != nil && v.PublishedLow != nil && *v.PublishedLow > 0 {
			shares = append(shares, 100**v.Visible/((*v.PublishedLow+*v.PublishedHigh)/2))
		}
	}
	require.NotEmpty(t, shares)
	return stats.Median(shares)
}
