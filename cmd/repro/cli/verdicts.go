package cli

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A judged is an experiment with the verdicts on its claims.
type judged struct {
	exp      claims.Experiment
	verdicts []claims.Verdict
}

// judge judges the claims of an experiment from the records of the store.
func judge(exp claims.Experiment, store *records.Store) judged {
	return judged{exp: exp, verdicts: claims.Judge(exp, store.Records)}
}

// judgeAll judges the claims of experiments, several at a time.
func judgeAll(exps []claims.Experiment, store *records.Store) []judged {
	all := make([]judged, len(exps))
	records.Parallel(len(exps), func(i int) { all[i] = judge(exps[i], store) })
	return all
}

// printVerdicts prints the verdicts of experiments, with reasons if asked.
func (a *app) printVerdicts(all []judged, reasons bool) {
	other := false
	for _, j := range all {
		a.stdout.message("%s at profile %s: %s", j.exp.ID, j.exp.Profile, j.exp.Title)
		if len(j.verdicts) == 0 {
			fmt.Fprint(a.stdout, "  it has no claims\n\n")
			continue
		}
		a.printClaims(j.verdicts)
		if len(j.verdicts) > 1 {
			a.stdout.message("  %s", summary(j.verdicts))
		}
		if reasons {
			a.printReasons(j.verdicts)
		}
		for _, v := range j.verdicts {
			for _, w := range v.Warnings {
				a.stdout.message("  warning: %s: %s", v.Claim, w)
			}
		}
		fmt.Fprintln(a.stdout)
		other = other || slices.ContainsFunc(j.verdicts, func(v claims.Verdict) bool { return v.Verdict == claims.NotComparable })
	}
	if other {
		a.stdout.message("A claim is not comparable if its runs had another size or other settings than the paper's. %s "+
			"names them; %s shows the time and the memory that the paper's size needs; %s "+
			"shows the verdicts of such runs that come with repro.\n",
			printed.Command("verify -v"), printed.Command("plan --profile paper"), printed.Command("score"))
	}
}

// printClaims prints a table of verdicts.
func (a *app) printClaims(verdicts []claims.Verdict) {
	g := grid{head: []string{"claim", "published", "measured", "verdict"}, wrap: 4, indent: "  "}
	for _, v := range verdicts {
		g.rows = append(g.rows, []string{v.Claim, orDash(v.MarkedText()), measured(v), v.VerdictText()})
	}
	g.paint = func(row, column int) colour {
		if column < 3 {
			return 0
		}
		return colourOf(verdicts[row].Verdict)
	}
	a.print(g)
}

// printReasons prints the reason of every verdict. Numbers of one column with the same reason share a line.
func (a *app) printReasons(verdicts []claims.Verdict) {
	g := grid{head: []string{"claim", "reason"}, wrap: 2, indent: "  "}
	for i, v := range verdicts {
		if i > 0 && v.Column != "" && v.Column == verdicts[i-1].Column && v.Reason == verdicts[i-1].Reason {
			first, _, _ := strings.Cut(g.rows[len(g.rows)-1][0], " to ")
			g.rows[len(g.rows)-1][0] = first + " to " + strings.TrimPrefix(v.Claim, v.Column)
			continue
		}
		g.rows = append(g.rows, []string{v.Claim, v.Reason})
	}
	fmt.Fprintln(a.stdout)
	a.print(g)
}

// summary counts verdicts by their words.
func summary(verdicts []claims.Verdict) string {
	return fmt.Sprintf("%d claims: %v", len(verdicts), claims.TallyOf(verdicts))
}

// measured returns the measured number with its interval, after the name of what it is if that is not the metric.
func measured(v claims.Verdict) string {
	text := v.MeasuredText(printed.Number)
	if text == "" {
		return "-"
	}
	return strings.TrimSpace(string(v.Quantity()) + " " + text)
}
