package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
)

// signs stand for the verdicts in a line that has little room.
var signs = map[claims.Word]string{
	claims.Reproduced: "✓", claims.Deviates: "✗", claims.Inconclusive: "?",
	claims.NotComparable: "≠", claims.NotRun: "–", claims.Failed: "!",
}

// meaning returns a verdict in the words of a summary; plural is for a count other than 1.
func meaning(w claims.Word, plural bool) string {
	switch {
	case w == claims.NotComparable:
		return "not at the published size"
	case w == claims.Deviates && plural:
		return "deviate"
	}
	return string(w)
}

// endScreen prints what was found: a line for each experiment, the total, where the report is, and one next step. arguments name
// the experiments on the command line; named reports whether the user did.
func (a *app) endScreen(all []judged, arguments []string, named bool) {
	widest, counts := 0, 0
	for _, j := range all {
		widest = max(widest, text.StringWidthWithoutEscSequences(j.exp.ID))
		counts = max(counts, text.StringWidthWithoutEscSequences((&output{}).signs(j.verdicts)))
	}
	for _, j := range all {
		if a.stdout.width > 0 {
			a.stdout.painted(a.stdout.lineOf(j, widest, counts))
		} else {
			a.stdout.message("%s", j.line())
		}
	}
	var verdicts []claims.Verdict
	for _, j := range all {
		verdicts = append(verdicts, j.verdicts...)
	}
	if a.stdout.width > 0 {
		a.stdout.painted(a.stdout.legend(verdicts) + "\n")
	}
	a.stdout.message("%s, %s", printed.Count(len(all), "experiment"), totals(verdicts))
	a.stdout.message("report: %s", filepath.Join(a.out, "report.html"))
	a.stdout.message("next: %s", a.nextStep(all, arguments, named))
}

// line returns what an experiment has found, for a file.
func (j judged) line() string {
	line := fmt.Sprintf("%s at profile %s: ", j.exp.ID, j.exp.Profile)
	if len(j.verdicts) == 0 {
		return line + "it has no claims"
	}
	var parts []string
	t := claims.TallyOf(j.verdicts)
	for _, w := range claims.Words {
		if n := t.Of(w); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, meaning(w, n != 1)))
		}
	}
	line += strings.Join(parts, ", ")
	if v, ok := claims.Headline(j.verdicts); ok {
		line += fmt.Sprintf("; %s: %s", v.Claim, brief(v))
		if n := v.MarkedText(); n != "" {
			line += ", published " + n
		}
		line += ": " + v.Statement
	}
	return line
}

// lineOf returns what an experiment has found in a line that fits the terminal, in colours. The ids are as wide as widest, and
// the counts as counts.
func (o *output) lineOf(j judged, widest, counts int) string {
	signs := o.signs(j.verdicts)
	line := fmt.Sprintf("%-*s  ", widest, printed.Visible(j.exp.ID)) + signs
	line += strings.Repeat(" ", max(0, counts-text.StringWidthWithoutEscSequences(signs)))
	if len(j.verdicts) == 0 {
		return line + "  " + o.paint(dim, "it has no claims")
	}
	v, ok := claims.Headline(j.verdicts)
	room := o.width - text.StringWidthWithoutEscSequences(line) - 2
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
	return line + "  " + o.paint(colourOf(v.Verdict), number) + o.paint(0, rest)
}

// signs counts verdicts with signs, as in "4✓ 1✗", in the colours of the verdicts.
func (o *output) signs(verdicts []claims.Verdict) string {
	var parts []string
	t := claims.TallyOf(verdicts)
	for _, w := range claims.Words {
		if n := t.Of(w); n > 0 {
			parts = append(parts, o.paint(colourOf(w), fmt.Sprintf("%d%s", n, signs[w])))
		}
	}
	return strings.Join(parts, " ")
}

// legend explains the signs that occur.
func (o *output) legend(verdicts []claims.Verdict) string {
	var parts []string
	t := claims.TallyOf(verdicts)
	for _, w := range claims.Words {
		if t.Of(w) > 0 {
			parts = append(parts, o.paint(colourOf(w), signs[w]+" "+meaning(w, false)))
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

// totals counts verdicts in words, those that are not at the published size by what they are at this size.
func totals(verdicts []claims.Verdict) string {
	var parts []string
	t := claims.TallyOf(verdicts)
	for _, w := range claims.Words {
		n := t.Of(w)
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n, meaning(w, n != 1))
		if w == claims.NotComparable {
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
			if len(sizes) > 0 {
				part += " (at this size " + strings.Join(sizes, ", ") + ")"
			}
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s: %s", printed.Count(len(verdicts), "claim"), strings.Join(parts, ", "))
}

// nextStep names the one command that says most next. Its arguments are those of endScreen.
func (a *app) nextStep(all []judged, arguments []string, named bool) string {
	has := func(w claims.Word) (id string, found bool) {
		i := slices.IndexFunc(all, func(j judged) bool { return claims.TallyOf(j.verdicts).Of(w) > 0 })
		if i < 0 {
			return "", false
		}
		return arguments[i], true
	}
	out := a.elsewhere()
	if !named {
		return printed.Command("score") + " shows what was reproduced at the papers' size"
	}
	if id, ok := has(claims.Failed); ok {
		return printed.Command("verify " + id + out + " -v says what failed")
	}
	if id, ok := has(claims.Deviates); ok {
		return printed.Command("verify " + id + out + " -v says by how much it deviates")
	}
	if id, ok := has(claims.NotComparable); ok {
		return printed.Command("plan " + id + " --profile paper shows what the published size takes")
	}
	if id, ok := has(claims.Inconclusive); ok {
		return printed.Command("verify " + id + out + " -v says what is inconclusive; more --seeds narrow the intervals")
	}
	return printed.Command("show " + arguments[0] + " says what was compared")
}

// argument names a spec on the command line: by the path of its file, or by its id if it is one of the catalog.
func argument(s *experiments.Spec) string {
	if _, err := os.Stat(s.File); err == nil {
		return s.File
	}
	return s.ID
}

// elsewhere is the flag of a command for the same output folder, empty for the usual one.
func (a *app) elsewhere() string {
	if a.out == "out" {
		return ""
	}
	return " --out " + a.out
}
