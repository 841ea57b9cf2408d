package cli

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A gate compares claims with an accepted state: the flags of check and compare, and the outcome.
type gate struct {
	baseline string // folder of the accepted baseline; empty for the default
	junit    string // files to write; empty for none
	markdown string
	github   bool // print annotations for GitHub

	compared gated
	specs    map[string]*experiments.Spec // by id
}

// A gated is what a gate found, as --json prints it.
type gated struct {
	With    string               `json:"compared_with"`
	Commit  string               `json:"accepted_commit,omitempty"` // of the accepted state; empty if experiments have several
	Status  int                  `json:"status"`
	Changes []changes.Change     `json:"changes"`
	Work    []changes.WorkChange `json:"work"`
	Stale   []stale              `json:"stale"`
	LeftOut []string             `json:"left_out"` // experiments whose data is not here
	Cells   []string             `json:"cells"`    // that check ran, as experiment and cell
}

// A stale is an accepted entry that the experiment does not have.
type stale struct {
	Experiment string `json:"experiment"`
	Entry      string `json:"entry"`
}

func (g *gate) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.baseline, "baseline", "", "folder of the accepted baseline; "+baseline.DefaultDir+" if it is there, else the one that comes with repro")
	f.StringVar(&g.junit, "junit", "", "write the outcome as JUnit XML to this file")
	f.StringVar(&g.markdown, "markdown", "", "write the outcome as a Markdown table to this file")
	f.BoolVar(&g.github, "github", false, "print GitHub annotations at the lines of the claims; on where GITHUB_ACTIONS is set")
	a.jsonFlag(cmd)
}

// add compares an experiment and adds its changes, undecided, to the outcome.
func (g *gate) add(exp claims.Experiment, base, now changes.Snapshot, how changes.Options) {
	o := &g.compared
	if len(o.Changes) == 0 {
		o.Commit = base.Commit
	} else if o.Commit != base.Commit {
		o.Commit = ""
	}
	o.Changes = append(o.Changes, changes.Compare(exp, base, now, how)...)
	o.Work = append(o.Work, changes.WorkChanges(base, now)...)
	for _, entry := range changes.Stale(exp, base) {
		o.Stale = append(o.Stale, stale{exp.ID, entry})
	}
}

// conclude sets the status and prints the outcome.
func (a *app) conclude(g *gate) error {
	o := &g.compared
	o.Status = claims.WorseStatus(o.Status, changes.Status(o.Changes))
	if len(o.Stale) > 0 {
		o.Status = claims.WorseStatus(o.Status, statusIncomplete)
	}
	o.Changes, o.Work, o.Stale, o.LeftOut, o.Cells = terminal.OrEmpty(o.Changes), terminal.OrEmpty(o.Work), terminal.OrEmpty(o.Stale), terminal.OrEmpty(o.LeftOut), terminal.OrEmpty(o.Cells)
	var errs []error
	if a.json {
		errs = append(errs, terminal.PrintJSON(a.stdout, o))
	} else {
		a.printChanges(*o)
	}
	if g.junit != "" {
		text, err := g.junitXML()
		errs = append(errs, err, os.WriteFile(g.junit, text, 0o644))
	}
	if g.markdown != "" {
		errs = append(errs, os.WriteFile(g.markdown, []byte(o.markdownTable()), 0o644))
	}
	if g.github || os.Getenv("GITHUB_ACTIONS") != "" {
		for _, line := range g.annotations() {
			a.note("%s", line)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if o.Status != 0 {
		return exit{o.Status}
	}
	return nil
}

// acceptedOf returns the accepted snapshot of an experiment, an empty one if there is none.
func acceptedOf(base baseline.Accepted, id string) (changes.Snapshot, error) {
	s, err := base.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return changes.Snapshot{}, nil
	}
	return s, err
}

// take returns the snapshot of an experiment's records in a store.
func take(exp claims.Experiment, store *records.Store) changes.Snapshot {
	return changes.Take(exp, store.Records)
}

// place returns the file and the line of a change's claim. The file of a registered spec is that of a checkout, if the current
// folder is one.
func (g *gate) place(c changes.Change) (file string, line int) {
	s := g.specs[c.Experiment]
	if s == nil {
		return "", 0
	}
	file = s.File
	if _, err := os.Stat(file); err != nil {
		if _, err := os.Stat("experiments/" + file); err == nil {
			file = "experiments/" + file
		}
	}
	return file, s.ClaimLine(c.Claim)
}

// claimName names the claim of a change, with its rival if it has several numbers.
func claimName(c changes.Change) string {
	if c.Rival == "" {
		return c.Claim
	}
	return c.Claim + " against " + c.Rival
}

// changeCells returns the cells of a table of changes: claim, accepted, now, difference, margin, p and what would be found.
func changeCells(c changes.Change) []string {
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return printed.Number(*v)
	}
	margin, p := "-", "-"
	if c.Tested() {
		margin, p = c.MarginText(), printed.Digits(*c.Holm, 2)
	}
	return []string{claimName(c), number(c.Accepted), number(c.Now), terminal.OrDash(c.DifferenceText()), margin, p, terminal.OrDash(c.DetectableText()), string(c.State)}
}

