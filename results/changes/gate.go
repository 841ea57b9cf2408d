package changes

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// An Outcome is what a gate found, as --json prints it.
type Outcome struct {
	With    string       `json:"compared_with"`
	Commit  string       `json:"accepted_commit,omitempty"` // of the accepted state; empty if experiments have several
	Status  int          `json:"status"`
	Changes []Change     `json:"changes"`
	Stale   []StaleEntry `json:"stale"`
	LeftOut []string     `json:"left_out"` // experiments of which no cell ran, with the reason
	Unnamed []string     `json:"unnamed"`  // accepted experiments that check was not asked about
	Cells   []string     `json:"cells"`    // that check ran, as experiment and cell

	Shifts []Shift  `json:"shifts"`          // what the layers say of methods whose bits changed
	FailOn []string `json:"fail_on"`         // layers that make the status 1
	Bare   []string `json:"bare"`            // experiments with methods whose accepted state has no curves
	Warn   bool     `json:"undecided_warns"` // a change that the seeds do not decide is no failure
}

// A StaleEntry is an accepted entry with which nothing was compared.
type StaleEntry struct {
	Experiment string `json:"experiment"`
	Entry      string `json:"entry"`
	Why        string `json:"why"` // and what to do
}

func (s StaleEntry) String() string {
	return fmt.Sprintf("%s: the reference results have %s, %s", s.Experiment, s.Entry, s.Why)
}

// NewOutcome returns the outcome of a comparison of nothing with an accepted state.
func NewOutcome(with string) Outcome {
	return Outcome{With: with, Changes: []Change{}, Stale: []StaleEntry{}, LeftOut: []string{}, Unnamed: []string{}, Cells: []string{}, Shifts: []Shift{}, Bare: []string{}, FailOn: FailsOn()}
}

// Add compares an experiment and adds its changes, undecided, to the outcome.
func (o *Outcome) Add(exp claims.Experiment, base, now Snapshot, how Options) {
	if len(o.Changes) == 0 {
		o.Commit = base.Commit
	} else if o.Commit != base.Commit {
		o.Commit = ""
	}
	o.Changes = append(o.Changes, Compare(exp, base, now, how)...)
	if len(base.Bare(now)) > 0 {
		o.Bare = append(o.Bare, exp.ID)
	}
	o.Shifts = append(o.Shifts, Shifts(exp, base, now, how)...)
	for _, entry := range Stale(exp, base) {
		o.Stale = append(o.Stale, StaleEntry{exp.ID, entry, "which the spec does not have; accept that, which removes it, or restore it in the spec"})
	}
}

// Close sets the status from the changes and the stale entries. The status of a failed run stays if it is worse.
func (o *Outcome) Close() {
	all := slices.Clone(o.Changes)
	for i, c := range all {
		if o.tolerated(c) {
			all[i].State = records.Same
		}
	}
	o.Status = claims.WorseStatus(o.Status, Status(all))
	o.closeShifts()
	if len(o.Stale) > 0 {
		o.Status = claims.WorseStatus(o.Status, Status(nil))
	}
}

// tolerated reports whether the user's policy accepts a change that the seeds do not decide. A number without an interval, or without
// a value, is more than that.
func (o *Outcome) tolerated(c Change) bool {
	return o.Warn && c.State == records.Undecided && c.Low != nil
}

// NewWord says how the verdict on a claim changed, if it did.
func (c Change) NewWord() string {
	if c.WordBefore == "" || c.WordNow == "" || c.WordBefore == c.WordNow {
		return ""
	}
	return fmt.Sprintf("; its verdict was %s and is %s", c.WordBefore, c.WordNow)
}

// Against names what was compared with, and its commit if it has one.
func (o Outcome) Against() string {
	if o.Commit == "" {
		return o.With
	}
	return fmt.Sprintf("%s at commit %s", o.With, printed.Visible(o.Commit))
}

