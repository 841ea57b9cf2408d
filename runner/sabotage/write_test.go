//go:build sabotage

package sabotage

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// symbol returns what the file shows for a sabotage.
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

// count returns how many sabotages the claim notices.
func (m *mark) count() (noticed int) {
	for _, by := range sabotages {
		switch m.symbol(by.id) {
		case "●", "○", "(○)":
			noticed++
		}
	}
	return noticed
}

// cells returns the row of a claim.
func (m *mark) cells() []string {
	row := []string{m.experiment + "#" + m.claim.ID, cmp.Or(m.at, "–")}
	for _, by := range sabotages {
		row = append(row, m.symbol(by.id))
	}
	switch noticed := m.count(); {
	case m.at == "":
		return append(row, m.open)
	case noticed == 0:
		return append(row, vacuous)
	default:
		return append(row, fmt.Sprint(noticed))
	}
}

// compare holds the file to the marks, or writes it.
func (c *campaign) compare() {
	rows := readRows(c.T)
	ran := map[string]bool{}
	for _, m := range c.marks {
		ran[m.experiment] = true
	}
	maps.DeleteFunc(rows, func(id string, _ []string) bool {
		experiment, _, _ := strings.Cut(id, "#")
		_, known := c.marks[id]
		return ran[experiment] && !known || *only == "" && !ran[experiment]
	})
	for id, m := range c.marks {
		if m.open == absent && rows[id] != nil {
			continue // the row of a machine that has the data stays
		}
		rows[id] = m.cells()
	}
	var b strings.Builder
	b.WriteString("claim\tsize")
	for _, by := range sabotages {
		b.WriteString("\t" + by.id)
	}
	b.WriteString("\tnoticed\n")
	for _, id := range slices.SortedFunc(maps.Keys(rows), byNames) {
		b.WriteString(strings.Join(rows[id], "\t") + "\n")
	}
	if *update {
		require.NoError(c, os.WriteFile(data, []byte(b.String()), 0o644))
		return
	}
	old, err := os.ReadFile(data)
	require.NoError(c, err)
	assert.Equal(c, string(old), b.String(), "the claims notice other sabotages than docs/data/sabotage.tsv says; run it with -update and look at the difference")
}

// absent is why a claim is not judged whose data is not on this machine.
const absent = "the data is not here"

// byNames orders claims by experiment and id.
func byNames(a, b string) int {
	ea, ca, _ := strings.Cut(a, "#")
	eb, cb, _ := strings.Cut(b, "#")
	return cmp.Or(strings.Compare(ea, eb), strings.Compare(ca, cb))
}
