//go:build faults && unix

package siege

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPower lets the power go after every change of every command.
func TestPower(t *testing.T) {
	page, err := filepath.Abs(page)
	require.NoError(t, err)
	p := newPower(t)
	rows, all := map[string]string{}, map[string]outcome{}
	for _, c := range append(p.runs(), p.others()...) {
		o := all[c.name]
		o.add(p.lose(c, p.recorded(c), 2000, 2000, true))
		all[c.name], rows[c.name] = o, powerRow(c.name, c.says, o)
		for _, err := range o.failures[:min(3, len(o.failures))] {
			t.Error(err)
		}
		t.Log(rows[c.name])
	}
	total := 0
	for _, o := range all {
		total += o.states
	}
	assert.GreaterOrEqual(t, total, leastStates)
	if *update {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(page, []byte(replacePower(string(text), rows)), 0o644))
	}
}

func (o *outcome) add(p outcome) {
	o.changes, o.points, o.states, o.failures = o.changes+p.changes, o.points+p.points, o.states+p.states, append(o.failures, p.failures...)
}

func powerRow(name, says string, o outcome) string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d |\n", name, says, o.changes, o.points, o.states, len(o.failures))
}

// replacePower returns the page with the rows of the commands in its table, in alphabetical order.
func replacePower(page string, rows map[string]string) string {
	before, rest, _ := strings.Cut(page, powerHead)
	before += powerHead
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		before += rows[name]
	}
	return before + rest
}
