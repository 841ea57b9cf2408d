package findings

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/terminal"
	_ "repro/experiments/papers"
	"repro/results/baseline"
	"repro/results/claims"
)

// found is what a run of three experiments may find.
func found(t *testing.T) []claims.Case {
	t.Helper()
	number := func(v float64) *float64 { return &v }
	v := func(claim string, w, here claims.Word, low, value, high float64) claims.Verdict {
		return claims.Verdict{
			Claim: claim, Kind: "rate", Class: claims.Proved, Statement: "The error of the seven methods falls as the paper says, and no slower than that",
			Published: "-1", Verdict: w, AtSize: here, Measured: number(value), Low: number(low), High: number(high), Seeds: 5, Smaller: here != "",
		}
	}
	of := func(id string, verdicts ...claims.Verdict) claims.Case {
		for i := range verdicts {
			verdicts[i].Experiment = id
		}
		return claims.Case{Experiment: claims.Experiment{ID: id, Profile: "quick"}, Verdicts: verdicts}
	}
	missing := claims.Verdict{Claim: "time", Class: claims.Drawn, Verdict: claims.NotRun}
	all := []claims.Case{
		of("dai2014/ridge", v("rate", claims.Reproduced, "", -1.1, -1.02, -0.95), v("average", claims.NotComparable, claims.Deviates, -2, -1.5, -1.4), missing),
		of("dai2014/complexity", v("time", claims.Reproduced, "", 2, 2, 2), v("memory", claims.Deviates, "", 1.95183, 1.952, 1.95217), v("error", claims.Inconclusive, "", -3, -1, 1)),
		of("jezequel2019/adversarial-released"),
	}
	require.NoError(t, baseline.Beside(all))
	return all
}

// The screen at the end of a run fits 80 columns of a terminal, and says in colours what it says without.
func TestEndScreen(t *testing.T) {
	for _, out := range []*terminal.Output{{Width: 80, Colour: true}, {}} {
		var b bytes.Buffer
		out.To = &b
		EndScreen(out, found(t), Ending{Out: "out", Took: 38 * time.Second, Lines: true})
		text := b.String()
		if out.Colour {
			assert.Contains(t, text, "\x1b[31m✗ deviates\x1b[0m: 1 claim")
			text = regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(text, "")
			for line := range strings.Lines(text) {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
			}
		}
		assert.Regexp(t, `(?m)^dai2014/complexity +1✓ 1✗ 1\? +slope 1\.95, published -1`, text)
		for _, line := range []string{
			"✓ reproduced: 2 of 6 claims; at the papers' size 1 undecided",
			"✗ deviates: 1 claim; dai2014/complexity memory: slope 1.95, published -1",
			"– undecided: 3 claims; 1 too small to judge, 1 inconclusive, 1 not run", "3 experiments at profile quick, 38 s; report: out/report.html", "Next, one at the published size: repro run dai2014/ridge --profile paper",
		} {
			assert.Contains(t, text, "\n"+line+"\n")
		}
	}
}

// The shipped verdicts of all experiments, as if a run had found them at a smaller size, take at most 12 lines of 80 columns.
func TestEndScreenOfAllExperiments(t *testing.T) {
	shipped, err := baseline.Verdicts()
	require.NoError(t, err)
	var all []claims.Case
	for i, v := range shipped {
		k := slices.IndexFunc(all, func(j claims.Case) bool { return j.ID == v.Experiment })
		if k < 0 {
			k = len(all)
			all = append(all, claims.Case{Experiment: claims.Experiment{ID: v.Experiment, Profile: "quick", Paper: claims.Paper{Title: "A Paper", Page: "docs/papers/" + path.Dir(v.Experiment) + ".md"}}})
		}
		if i%3 == 0 {
			v.Verdict, v.AtSize, v.Smaller = claims.NotComparable, v.Verdict, true
		}
		all[k].Verdicts = append(all[k].Verdicts, v)
	}
	var b bytes.Buffer
	require.NoError(t, baseline.Beside(all))
	EndScreen(&terminal.Output{To: &b, Width: 80}, all, Ending{Out: "out", Took: time.Minute})
	assert.LessOrEqual(t, strings.Count(b.String(), "\n"), 12, b.String())
	text := strings.Join(strings.Fields(b.String()), " ")
	s := claims.StandingOf(all)
	assert.Contains(t, text, fmt.Sprintf("✓ reproduced: %d of %d claims of the papers; ", len(s.Holds), s.Sorted()))
	assert.Contains(t, text, fmt.Sprintf("; all %d also at the papers' size", len(s.Holds)))
	assert.Contains(t, text, fmt.Sprintf("our own checks: %d (", len(s.Checks)))
	assert.Contains(t, text, fmt.Sprintf("not counted: %d (", len(s.Apart)))
	assert.Contains(t, text, fmt.Sprintf("%d too small to judge (at the papers' size ", len(s.Smaller)))
	assert.Contains(t, text, "at a reduced size (profile quick), 60 s; report: out/report.html Next, ")
	assert.Less(t, strings.Index(text, "✓"), strings.Index(text, "✗"))
	assert.Less(t, strings.Index(text, "✗"), strings.Index(text, "undecided: "), "what deviates comes before what nobody knows yet")
	for line := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

// A command stands whole in one line, also where the line would be full before its end.
func TestEndScreenBreaksNoCommand(t *testing.T) {
	all := found(t)
	for width := 60; width < 120; width++ {
		var b bytes.Buffer
		EndScreen(&terminal.Output{To: &b, Width: width}, all, Ending{Out: "out"})
		assert.Contains(t, b.String(), "repro run dai2014/ridge --profile paper", "%d columns", width)
	}
}

// A run that deviates where the published size does not is said to be other.
func TestEndScreenOfOtherVerdicts(t *testing.T) {
	v := claims.Verdict{Claim: "rate", Class: claims.Proved, Verdict: claims.Reproduced}
	same, other := v, v
	other.Verdict = claims.Inconclusive
	var b bytes.Buffer
	s := screen{Output: &terminal.Output{To: &b}, there: "there"}
	for want, shipped := range map[string][]*claims.Verdict{
		"":                                 {nil, nil},
		"; all 2 also there":               {&same, &same},
		"; 1 of 2 also there":              {&same, nil},
		"; 1 of 2 also there, 1 undecided": {&same, &other},
		"; there 2 undecided":              {&other, &other},
	} {
		all := []claims.Verdict{v, v}
		all[0].Shipped, all[1].Shipped = shipped[0], shipped[1]
		assert.Equal(t, want, s.agree(all))
	}
}

// The published number is never cut: where a line has no room for both, they are in a second one.
func TestLineKeepsThePublishedNumber(t *testing.T) {
	all := found(t)
	for width := 44; width < 120; width++ {
		line := Line(&terminal.Output{Width: width}, all[0], len(all[0].ID), 0)
		assert.Contains(t, line, "slope -1.02")
		assert.Contains(t, line, ", published -1")
		for part := range strings.Lines(line) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(part, "\n")), width)
		}
	}
}
