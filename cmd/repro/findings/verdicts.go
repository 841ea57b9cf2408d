// Package findings judges what was run, prints the verdicts, and writes the report.
package findings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// Judge judges the claims of experiments, several at a time.
func Judge(exps []claims.Experiment, recs []*records.Record) []claims.Case {
	all := make([]claims.Case, len(exps))
	records.Parallel(len(exps), func(i int) { all[i] = claims.NewCase(exps[i], recs) })
	return all
}

// printVerdicts prints the verdicts of experiments, with reasons if asked.
func PrintVerdicts(o *terminal.Output, all []claims.Case, reasons bool) {
	other := false
	for _, j := range all {
		o.Message("%s at profile %s: %s", j.ID, j.Profile, j.Title)
		if len(j.Verdicts) == 0 {
			fmt.Fprint(o, "  it has no claims\n\n")
			continue
		}
		printClaims(o, j.Verdicts)
		if len(j.Verdicts) > 1 {
			o.Message("  %s", Summary(j.Verdicts))
		}
		if reasons {
			printReasons(o, j.Verdicts)
		}
		for _, v := range j.Verdicts {
			for _, w := range v.Warnings {
				o.Message("  warning: %s: %s", v.Claim, w)
			}
		}
		fmt.Fprintln(o)
		other = other || slices.ContainsFunc(j.Verdicts, func(v claims.Verdict) bool { return v.Verdict == claims.NotComparable })
	}
	if other {
		o.Message("A claim is not comparable if its runs had another size or other settings than the paper's. %s "+
			"names them; %s shows the time and the memory that the paper's size needs; %s "+
			"shows the verdicts of such runs that come with %s.\n",
			printed.Command("verify -v"), printed.Command("plan --profile paper"), printed.Command("score"), printed.Name())
	}
}

// printClaims prints a table of verdicts.
func printClaims(o *terminal.Output, verdicts []claims.Verdict) {
	g := terminal.Table{Head: []string{"claim", "published", "measured", "verdict"}, Wrap: 4, Indent: "  "}
	for _, v := range verdicts {
		g.Rows = append(g.Rows, []string{v.Claim, printed.OrDash(v.MarkedText()), Measured(v), v.VerdictText()})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column < 3 {
			return 0
		}
		return Colour(verdicts[row].Verdict)
	}
	o.Table(g)
}

// printReasons prints the reason of every verdict. Numbers of one column with the same reason share a line.
func printReasons(o *terminal.Output, verdicts []claims.Verdict) {
	g := terminal.Table{Head: []string{"claim", "reason"}, Wrap: 2, Indent: "  "}
	for i, v := range verdicts {
		if i > 0 && v.Column != "" && v.Column == verdicts[i-1].Column && v.Reason == verdicts[i-1].Reason {
			first, _, _ := strings.Cut(g.Rows[len(g.Rows)-1][0], " to ")
			g.Rows[len(g.Rows)-1][0] = first + " to " + strings.TrimPrefix(v.Claim, v.Column)
			continue
		}
		g.Rows = append(g.Rows, []string{v.Claim, v.Reason})
	}
	fmt.Fprintln(o)
	o.Table(g)
}

// Summary counts verdicts by class and word.
func Summary(verdicts []claims.Verdict) string { return claims.ScoreOf(verdicts).String() }

// measured returns the measured number with its interval, after the name of what it is if that is not the metric.
func Measured(v claims.Verdict) string {
	text := v.MeasuredText(printed.Number)
	if text == "" {
		return "-"
	}
	return strings.TrimSpace(string(v.Quantity()) + " " + text)
}

// Colour returns the colour of a verdict.
func Colour(w claims.Word) terminal.Colour {
	switch w {
	case claims.Reproduced:
		return terminal.Green
	case claims.Deviates, claims.Failed:
		return terminal.Red
	case claims.Inconclusive:
		return terminal.Yellow
	case claims.NotComparable:
		return terminal.Cyan
	}
	return terminal.Dim
}

