package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
)

// The first line of a Markdown page says the exit status, whatever it comes from: claims, curves, stale entries, a failed run, or a policy.
func TestTheFirstLineIsTheExitStatus(t *testing.T) {
	equivalent := Change{State: records.Same, Cause: []string{"a"}}
	of := func(edit func(*Outcome)) Outcome {
		o := NewOutcome("accepted")
		o.Changes = []Change{equivalent, {State: records.Same}}
		edit(&o)
		o.Close()
		return o
	}
	curve := Shift{Layer: OfCurves, Part: OfShape, State: records.Worse}
	low := 0.1
	seen := map[int]bool{}
	for name, c := range map[string]struct {
		o      Outcome
		status int
		says   string
	}{
		"nothing":          {of(func(*Outcome) {}), 0, "2 same, of which 1 with other bits"},
		"a curve":          {of(func(o *Outcome) { o.Shifts = []Shift{curve, curve} }), 1, "curves and work: 2 worse"},
		"a curve that may": {of(func(o *Outcome) { o.Shifts, o.FailOn = []Shift{curve}, nil }), 0, "curves and work: 1 worse"},
		"a warning":        {of(func(o *Outcome) { o.Changes[0] = Change{State: records.Same, Moved: true, Cause: []string{"a"}} }), 0, "1 of these moved"},
		"bits that may not": {of(func(o *Outcome) {
			o.Shifts, o.FailOn = []Shift{{Layer: OfCurves, Part: OfBits, State: records.Same, Moved: true}}, []string{OnMoved}
		}), 1, ""},
		"undecided":                      {of(func(o *Outcome) { o.Changes[0] = Change{State: records.Undecided, Low: &low} }), 3, "1 undecided"},
		"undecided, and that may be":     {of(func(o *Outcome) { o.Changes[0], o.Warn = Change{State: records.Undecided, Low: &low}, true }), 0, "1 undecided"},
		"undecided, without an interval": {of(func(o *Outcome) { o.Changes[0], o.Warn = Change{State: records.Undecided}, true }), 3, "1 undecided"},
		"stale":                          {of(func(o *Outcome) { o.Stale = []StaleEntry{{}} }), 4, "2 same"},
		"no claim":                       {of(func(o *Outcome) { o.Changes = nil }), 4, "0 same"},
		"a run":                          {of(func(o *Outcome) { o.Status = 5 }), 5, "2 same"},
		"redefined":                      {of(func(o *Outcome) { o.Changes[0] = Change{State: records.NotComparable, Terms: []Term{{}}} }), 1, "1 not comparable"},
	} {
		seen[c.status] = true
		first, _, _ := strings.Cut(c.o.Markdown(), "\n")
		assert.Equal(t, c.status, c.o.Status, name)
		assert.Contains(t, first, fmt.Sprintf("(exit status %d)", c.status), name)
		assert.Contains(t, first, c.says, name)
		assert.Equal(t, c.status == 0, strings.Contains(first, "✅") && strings.Contains(first, "passes"), "%s: %s", name, first)
	}
	for status := range seen {
		o := Outcome{Status: status}
		assert.Contains(t, o.Headline(), fmt.Sprintf("(exit status %d)", status))
	}
	assert.Len(t, seen, 5)
}
