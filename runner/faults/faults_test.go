package faults

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root = "../.."
	page = root + "/docs/faults.md"
)

// all returns the faults.
func all(t *testing.T) []Fault {
	t.Helper()
	faults, err := All()
	require.NoError(t, err)
	return faults
}

// Every fault fits the sources as they are, so that the list cannot rot.
func TestFaultsFitTheSources(t *testing.T) {
	ids := map[string]bool{}
	for _, f := range all(t) {
		assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, f.ID)
		assert.False(t, ids[f.ID], "two faults are called %s", f.ID)
		ids[f.ID] = true
		assert.NotEmpty(t, f.Says, f.ID)
		assert.NotContains(t, f.Says, "|", "%s: a table cell", f.ID)
		_, err := regexp.Compile(f.Laws)
		assert.NoError(t, err, f.ID)
		_, err = f.Patched(root)
		assert.NoError(t, err)
	}
	assert.GreaterOrEqual(t, len(ids), 45)
}

// docs/faults.md has a row for every fault in the order of the list, and each row names a layer that notices the fault.
func TestEveryFaultIsCaught(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows, judges := rowsOf(string(text)), 0
	for _, f := range all(t) {
		row, ok := rows[f.ID]
		if assert.True(t, ok, "docs/faults.md has no row for %s: run the campaign with -run TestFaults/%s -update", f.ID, f.ID) {
			assert.True(t, strings.HasPrefix(row, rowHead(f)), "docs/faults.md says something else about %s than faults.toml: run the campaign with -run TestFaults/%s -update", f.ID, f.ID)
			assert.Contains(t, row, caught, "no layer notices %s", f.ID)
			if f.judges() {
				judges++
				assert.True(t, strings.HasPrefix(strings.TrimPrefix(row, rowHead(f)), " "+caught), "the tests of %s do not notice %s", f.Package(), f.ID)
			}
		}
		delete(rows, f.ID)
	}
	assert.GreaterOrEqual(t, judges, 150)
	assert.Empty(t, rows, "docs/faults.md has rows of faults that are gone: run the campaign with -update")
}

// The gate notices the faults that its experiments execute, or the list says why it does not. Of what judges it may notice anything.
func TestGateNoticesOrTheListSaysWhy(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows := rowsOf(string(text))
	noticed, others := gated(all(t), rows)
	assert.Contains(t, string(text), gateText(noticed, others, rows))
	for _, f := range all(t) {
		if f.Gate != "" {
			assert.NotEqual(t, caught, gateMark(rows[f.ID]), "the gate notices %s: remove the key gate", f.ID)
		}
	}
	for _, f := range others {
		assert.NotEmpty(t, f.Gate, "the gate does not notice %s: say why in the key gate", f.ID)
	}
	assert.Less(t, len(others), (noticed+len(others))/4, "three quarters are noticed")
}

// gated returns how many faults outside of what judges the gate notices, and those others that its experiments execute.
func gated(faults []Fault, rows map[string]string) (noticed int, others []Fault) {
	for _, f := range faults {
		switch mark := gateMark(rows[f.ID]); {
		case f.judges():
		case mark == caught:
			noticed++
		case mark == warned || mark == passed:
			others = append(others, f)
		}
	}
	return noticed, others
}

// gateMark returns the last mark of a row, that of the gate.
func gateMark(row string) string {
	cells := strings.Split(strings.Trim(row, "|"), "|")
	return strings.TrimSpace(cells[len(cells)-1])
}

// gateText is what the page says below the table.
func gateText(noticed int, others []Fault, rows map[string]string) string {
	var b, list strings.Builder
	warns := 0
	for _, f := range others {
		sign := passed
		if gateMark(rows[f.ID]) == warned {
			sign, warns = warned, warns+1
		}
		fmt.Fprintf(&list, "- %s `%s`: %s\n", sign, f.ID, f.Gate)
	}
	fmt.Fprintf(&b, "\n## What the gate does not notice\n\nOutside of what judges, the gate's experiments execute %d of the faulty functions. It fails on %d of these faults and warns of %d. The others, and why the gate does not fail:\n\n",
		noticed+len(others), noticed, warns)
	b.WriteString(list.String())
	return b.String()
}

// Marks of layers.
const (
	caught = "●" // notices the fault
	passed = "·"
	warned = "○" // the gate passes, and says that values or curves moved
)

// rowHead returns the cells of a fault's row before the marks.
func rowHead(f Fault) string { return fmt.Sprintf("| `%s` %s | %s |", f.ID, f.Says, f.File) }

var rowID = regexp.MustCompile("^\\| `([a-z0-9-]+)` ")

// rowsOf returns the rows of a page by the ids of their faults.
func rowsOf(page string) map[string]string {
	rows := map[string]string{}
	for line := range strings.Lines(page) {
		if m := rowID.FindStringSubmatch(line); m != nil {
			rows[m[1]] = strings.TrimRight(line, "\n")
		}
	}
	return rows
}