// changeHead heads the columns of changeCells.
var changeHead = []string{"claim", "accepted", "now", "difference [95 %]", "margin", "p (Holm)", "found from", "verdict"}

// unchangedText counts what a table leaves out.
func unchangedText(n map[changes.State]int) string {
	s := fmt.Sprintf("%s unchanged", printed.Number(float64(n[changes.Identical])))
	if k := n[changes.NotReproducible]; k > 0 {
		s += fmt.Sprintf(", %d left out because the clock decides them", k)
	}
	if k := n[changes.NotRun]; k > 0 {
		s += fmt.Sprintf(", %d not run on either side", k)
	}
	return s
}

// markdownTable returns the outcome for a pull request: one table with the changed claims, the rest counted.
func (o gated) markdownTable() string {
	var s strings.Builder
	counts := changes.Count(o.Changes)
	var parts []string
	for _, state := range changes.States {
		if sign, ok := stateSigns[state]; ok && counts[state] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d %s", sign, counts[state], state))
		}
	}
	parts = append(parts, "✅ "+unchangedText(counts))
	fmt.Fprintf(&s, "**%s**\n\nCompared with %s.\n", strings.Join(parts, ", "), cell(o.withCommit()))
	groups := changes.Groups(o.Changes)
	if len(groups) > 0 {
		fmt.Fprintf(&s, "\n| experiment | changed methods | %s |\n|---|---|---|--:|--:|---|---|---|---|---|\n", strings.Join(changeHead, " | "))
	}
	for _, g := range groups {
		for _, c := range g.Changes {
			cells := append([]string{g.Experiment, strings.Join(g.Cause, ", ")}, changeCells(c)...)
			for i := range cells {
				cells[i] = cell(cells[i])
			}
			fmt.Fprintf(&s, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	if len(o.Work) > 0 {
		s.WriteString("\nCounted work that changed:\n")
		for _, w := range o.Work {
			fmt.Fprintf(&s, "- %s %s: %s %d → %d (%s)\n", cell(w.Experiment), cell(w.Method), w.Count, w.Accepted, w.Now, printed.Count(w.Cells, "cell"))
		}
	}
	for _, e := range o.Stale {
		fmt.Fprintf(&s, "\n%s: the accepted baseline has %s, which the spec does not have.\n", cell(e.Experiment), cell(e.Entry))
	}
	return s.String()
}

// stateSigns mark the states that a Markdown summary counts.
var stateSigns = map[changes.State]string{
	changes.Failed: "💥", changes.Regressed: "❌", changes.NotComparable: "❔", changes.Inconclusive: "⚠️", changes.Improved: "🎉", changes.Equivalent: "✅",
}

// cell returns a text without what would end a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(printed.Visible(s))
}

// The elements of a JUnit file.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
	}
)

// junitXML returns the outcome as JUnit XML: a suite for each experiment, a case for each number. Regressed, inconclusive and
// incomparable numbers are failures.
func (g *gate) junitXML() ([]byte, error) {
	var all junitSuites
	for _, c := range g.compared.Changes {
		i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == c.Experiment })
		if i < 0 {
			i, all.Suites = len(all.Suites), append(all.Suites, junitSuite{Name: c.Experiment})
		}
		s := &all.Suites[i]
		k := junitCase{Name: claimName(c), Class: c.Experiment}
		k.File, k.Line = g.place(c)
		m := &junitMessage{string(c.State), c.Reason}
		switch c.State {
		case changes.Failed:
			k.Error = m
			s.Errors++
		case changes.Regressed, changes.Inconclusive, changes.NotComparable:
			k.Failure = m
			s.Failures++
		case changes.NotReproducible, changes.NotRun:
			k.Skipped = &junitMessage{Message: c.Reason}
			s.Skipped++
		case changes.Improved, changes.Equivalent:
			k.Output = c.Reason
		}
		s.Tests++
		s.Cases = append(s.Cases, k)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	return slices.Concat([]byte(xml.Header), text, []byte("\n")), err
}