// signs stand for the verdicts in a line that has little room.
var signs = map[claims.Word]string{
	claims.Reproduced: "✓", claims.Deviates: "✗", claims.Inconclusive: "?",
	claims.NotComparable: "≠", claims.NotRun: "–", claims.Failed: "!",
}

// meaning returns a verdict in the words of a Summary; plural is for a count other than 1.
func meaning(w claims.Word, plural bool) string {
	switch {
	case w == claims.NotComparable:
		return "not at the published size"
	case w == claims.Deviates && plural:
		return "deviate"
	}
	return string(w)
}

// EndScreen prints what was found: a line for each experiment, the total, where the report is, and one next step. arguments name
// the experiments on the command line; named reports whether the user did.
func EndScreen(o *terminal.Output, out string, all []claims.Case, arguments []string, named bool) {
	widest, counts := 0, 0
	for _, j := range all {
		widest = max(widest, text.StringWidthWithoutEscSequences(j.ID))
		counts = max(counts, text.StringWidthWithoutEscSequences(signsOf(&terminal.Output{}, j.Verdicts)))
	}
	for _, j := range all {
		if o.Width > 0 {
			o.Painted(Line(o, j, widest, counts))
		} else {
			o.Message("%s", line(j))
		}
	}
	var verdicts []claims.Verdict
	for _, j := range all {
		verdicts = append(verdicts, j.Verdicts...)
	}
	if o.Width > 0 {
		o.Painted(legend(o, verdicts) + "\n")
	}
	o.Message("%s. %s", printed.Count(len(all), "experiment"), counted(verdicts, true))
	o.Message("report: %s", filepath.Join(out, "report.html"))
	o.Message("next: %s", nextStep(out, all, arguments, named))
}

// line returns what an experiment has found, for a file.
func line(j claims.Case) string {
	line := fmt.Sprintf("%s at profile %s: ", j.ID, j.Profile)
	if len(j.Verdicts) == 0 {
		return line + "it has no claims"
	}
	line += counted(j.Verdicts, false)
	if v, ok := claims.Headline(j.Verdicts); ok {
		line += fmt.Sprintf("; %s: %s", v.Claim, brief(v))
		if n := v.MarkedText(); n != "" {
			line += ", published " + n
		}
		line += ": " + v.Statement
	}
	return line
}

// Line returns what an experiment has found in a line that fits the terminal, in colours. The ids are as wide as widest, and
// the counts as counts.
func Line(o *terminal.Output, j claims.Case, widest, counts int) string {
	signs := signsOf(o, j.Verdicts)
	line := fmt.Sprintf("%-*s  ", widest, printed.Visible(j.ID)) + signs
	line += strings.Repeat(" ", max(0, counts-text.StringWidthWithoutEscSequences(signs)))
	if len(j.Verdicts) == 0 {
		return line + "  " + o.Paint(terminal.Dim, "it has no claims")
	}
	v, ok := claims.Headline(j.Verdicts)
	room := o.Width - text.StringWidthWithoutEscSequences(line) - 2
	if !ok || room < 10 {
		return line
	}
	number, rest := text.Snip(brief(v), room, "…"), ": "+v.Statement
	if n := v.MarkedText(); n != "" {
		rest = ", published " + n + rest
	}
	if room -= text.StringWidthWithoutEscSequences(number); room > 10 {
		rest = text.Snip(rest, room, "…")
	} else {
		rest = ""
	}
	return line + "  " + o.Paint(Colour(v.Verdict), number) + o.Paint(0, rest)
}