// Summary counts the changes in words, the worst first.
func (o Outcome) Summary() string {
	n, identical, moved, left := map[records.Match]int{}, 0, 0, map[string]int{}
	far, by := 0.0, ""
	for _, c := range o.Changes {
		switch {
		case c.LeftOut != "":
			left[c.LeftOut]++
			continue
		case c.Moved:
			moved++
			if f := math.Abs(c.estimate.Mean) / c.margin; f > far { // the one that came nearest to its margin
				far, by = f, ", by "+c.DifferenceText()+" at most"
			}
		case c.Identical():
			identical++
		}
		n[c.State]++
	}
	var parts []string
	for _, s := range records.Matches {
		switch {
		case s == records.Same && n[s] > identical:
			parts = append(parts, fmt.Sprintf("%d same, of which %d with other bits", n[s], n[s]-identical))
			if moved > 0 {
				parts = append(parts, fmt.Sprintf("%d of these moved%s", moved, by))
			}
		case n[s] > 0 || s == records.Same:
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	if k := left[records.ByTime]; k > 0 {
		parts = append(parts, fmt.Sprintf("%d left out because they depend on measured time", k))
	}
	if k := left[NotRun]; k > 0 {
		parts = append(parts, fmt.Sprintf("%d not run on either side", k))
	}
	return strings.Join(parts, ", ") + o.shiftsSummary()
}

// Label names the claim of a change, with its rival if it has several numbers.
func (c Change) Label() string {
	if c.Rival == "" {
		return c.Claim
	}
	return c.Claim + " against " + c.Rival
}

// Word returns the state, with a warning if it moved.
func (c Change) Word() string { return string(c.State) + movedWord(c.Moved) }

// Row returns the cells of a table of changes: claim, accepted, now, difference, margin, p, detectable change and state.
func (c Change) Row() []string {
	margin, p := "-", "-"
	if c.Tested() || c.Exact && c.Difference != nil {
		margin = c.MarginText()
	}
	if c.Tested() {
		p = printed.Digits(*c.Holm, 2)
	}
	return []string{c.Label(), printed.Maybe(c.Accepted), printed.Maybe(c.Now), printed.OrDash(c.DifferenceText()), margin, p, printed.OrDash(c.DetectableText()), c.Word()}
}

// Head heads the columns of Change.Row.
var Head = []string{"claim", "accepted", "now", "difference [95 %]", "margin", "p (Holm)", "detectable", "verdict"}

// Headline says the exit status in words, behind its sign.
func (o Outcome) Headline() string {
	sign, words := "💥", "a run failed"
	switch o.Status {
	case 0:
		sign, words = "✅", "nothing that fails it was found"
	case statusWorse:
		sign, words = "❌", "something got worse, or a claim is redefined"
	case statusUndecided:
		sign, words = "⚠️", "more seeds are needed to tell"
	case statusNotComparable:
		sign, words = "❔", "there is nothing to compare with, or something accepted is not there or did not run"
	}
	verb := "fails"
	if o.Status == 0 {
		verb = "passes"
	}
	return fmt.Sprintf("%s The check %s (exit status %d): %s.", sign, verb, o.Status, words)
}

// Markdown returns the outcome for a pull request: its exit status, one table with the changed claims, the rest counted.
func (o Outcome) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s %s**\n\nCompared with %s.\n", o.Headline(), cell(o.Summary()), cell(o.Against()))
	groups := Groups(o.Changes)
	if len(groups) > 0 {
		fmt.Fprintf(&s, "\n| experiment | changed methods | %s |\n|---|---|---|--:|--:|---|---|---|---|---|\n", strings.Join(Head, " | "))
	}
	for _, g := range groups {
		for _, c := range g.Changes {
			writeRow(&s, append([]string{g.Experiment, strings.Join(g.Cause, ", ")}, c.Row()...))
		}
	}
	o.shiftsMarkdown(&s)
	for _, text := range []string{o.BareText(), o.UnprovenText()} {
		if text != "" {
			fmt.Fprintf(&s, "\n%s.\n", cell(text))
		}
	}
	for _, e := range o.Stale {
		fmt.Fprintf(&s, "\n%s.\n", cell(e.String()))
	}
	if len(o.Unnamed) > 0 {
		fmt.Fprintf(&s, "\nNot checked: %s.\n", cell(o.UnnamedText()))
	}
	return s.String()
}

// News reports whether something was found that can be accepted.
func (o Outcome) News() bool {
	return len(o.Stale)+len(o.Bare)+len(o.Shifts) > 0 || slices.ContainsFunc(o.Changes, func(c Change) bool {
		return !c.Unchanged() && (c.State != records.Same || c.Moved) && !c.Failed
	})
}

// UnnamedText counts the accepted experiments that were not checked, empty if there are none.
func (o Outcome) UnnamedText() string {
	if len(o.Unnamed) == 0 {
		return ""
	}
	return printed.Count(len(o.Unnamed), "accepted experiment") + " that this check does not name, " + printed.List(o.Unnamed)
}

// cell returns a text without what would end a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(printed.Visible(s))
}

// writeRow adds a row to a Markdown table.
func writeRow(to *strings.Builder, cells []string) {
	fmt.Fprintf(to, "| %s |\n", strings.Join(printed.Each(cells, cell), " | "))
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

// JUnit returns the outcome as JUnit XML: a suite for each experiment, a case for each number. Redefined, worse, undecided and
// incomparable numbers are failures.
func (o Outcome) JUnit(place func(Change) (file string, line int)) ([]byte, error) {
	var all junitSuites
	for _, c := range o.Changes {
		i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == c.Experiment })
		if i < 0 {
			i, all.Suites = len(all.Suites), append(all.Suites, junitSuite{Name: c.Experiment})
		}
		s := &all.Suites[i]
		k := junitCase{Name: c.Label(), Class: c.Experiment}
		k.File, k.Line = place(c)
		m := &junitMessage{string(c.State), c.Reason}
		switch {
		case o.tolerated(c) || c.State == records.Better || c.State == records.Same && !c.Identical():
			k.Output = c.Reason
		case c.Failed:
			k.Error = m
			s.Errors++
		case c.Status() != 0:
			k.Failure = m
			s.Failures++
		case c.LeftOut != "":
			k.Skipped = &junitMessage{Message: c.Reason}
			s.Skipped++
		}
		s.Tests++
		s.Cases = append(s.Cases, k)
	}
	o.shiftsJUnit(&all, place)
	text, err := xml.MarshalIndent(all, "", "  ")
	return slices.Concat([]byte(xml.Header), text, []byte("\n")), err
}

