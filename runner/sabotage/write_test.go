//go:build sabotage

package sabotage

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// symbol returns what the page shows for a sabotage.
func (m *mark) symbol(id string) string {
	letters, ok := m.noticed[id]
	switch own, all := letters[0], letters[1]; {
	case !ok:
		return ""
	case own == deviates || own == 0 && all == deviates:
		return "●"
	case own == undecided || own == 0 && all == undecided:
		return "○"
	case all == deviates || all == undecided:
		return "(○)"
	}
	return "·"
}

// count returns how many sabotages the claim notices, and how many of them contradict it.
func (m *mark) count() (noticed, contradicted int) {
	for _, by := range sabotages {
		switch m.symbol(by.id) {
		case "●":
			noticed, contradicted = noticed+1, contradicted+1
		case "○", "(○)":
			noticed++
		}
	}
	return noticed, contradicted
}

// line returns the row of a claim.
func (m *mark) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| `%s#%s` | %s |", m.experiment, m.claim.ID, cmp.Or(m.at, "–"))
	if m.at == "" {
		b.WriteString(strings.Repeat(" |", len(sabotages)))
		return b.String() + " " + m.open + " |"
	}
	for _, by := range sabotages {
		fmt.Fprintf(&b, " %s |", m.symbol(by.id))
	}
	if noticed, _ := m.count(); noticed > 0 {
		fmt.Fprintf(&b, " %d |", noticed)
	} else {
		fmt.Fprintf(&b, " %s |", vacuous)
	}
	return b.String()
}

// compare holds the page to the marks, or writes it.
func (c *campaign) compare() {
	old, err := os.ReadFile(page)
	require.NoError(c, err)
	rows := map[string]string{}
	for _, r := range rowsOf(string(old)) {
		rows[r.experiment+"#"+r.claim] = r.text
	}
	ran := map[string]bool{}
	for _, m := range c.marks {
		ran[m.experiment] = true
	}
	maps.DeleteFunc(rows, func(id, text string) bool {
		experiment, _, _ := strings.Cut(id, "#")
		_, known := c.marks[id]
		return ran[experiment] && !known || *only == "" && !ran[experiment]
	})
	for id, m := range c.marks {
		if m.open == absent && rows[id] != "" {
			continue // the row of a machine that has the data stays
		}
		rows[id] = m.line()
	}
	text := compose(string(old), rows)
	if *update {
		require.NoError(c, os.WriteFile(page, []byte(text), 0o644))
		return
	}
	assert.Equal(c, string(old), text, "the claims notice other sabotages than docs/sabotage.md says; run it with -update and look at the difference")
}

// absent is why a claim is not judged whose data is not on this machine.
const absent = "the data is not here"

// summaryOf begins what follows the text of the page.
var summaryOf = regexp.MustCompile(`(?m)^\d+ claims, of which `)

// compose returns a page with the rows of claims, by experiment#claim. What stands above the summary stays.
func compose(old string, rows map[string]string) string {
	var b strings.Builder
	b.WriteString(old[:summaryOf.FindStringIndex(old)[0]])
	summary(&b, rows)
	paper := ""
	for _, id := range slices.SortedFunc(maps.Keys(rows), byNames) {
		if own := path.Dir(strings.Split(id, "#")[0]); own != paper {
			paper = own
			fmt.Fprintf(&b, "\n## %s\n\n| Claim | Size |", paper)
			for _, by := range sabotages {
				fmt.Fprintf(&b, " %s |", by.id)
			}
			fmt.Fprintf(&b, " Noticed |\n|---|---|%s--:|\n", strings.Repeat(":-:|", len(sabotages)))
		}
		fmt.Fprintln(&b, rows[id])
	}
	return b.String()
}

// byNames orders claims by experiment and id.
func byNames(a, b string) int {
	ea, ca, _ := strings.Cut(a, "#")
	eb, cb, _ := strings.Cut(b, "#")
	return cmp.Or(strings.Compare(ea, eb), strings.Compare(ca, cb))
}

// summary counts the rows.
func summary(b *strings.Builder, rows map[string]string) {
	noticed, weak, open := map[string]int{}, 0, map[string]int{}
	judged := 0
	for _, text := range rows {
		cells := strings.Split(strings.Trim(text, "| "), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		if strings.Contains(text, "| – |") {
			reason, _, _ := strings.Cut(last, ":")
			open[reason]++
			continue
		}
		judged++
		noticed[last]++
		if last != vacuous && !strings.Contains(text, "●") {
			weak++
		}
	}
	fmt.Fprintf(b, "%d claims, of which %d are judged; %d are vacuous and %d weak.\n\n| sabotages noticed | claims |\n|--:|--:|\n", len(rows), judged, noticed[vacuous], weak)
	for _, k := range slices.Sorted(maps.Keys(noticed)) {
		fmt.Fprintf(b, "| %s | %d |\n", k, noticed[k])
	}
	fmt.Fprint(b, "\n| not judged, because | claims |\n|---|--:|\n")
	for _, k := range slices.Sorted(maps.Keys(open)) {
		fmt.Fprintf(b, "| %s | %d |\n", k, open[k])
	}
}
