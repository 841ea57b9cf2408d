// Package findings prints the verdicts on what was run, counts them, and writes the report.
package findings

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// PrintVerdicts prints the verdicts of experiments, with reasons if asked.
func PrintVerdicts(o *terminal.Output, all []claims.Case, reasons bool) {
	var other *claims.Experiment
	for _, j := range all {
		o.Message("%s at profile %s: %s", j.ID, j.Profile, j.Title)
		if len(j.Verdicts) == 0 {
			fmt.Fprint(o, "  it has no claims\n\n")
			continue
		}
		printClaims(o, j.Verdicts)
		if len(j.Verdicts) > 1 {
			o.Message("  %v", claims.ScoreOf(j.Verdicts))
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
		if other == nil && slices.ContainsFunc(j.Verdicts, func(v claims.Verdict) bool { return v.Verdict == claims.NotComparable }) {
			other = &j.Experiment
		}
	}
	if other != nil {
		o.Message("Runs that are smaller than the paper's, or not comparable for another reason, do not decide a claim; the word behind the "+
			"dot is what their numbers give. %s names what differs; %s shows the time and the memory of the paper's size.\n",
			other.Command(printed.Again, "judge", "-v"), other.Command(printed.Again, "plan", "--profile", "paper"))
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
		reason := v.Reason
		if why := v.Because(); why != "" {
			reason += ". Why it deviates: " + why
		}
		g.Rows = append(g.Rows, []string{v.Claim, reason})
	}
	fmt.Fprintln(o)
	o.Table(g)
}

// Measured returns the measured number with its interval, after the name of what it is if that is not the metric.
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

// Recorded reads an output folder and judges the experiments with records there that a choice names. If there are
// none, it returns an error.
func Recorded(t *terminal.Terminal, out string, c flags.Choice) (store *records.Store, all []claims.Case, err error) {
	if store, err = flags.Open(t, out); err != nil {
		return nil, nil, err
	}
	found, err := c.Recorded(t, store)
	var exps, without []claims.Experiment
	for _, exp := range found {
		switch {
		case len(exp.Own(store.Records)) == 0:
			without = append(without, exp)
			t.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
		case !slices.ContainsFunc(exps, func(e claims.Experiment) bool { return e.ID == exp.ID }):
			exps = append(exps, exp)
		}
	}
	if len(exps) == 0 && err == nil {
		err = c.Nothing(out, without)
	}
	all, fault := baseline.Judge(exps, store.Records)
	return store, all, errors.Join(err, fault)
}

// Write writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func Write(out string, all []claims.Case, warnings []error, drawing plots.Output) ([]string, error) {
	paths, err := plots.Write(out, all, warnings, drawing)
	path := filepath.Join(out, "verdicts.json")
	if fault := claims.WriteVerdicts(path, claims.Verdicts(all)); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
}