// annotations returns a workflow command of GitHub for every number that is not fine, at the line of its claim.
func (g *gate) annotations() []string {
	var lines []string
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, c := range g.compared.Changes {
		level := map[changes.State]string{
			changes.Regressed: "error", changes.Failed: "error", changes.Inconclusive: "warning", changes.NotComparable: "warning", changes.Improved: "notice",
		}[c.State]
		if level == "" {
			continue
		}
		file, line := g.place(c)
		lines = append(lines, fmt.Sprintf("::%s file=%s,line=%d,title=%s::%s", level, property.Replace(file), line,
			property.Replace(fmt.Sprintf("%s %s: %s", c.Experiment, claimName(c), c.State)), data.Replace(c.Reason)))
	}
	return lines
}

// colourOfState returns the colour of a change.
func colourOfState(s changes.State) terminal.Colour {
	switch s {
	case changes.Regressed, changes.Failed:
		return terminal.Red
	case changes.Inconclusive:
		return terminal.Yellow
	case changes.NotComparable:
		return terminal.Cyan
	case changes.Improved, changes.Equivalent:
		return terminal.Green
	}
	return terminal.Dim
}

// printChanges prints a table for each cause of changes, the changed work, stale entries and a last line with the counts.
func (a *app) printChanges(o gated) {
	for _, group := range changes.Groups(o.Changes) {
		a.stdout.Message("%s", group.Heading())
		g := terminal.Table{Head: changeHead, Right: []int{2, 3}, Indent: "  "}
		for _, c := range group.Changes {
			g.Rows = append(g.Rows, changeCells(c))
		}
		g.Paint = func(row, column int) terminal.Colour {
			if column < len(changeHead)-1 {
				return 0
			}
			return colourOfState(group.Changes[row].State)
		}
		a.stdout.Table(g)
		for _, c := range group.Changes {
			a.stdout.Message("  %s: %s%s", claimName(c), c.Reason, newWord(c))
		}
		fmt.Fprintln(a.stdout)
	}
	if len(o.Work) > 0 {
		a.stdout.Message("counted work that changed:")
		g := terminal.Table{Head: []string{"experiment", "method", "cells", "count", "accepted", "now"}, Right: []int{3, 5, 6}, Indent: "  "}
		for _, w := range o.Work {
			g.Rows = append(g.Rows, []string{w.Experiment, w.Method, fmt.Sprint(w.Cells), w.Count, fmt.Sprint(w.Accepted), fmt.Sprint(w.Now)})
		}
		a.stdout.Table(g)
		fmt.Fprintln(a.stdout)
	}
	for _, s := range o.Stale {
		a.stdout.Message("%s: the accepted baseline has %s, which the spec does not have; remove it with %s, or restore it in the spec", s.Experiment, s.Entry, printed.Command("baseline accept"))
	}
	for _, id := range o.LeftOut {
		a.stdout.Message("%s: left out, because its data is not here", id)
	}
	a.stdout.Message("compared with %s: %s", o.withCommit(), o.summary())
}

// newWord says how the verdict on a claim changed, if it did.
func newWord(c changes.Change) string {
	if c.WordBefore == "" || c.WordNow == "" || c.WordBefore == c.WordNow {
		return ""
	}
	return fmt.Sprintf("; its verdict was %s and is %s", c.WordBefore, c.WordNow)
}

// withCommit names what was compared with, and its commit if it has one.
func (o gated) withCommit() string {
	if o.Commit == "" {
		return o.With
	}
	return fmt.Sprintf("%s at commit %s", o.With, printed.Visible(o.Commit))
}

