package cli

import (
	"fmt"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
)

// markdown returns the scoreboard as a Markdown table for each paper. A count of claims that deviate links to the page that
// says why; beside inconclusive claims is what would settle them, and beside those that have not run the data they need.
func (b scoreboard) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %s%s, %s: %v.\n", printed.Count(b.Rows, "row"), printed.Count(len(b.Papers), "paper"), extensions(b.Extensions), printed.Count(b.Total.Claims, "claim"), b.Total)
	for _, p := range b.Papers {
		fmt.Fprintf(&s, "\n**%s**", p.ID)
		if p.Title != "" {
			fmt.Fprintf(&s, ", %s", p.Title)
		}
		fmt.Fprintf(&s, ": %v\n\n| Row | Source | What is compared | Claims | Verdicts |\n|---|---|---|--:|---|\n", p.Tally)
		for _, r := range p.Rows {
			what := r.What
			if r.Extension {
				what += " (an extension)"
			}
			fmt.Fprintf(&s, "| `%s` | %s | %s | %d | %s |\n", r.ID, r.Source, what, r.Claims, strings.Join(r.words(p.Page), ", "))
		}
	}
	return s.String()
}

// words lists the counts of a row, with what they call for; page says why claims deviate.
func (r rowScore) words(page string) []string {
	var parts []string
	for _, w := range claims.Words {
		n := r.Of(w)
		text := fmt.Sprintf("%d %s", n, w)
		switch {
		case n == 0:
			continue
		case w == claims.Deviates && page != "":
			text = fmt.Sprintf("[%s](%s)", text, page)
		case w == claims.Inconclusive:
			text += " (" + r.settling() + ")"
		case w == claims.NotRun && len(r.Needs) > 0:
			var ways []string
			for _, how := range []string{dataFetch, dataBring} {
				if names := needed(r.Needs, how); len(names) > 0 {
					ways = append(ways, how+" `"+strings.Join(names, "`, `")+"`")
				}
			}
			text += " (" + strings.Join(ways, "; ") + ")"
		}
		parts = append(parts, text)
	}
	return parts
}

// markdownByExperiment returns the scoreboard as a Markdown table: a row for each experiment, for the sum of each paper and
// for the sum of all.
func (b scoreboard) markdownByExperiment() string {
	var s strings.Builder
	line := func(name string, cells []string) { fmt.Fprintf(&s, "| %s | %s |\n", name, strings.Join(cells, " | ")) }
	head := []string{"claims"}
	for _, w := range claims.Words {
		head = append(head, string(w))
	}
	line("experiment", head)
	s.WriteString("|---|" + strings.Repeat("--:|", len(head)) + "\n")
	counts := func(t claims.Tally) []string {
		cells := []string{strconv.Itoa(t.Claims)}
		for _, w := range claims.Words {
			cells = append(cells, strconv.Itoa(t.Of(w)))
		}
		return cells
	}
	for _, p := range b.Papers {
		for _, e := range p.Experiments {
			line("`"+e.ID+"`", counts(e.Tally))
		}
		line("sum of "+p.ID, counts(p.Tally))
	}
	if len(b.Papers) > 1 {
		line("sum", counts(b.Total))
	}
	return s.String()
}
