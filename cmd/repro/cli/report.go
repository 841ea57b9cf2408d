package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

func newReport(a *app) *cobra.Command {
	var other string
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report from the records",
		Long: `Report writes figures, tables, verdicts.json, report.html and records.csv from the records in the output
folder. It trains nothing and reads no data. Beside every figure there is a .csv file with its points;
records.csv has a row for every metric at every evaluation of every run.

Without arguments it reports every experiment that comes with repro and has records; give the paths of your own
specs. If an experiment has records at several profiles, it takes the latest one; --profile chooses
another.

--compare shows the runs in another output folder beside these: which verdicts differ, both numbers of every
claim, and the curves of both in one figure. It takes the latest profile there, or that of --profile.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml
  repro report --compare yesterday
  repro report --style slides --width 16cm --font 20pt --format pgf,pdf`,
		ValidArgsFunction: completeIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args, other) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	a.drawingFlags(cmd)
	cmd.Flags().BoolVarP(&a.verbose, "verbose", "v", false, "print every claim")
	cmd.Flags().StringVar(&other, "compare", "", "show the runs in this output folder beside these")
	cobra.CheckErr(cmd.MarkFlagDirname("compare"))
	return cmd
}

// report writes the report of the output folder, beside that of another folder if one is named.
func (a *app) report(args []string, other string) error {
	store, err := a.open()
	if err != nil {
		return err
	}
	all, err := a.recorded(args, store)
	if err != nil {
		return err
	}
	refs, err := experiments.Resolve(args)
	if err != nil {
		return err
	}
	var exps []claims.Experiment
	var arguments []string
	for i, exp := range all {
		if len(exp.Records(store.Records)) == 0 {
			a.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		argument := exp.ID
		if len(args) > 0 {
			argument = refs[i].String()
		}
		exps, arguments = append(exps, exp), append(arguments, argument)
	}
	if len(exps) == 0 {
		return a.nothing(all)
	}
	reported := judgeAll(exps, store)
	if other != "" {
		if a.drawing.Beside, err = a.beside(other, args); err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
	}
	paths, err := a.writeReport(store, reported)
	if err != nil {
		return err
	}
	if a.json {
		slices.Sort(paths)
		return terminal.PrintJSON(a.Stdout, paths)
	}
	if a.verbose {
		a.printVerdicts(reported, false)
	}
	a.endScreen(reported, arguments, len(args) > 0)
	a.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
	return nil
}

// beside judges the runs in another output folder.
func (a *app) beside(dir string, args []string) (*plots.Run, error) {
	there := *a
	there.out = dir
	store, err := there.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no records in %s; name the output folder of a run", dir)
	}
	if err != nil {
		return nil, err
	}
	all, err := there.recorded(args, store)
	if err != nil {
		return nil, err
	}
	run := &plots.Run{Store: store}
	for _, exp := range all {
		if len(exp.Records(store.Records)) > 0 {
			run.Experiments, run.Verdicts = append(run.Experiments, exp), append(run.Verdicts, judge(exp, store).verdicts...)
		}
	}
	if len(run.Experiments) == 0 {
		return nil, there.nothing(all)
	}
	return run, nil
}

// writeReport writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func (a *app) writeReport(store *records.Store, all []judged) ([]string, error) {
	run := plots.Run{Store: store}
	for _, j := range all {
		run.Experiments, run.Verdicts = append(run.Experiments, j.exp), append(run.Verdicts, j.verdicts...)
	}
	path := filepath.Join(a.out, "verdicts.json")
	shipped, err := shippedVerdicts(run.Experiments)
	if err != nil {
		return nil, err
	}
	paths, err := plots.Write(a.out, run, shipped, a.drawing)
	if fault := claims.WriteVerdicts(path, run.Verdicts); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
}

