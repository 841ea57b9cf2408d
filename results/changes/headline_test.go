package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The first line of a Markdown page says the exit status, whatever it comes from: claims, curves, stale entries, a failed run, or a policy.
func TestTheFirstLineIsTheExitStatus(t *testing.T) {
	equivalent := Change{State: Equivalent}
	of := func(edit func(*Outcome)) Outcome {
		o := NewOutcome("accepted")
		o.Changes = []Change{equivalent, {State: Identical}}
		edit(&o)
		o.Close()
		return o
	}
	curve := Shift{Layer: OfShape, State: Regressed}
	low := 0.1
	seen := map[int]bool{}
	for name, c := range map[string]struct {
		o      Outcome
		status int
		says   string
	}{
		"nothing":                    {of(func(*Outcome) {}), 0, "1 equivalent, 1 unchanged"},
		"a curve":                    {of(func(o *Outcome) { o.Shifts = []Shift{curve, curve} }), 1, "curves and work: 2 regressed"},
		"a curve that may":           {of(func(o *Outcome) { o.Shifts, o.FailOn = []Shift{curve}, nil }), 0, "curves and work: 1 regressed"},
		"a warning":                  {of(func(o *Outcome) { o.Changes[0] = Change{State: Moved} }), 0, "1 moved"},
		"bits that may not":          {of(func(o *Outcome) { o.Shifts, o.FailOn = []Shift{{Layer: OfBits, State: Moved}}, []string{"bits"} }), 1, ""},
		"undecided":                  {of(func(o *Outcome) { o.Changes[0] = Change{State: Inconclusive, Low: &low} }), 3, "1 inconclusive"},
		"undecided, and that may be": {of(func(o *Outcome) { o.Changes[0], o.Warn = Change{State: Inconclusive, Low: &low}, true }), 0, "1 inconclusive"},
		"stale":                      {of(func(o *Outcome) { o.Stale = []StaleEntry{{}} }), 4, "1 equivalent"},
		"no claim":                   {of(func(o *Outcome) { o.Changes = nil }), 4, "0 unchanged"},
		"a run":                      {of(func(o *Outcome) { o.Status = 5 }), 5, "1 equivalent"},
		"redefined":                  {of(func(o *Outcome) { o.Changes[0] = Change{State: Redefined} }), 1, "1 redefined"},
	} {
		seen[c.status] = true
		first, _, _ := strings.Cut(c.o.Markdown(), "\n")
		assert.Equal(t, c.status, c.o.Status, name)
		assert.Contains(t, first, fmt.Sprintf("(exit status %d)", c.status), name)
		assert.Contains(t, first, c.says, name)
		assert.Equal(t, c.status == 0, strings.Contains(first, "✅") && strings.Contains(first, "passes"), "%s: %s", name, first)
	}
	for state, how := range shownAs {
		o := of(func(o *Outcome) { o.Changes = []Change{{State: state}} })
		assert.True(t, seen[how.status], state)
		assert.Contains(t, o.Headline(), fmt.Sprintf("(exit status %d)", how.status), state)
		if how.status != 0 {
			assert.True(t, strings.HasPrefix(o.Headline(), shownAs[worst(how.status)].sign), o.Headline())
		}
	}
}

// worst returns the state whose sign stands for a status.
func worst(status int) State {
	return map[int]State{1: Regressed, 3: Inconclusive, 4: NotComparable, 5: Failed}[status]
}