// signsOf counts verdicts with signs in the colours of the verdicts, class by class with dots between, as in "4✓ 1✗ · 1✓".
func signsOf(o *terminal.Output, verdicts []claims.Verdict) string {
	var classes []string
	for _, n := range claims.ScoreOf(verdicts) {
		var parts []string
		for _, w := range claims.Words {
			if k := n.Of(w); k > 0 {
				parts = append(parts, o.Paint(Colour(w), fmt.Sprintf("%d%s", k, signs[w])))
			}
		}
		classes = append(classes, strings.Join(parts, " "))
	}
	return strings.Join(classes, o.Paint(terminal.Dim, " · "))
}

// legend explains the signs that occur.
func legend(o *terminal.Output, verdicts []claims.Verdict) string {
	var parts []string
	score := claims.ScoreOf(verdicts)
	for _, w := range claims.Words {
		if score.Any(w) > 0 {
			parts = append(parts, o.Paint(Colour(w), signs[w]+" "+meaning(w, false)))
		}
	}
	return strings.Join(parts, "  ")
}

// brief returns the number of a verdict with three digits and its interval, unless that is as narrow as the digits.
func brief(v claims.Verdict) string {
	digits := func(x float64) string { return printed.Digits(x, 3) }
	if v.Low != nil && v.High != nil && digits(*v.Low) == digits(*v.High) {
		v.Low, v.High = nil, nil
	}
	return strings.TrimSpace(string(v.Quantity()) + " " + v.MeasuredText(digits))
}

// counted counts verdicts by class in words. With atSize those that are not at the published size have in brackets what they are
// at this size.
func counted(verdicts []claims.Verdict, atSize bool) string {
	var classes []string
	for _, g := range claims.ByClass(verdicts) {
		var parts []string
		t := claims.TallyOf(g.Verdicts)
		for _, w := range claims.Words {
			n := t.Of(w)
			if n == 0 {
				continue
			}
			part := fmt.Sprintf("%d %s", n, meaning(w, n != 1))
			if here := atThisSize(g.Verdicts); atSize && w == claims.NotComparable && here != "" {
				part += " (at this size " + here + ")"
			}
			parts = append(parts, part)
		}
		classes = append(classes, g.Class.Of(t.Claims)+": "+strings.Join(parts, ", "))
	}
	return strings.Join(classes, "; ")
}

// atThisSize counts the words that the numbers alone give to verdicts that are not comparable.
func atThisSize(verdicts []claims.Verdict) string {
	at := map[claims.Word]int{}
	for _, v := range verdicts {
		at[v.AtSize]++
	}
	var sizes []string
	for _, w := range []claims.Word{claims.Reproduced, claims.Deviates, claims.Inconclusive} {
		if at[w] > 0 {
			sizes = append(sizes, fmt.Sprintf("%d %s", at[w], meaning(w, at[w] != 1)))
		}
	}
	return strings.Join(sizes, ", ")
}

// nextStep names the one command that says most next. Its arguments are those of EndScreen.
func nextStep(out string, all []claims.Case, arguments []string, named bool) string {
	has := func(w claims.Word) (id string, found bool) {
		i := slices.IndexFunc(all, func(j claims.Case) bool { return claims.TallyOf(j.Verdicts).Of(w) > 0 })
		if i < 0 {
			return "", false
		}
		return arguments[i], true
	}
	if !named {
		return printed.Command("score") + " shows what was reproduced at the papers' size"
	}
	if id, ok := has(claims.Failed); ok {
		return printed.Command("verify " + id + flags.Elsewhere(out) + " -v says what failed")
	}
	if id, ok := has(claims.Deviates); ok {
		return printed.Command("verify " + id + flags.Elsewhere(out) + " -v says by how much it deviates")
	}
	if id, ok := has(claims.NotComparable); ok {
		return printed.Command("plan " + id + " --profile paper shows what the published size takes")
	}
	if id, ok := has(claims.Inconclusive); ok {
		return printed.Command("verify " + id + flags.Elsewhere(out) + " -v says what is inconclusive; more --seeds narrow the intervals")
	}
	return printed.Command("show " + arguments[0] + " says what was compared")
}