// shippedVerdicts returns the verdicts at the published size on those of the experiments that come with repro.
func shippedVerdicts(exps []claims.Experiment) ([]claims.Verdict, error) {
	all, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, e := range exps {
		if _, err := experiments.Resolve([]string{e.ID}); err == nil {
			own[e.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(v claims.Verdict) bool { return !own[v.Experiment] }), nil
}

// drawingFlags adds the flags that say how figures are drawn.
func (a *app) drawingFlags(cmd *cobra.Command) {
	f, d := cmd.Flags(), &a.drawing
	f.Var(parsed{Read: func(s string) (err error) {
		if !slices.Contains(plots.StyleNames, s) {
			err = fmt.Errorf("want %s, got %q", strings.Join(plots.StyleNames, ", "), s)
		}
		d.Style.Name = s
		return err
	}}, "style", "draw all figures for `"+strings.Join(plots.StyleNames, "|")+"`: 8.4 cm wide with 8 pt labels, 16:9 with 18 pt labels, or light on dark")
	f.Var(parsed{Read: func(s string) (err error) {
		d.Style.Width, err = plots.ParseWidth(s)
		return err
	}}, "width", "`width` of all figures, such as 16cm")
	f.Var(parsed{Read: func(s string) (err error) {
		d.Style.Font, err = plots.ParseFont(s)
		return err
	}}, "font", "`size` of axis labels in all figures, such as 20pt")
	f.Var(parsed{Read: func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if !slices.Contains(plots.Formats, name) {
				return fmt.Errorf("want some of %s, separated by commas, got %q", strings.Join(plots.Formats, ","), s)
			}
			d.Formats = append(d.Formats, name)
		}
		return nil
	}}, "format", "draw figures as `format`, some of "+strings.Join(plots.Formats, ",")+" (default svg)")
	for name, words := range map[string][]string{"style": plots.StyleNames, "format": plots.Formats} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

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
		counts = max(counts, text.StringWidthWithoutEscSequences(signsOf(&terminal.Output{}, j.verdicts)))
	}
	for _, j := range all {
		if a.Stdout.Width > 0 {
			a.Stdout.Painted(lineOf(a.Stdout, j, widest, counts))
		} else {
			a.Stdout.Message("%s", j.line())
		}
	}
	var verdicts []claims.Verdict
	for _, j := range all {
		verdicts = append(verdicts, j.verdicts...)
	}
	if a.Stdout.Width > 0 {
		a.Stdout.Painted(legend(a.Stdout, verdicts) + "\n")
	}
	a.Stdout.Message("%s, %s", printed.Count(len(all), "experiment"), totals(verdicts))
	a.Stdout.Message("report: %s", filepath.Join(a.out, "report.html"))
	a.Stdout.Message("next: %s", a.nextStep(all, arguments, named))
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
func lineOf(o *terminal.Output, j judged, widest, counts int) string {
	signs := signsOf(o, j.verdicts)
	line := fmt.Sprintf("%-*s  ", widest, printed.Visible(j.exp.ID)) + signs
	line += strings.Repeat(" ", max(0, counts-text.StringWidthWithoutEscSequences(signs)))
	if len(j.verdicts) == 0 {
		return line + "  " + o.Paint(terminal.Dim, "it has no claims")
	}
	v, ok := claims.Headline(j.verdicts)
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
	return line + "  " + o.Paint(colourOf(v.Verdict), number) + o.Paint(0, rest)
}

// signsOf counts verdicts with signs, as in "4✓ 1✗", in the colours of the verdicts.
func signsOf(o *terminal.Output, verdicts []claims.Verdict) string {
	var parts []string
	t := claims.TallyOf(verdicts)
	for _, w := range claims.Words {
		if n := t.Of(w); n > 0 {
			parts = append(parts, o.Paint(colourOf(w), fmt.Sprintf("%d%s", n, signs[w])))
		}
	}
	return strings.Join(parts, " ")
}

// legend explains the signs that occur.
func legend(o *terminal.Output, verdicts []claims.Verdict) string {
	var parts []string
	t := claims.TallyOf(verdicts)
	for _, w := range claims.Words {
		if t.Of(w) > 0 {
			parts = append(parts, o.Paint(colourOf(w), signs[w]+" "+meaning(w, false)))
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
		a.Stdout.Message("%s at profile %s: %s", j.exp.ID, j.exp.Profile, j.exp.Title)
		if len(j.verdicts) == 0 {
			fmt.Fprint(a.Stdout, "  it has no claims\n\n")
			continue
		}
		a.printClaims(j.verdicts)
		if len(j.verdicts) > 1 {
			a.Stdout.Message("  %s", summary(j.verdicts))
		}
		if reasons {
			a.printReasons(j.verdicts)
		}
		for _, v := range j.verdicts {
			for _, w := range v.Warnings {
				a.Stdout.Message("  warning: %s: %s", v.Claim, w)
			}
		}
		fmt.Fprintln(a.Stdout)
		other = other || slices.ContainsFunc(j.verdicts, func(v claims.Verdict) bool { return v.Verdict == claims.NotComparable })
	}
	if other {
		a.Stdout.Message("A claim is not comparable if its runs had another size or other settings than the paper's. %s "+
			"names them; %s shows the time and the memory that the paper's size needs; %s "+
			"shows the verdicts of such runs that come with repro.\n",
			printed.Command("verify -v"), printed.Command("plan --profile paper"), printed.Command("score"))
	}
}

// printClaims prints a table of verdicts.
func (a *app) printClaims(verdicts []claims.Verdict) {
	g := terminal.Table{Head: []string{"claim", "published", "measured", "verdict"}, Wrap: 4, Indent: "  "}
	for _, v := range verdicts {
		g.Rows = append(g.Rows, []string{v.Claim, terminal.OrDash(v.MarkedText()), measured(v), v.VerdictText()})
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column < 3 {
			return 0
		}
		return colourOf(verdicts[row].Verdict)
	}
	a.Stdout.Table(g)
}

// printReasons prints the reason of every verdict. Numbers of one column with the same reason share a line.
func (a *app) printReasons(verdicts []claims.Verdict) {
	g := terminal.Table{Head: []string{"claim", "reason"}, Wrap: 2, Indent: "  "}
	for i, v := range verdicts {
		if i > 0 && v.Column != "" && v.Column == verdicts[i-1].Column && v.Reason == verdicts[i-1].Reason {
			first, _, _ := strings.Cut(g.Rows[len(g.Rows)-1][0], " to ")
			g.Rows[len(g.Rows)-1][0] = first + " to " + strings.TrimPrefix(v.Claim, v.Column)
			continue
		}
		g.Rows = append(g.Rows, []string{v.Claim, v.Reason})
	}
	fmt.Fprintln(a.Stdout)
	a.Stdout.Table(g)
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

// colourOf returns the colour of a verdict.
func colourOf(w claims.Word) terminal.Colour {
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