// summary counts the changes in words, the worst first.
func (o gated) summary() string {
	n := changes.Count(o.Changes)
	var parts []string
	for _, s := range changes.States {
		if n[s] > 0 && !(changes.Change{State: s}).Unchanged() {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(append(parts, unchangedText(n)), ", ")
}

// baselineSide is the argument of compare that names the accepted baseline.
const baselineSide = "baseline"

func newCompare(a *app) *cobra.Command {
	g := &gate{}
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER [ID...]",
		Short: "Compare what the claims of two runs measure",
		Long: `Compare says what became of the number of every claim between two output folders or bundles, or between the
accepted baseline ("baseline") and one of them. It trains nothing. A claim whose cells have equal bits is
identical, and no statistics are made. Of the others it compares the claim's own number (a metric, a slope, a
ratio, a place) seed by seed with a margin: equivalent, improved, regressed or inconclusive. It lists these;
claims that are identical are counted. docs/regression-testing.md has the rule and its error rates.

Without ids it compares the experiments with records in AFTER.

Exit status: 0 all numbers are identical, equivalent or improved; 1 one regressed; 3 one is inconclusive; 4
one cannot be compared, or there is nothing to compare; 5 a run failed; 2 a mistake in the arguments, a spec
or a file. If several apply, it is the first of 5, 1, 4, 3.`,
		Example: `  repro compare before after
  repro compare baseline out/check --markdown pull-request.md
  repro compare published.zip out
  repro compare before after mine.toml --profile smoke --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("compare: name two output folders or bundles, or baseline and one, as in " + printed.Command("compare baseline out"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(g, args[0], args[1], args[2:]) },
	}
	a.specFlags(cmd, "")
	g.flags(a, cmd)
	return cmd
}

// A side is one of two states that are compared: an output folder, a bundle or the accepted baseline.
type side struct {
	store    *records.Store // nil for the baseline
	accepted baseline.Accepted
}

// side opens an argument of compare.
func (a *app) side(name, dir string) (s side, err error) {
	if name == baselineSide {
		s.accepted, err = baseline.OpenAccepted(dir)
		return s, err
	}
	if isBundle(name) {
		b, _, err := a.unpack(name)
		if err == nil && len(b.Faults) > 0 {
			err = fmt.Errorf("%w; %s lists what is wrong with the bundle", b.Faults[0], printed.Command("verify "+printed.ShellWord(name)))
		}
		if err != nil {
			return s, err
		}
		s.store = b.Store()
		return s, nil
	}
	a.out = name
	s.store, err = a.open()
	return s, err
}

// snapshot returns what the side says of an experiment.
func (s side) snapshot(exp claims.Experiment) (changes.Snapshot, error) {
	if s.store == nil {
		return acceptedOf(s.accepted, exp.ID)
	}
	return take(exp, s.store), nil
}

func (a *app) compare(g *gate, before, after string, ids []string) error {
	from, err := a.side(before, g.baseline)
	if err != nil {
		return err
	}
	to, err := a.side(after, g.baseline)
	if err != nil {
		return err
	}
	g.compared.With = before
	if from.store == nil {
		g.compared.With = from.accepted.Dir
	}
	store := to.store
	if store == nil {
		store = from.store
	}
	if store == nil {
		return errors.New("compare: name at least one output folder; the other may be baseline")
	}
	all, err := a.recorded(ids, store)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return a.nothing(all)
	}
	refs, err := a.recordedRefs(ids, store)
	if err != nil {
		return err
	}
	g.specs = map[string]*experiments.Spec{}
	for i, exp := range all {
		profile, _ := strings.CutSuffix(exp.Profile, experiments.EditedMark)
		if g.specs[exp.ID], err = experiments.Load(refs[i], experiments.LoadOptions{Profile: profile}); err != nil {
			return err
		}
		if to.store != nil && from.store != nil {
			exp.Expected = nil // a cell that neither folder has is not missing
		}
		base, err := from.snapshot(exp)
		if err != nil {
			return err
		}
		now, err := to.snapshot(exp)
		if err != nil {
			return err
		}
		g.add(exp, base, now, changes.Options{Shared: true})
	}
	changes.Decide(g.compared.Changes, changes.Level(changes.Alpha))
	return a.conclude(g)
}

// checkFile is the file of the output folder that holds what the last check found.
const checkFile = "check.json"

// checkOutFlag adds the flag of the output folder of checks, apart from that of runs, whose records check would replace.
func (a *app) checkOutFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("out", filepath.Join("out", "check"), "output folder of the check")
}
