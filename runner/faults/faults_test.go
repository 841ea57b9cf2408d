package faults

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

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
		_, err := regexp.Compile(f.Laws)
		assert.NoError(t, err, f.ID)
		_, err = f.Patched(root)
		assert.NoError(t, err)
	}
	assert.GreaterOrEqual(t, len(ids), 45)
}

// Layers have seen each fault, one notices it, and those in what judges are noticed by the tests of their own package. The gate notices
// the faults that its experiments execute, or the list says why it does not; of what judges it may notice anything. The page has the numbers.
func TestEveryFaultIsCaught(t *testing.T) {
	judges, noticed, warns, others := 0, 0, 0, 0
	for _, f := range all(t) {
		for layer, mark := range f.Marks {
			assert.Contains(t, layers, layer, f.ID)
			assert.Contains(t, []string{caught, passed, warned, unreached}, mark, f.ID)
		}
		assert.Contains(t, slices.Collect(maps.Values(f.Marks)), caught, "no layer notices %s: run the campaign with -run TestFaults/%[1]s -update", f.ID)
		if f.judges() {
			judges++
			assert.Equal(t, caught, f.Marks["unit"], "the tests of %s do not notice %s", f.Package(), f.ID)
			continue
		}
		switch f.Marks["gate"] {
		case caught:
			noticed++
			assert.Empty(t, f.Gate, "the gate notices %s: remove the key gate", f.ID)
		case warned, passed:
			others++
			if f.Marks["gate"] == warned {
				warns++
			}
			assert.NotEmpty(t, f.Gate, "the gate does not notice %s: say why in the key gate", f.ID)
		}
	}
	assert.GreaterOrEqual(t, judges, 150)
	assert.Less(t, others, (noticed+others)/4, "three quarters are noticed")
	text, err := os.ReadFile(root + "/docs/faults.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf("%d faults, %d of them in what judges", len(all(t)), judges))
	assert.Contains(t, string(text), fmt.Sprintf("execute %d of the faulty functions: it fails on %d of these faults, warns of %d and passes %d", noticed+others, noticed, warns, others-warns))
}

// layers are asked about each fault.
var layers = []string{"unit", "law", "oracle", "baseline", "verdict", "gate"}

// Marks of layers.
const (
	caught    = "●" // notices the fault
	passed    = "·"
	warned    = "○" // the gate passes, and says that values or curves moved
	unreached = "–" // no experiment of the gate executes the changed function
)