// Annotations returns a workflow command of GitHub for every number that is not fine, at the line of its claim.
func (o Outcome) Annotations(place func(Change) (file string, line int)) []string {
	var lines []string
	for _, c := range o.Changes {
		if level := c.level(); level != "" {
			lines = append(lines, annotation(level, c, c.Label(), place))
		}
	}
	for _, s := range o.Shifts {
		if level := o.level(s); level != "" {
			lines = append(lines, annotation(level, s.change(), s.Label(), place))
		}
	}
	return lines
}

// level returns the level of an annotation, empty for none.
func (c Change) level() string {
	switch status := c.Status(); {
	case status == statusFailed || status == statusWorse:
		return "error"
	case status != 0 || c.Moved:
		return "warning"
	case c.State == records.Better:
		return "notice"
	}
	return ""
}

// annotation returns a workflow command of GitHub.
func annotation(level string, c Change, label string, place func(Change) (file string, line int)) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	file, line := place(c)
	return fmt.Sprintf("::%s file=%s,line=%d,title=%s::%s", level, property.Replace(file), line,
		property.Replace(fmt.Sprintf("%s %s: %s", c.Experiment, label, c.Word())), data.Replace(c.Reason))
}

// Status returns the exit status of a gate: 0 all numbers are the same or better, 1 one is worse or redefined, 3 one is undecided, 4 one cannot be
// compared or there is none, 5 a run failed. With several the first of 5, 1, 4, 3 is the status.
func Status(all []Change) int {
	worst, compared := 0, false
	for _, c := range all {
		compared = compared || c.LeftOut == ""
		worst = claims.WorseStatus(worst, c.Status())
	}
	if !compared {
		return statusNotComparable
	}
	return worst
}

// Unchanged reports whether a table of changes folds the change: nothing of it needs a reader.
func (c Change) Unchanged() bool {
	return c.Identical() || c.LeftOut != ""
}

// A Group is the changes with one cause.
type Group struct {
	Experiment string
	Cause      []string // methods whose bits changed; empty for changes without such a cause
	Changes    []Change // the worst first
}

// Groups returns the changes that are not Unchanged by what caused them: the same methods of the same experiment. The groups
// are ordered by their worst change.
func Groups(all []Change) []Group {
	var groups []Group
	for _, c := range all {
		if c.Unchanged() {
			continue
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Experiment == c.Experiment && slices.Equal(g.Cause, c.Cause) })
		if i < 0 {
			i, groups = len(groups), append(groups, Group{Experiment: c.Experiment, Cause: c.Cause})
		}
		groups[i].Changes = append(groups[i].Changes, c)
	}
	rank := func(c Change) int { return 2*c.rank() + one(!loosened(c.Terms)) }
	for i := range groups {
		slices.SortStableFunc(groups[i].Changes, func(a, b Change) int { return rank(a) - rank(b) })
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return rank(a.Changes[0]) - rank(b.Changes[0]) })
	return groups
}

// Heading names the cause of a group.
func (g Group) Heading() string {
	if len(g.Cause) == 0 {
		return g.Experiment
	}
	return g.Experiment + ", changed methods: " + strings.Join(g.Cause, ", ")
}

// Counts names what is counted, in the order of Work.
var Counts = []string{"kernel evaluations", "feature evaluations", "flops", "bytes moved", "bytes of memory"}

func (w Work) list() []int64 {
	return []int64{w.KernelEvals, w.FeatureEvals, w.Flops, w.Bytes, w.Memory}
}

// Stale lists the accepted cells and claims that the experiment does not have: methods and claims that were renamed or
// removed.
func Stale(exp claims.Experiment, base Snapshot) []string {
	var all []string
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, n := range base.Numbers {
		i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == n.Claim })
		switch {
		case i < 0:
			add("claim " + n.Claim)
		case n.Rival != "" && !slices.Contains(exp.Claims[i].Against, n.Rival):
			add("claim " + n.Claim + " against " + n.Rival)
		}
	}
	for _, c := range base.Cells {
		if !slices.ContainsFunc(exp.Methods, func(m claims.Method) bool { return m.ID == c.Method }) {
			add("method " + c.Method)
		}
	}
	return all
}
