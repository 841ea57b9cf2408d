package cli

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"repro/results/changes"
	"repro/results/printed"
)

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
