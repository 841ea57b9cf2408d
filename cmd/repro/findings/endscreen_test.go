package findings

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"repro/cmd/repro/terminal"
	"repro/results/claims"
	"repro/runner/goldentest"
)

// found is what a run of three experiments may find.
func found() ([]claims.Case, []string) {
	number := func(v float64) *float64 { return &v }
	v := func(claim string, w, here claims.Word, low, value, high float64) claims.Verdict {
		return claims.Verdict{
			Claim: claim, Kind: "rate", Class: claims.Theorem, Statement: "The error of the seven methods falls as the paper says, and no slower than that",
			Published: "-1", Verdict: w, AtSize: here, Measured: number(value), Low: number(low), High: number(high),
		}
	}
	of := func(id string, verdicts ...claims.Verdict) claims.Case {
		return claims.Case{Experiment: claims.Experiment{ID: id, Profile: "quick"}, Verdicts: verdicts}
	}
	missing := claims.Verdict{Claim: "time", Class: claims.Curve, Verdict: claims.NotRun}
	all := []claims.Case{
		of("dai2014/ridge", v("rate", claims.Reproduced, "", -1.1, -1.02, -0.95), v("average", claims.NotComparable, claims.Deviates, -2, -1.5, -1.4), missing),
		of("dai2014/complexity", v("time", claims.Reproduced, "", 2, 2, 2), v("memory", claims.Deviates, "", 1.95183, 1.952, 1.95217), v("error", claims.Inconclusive, "", -3, -1, 1)),
		of("jezequel2019/adversarial-released"),
	}
	return all, []string{"dai2014/ridge", "dai2014/complexity", "jezequel2019/adversarial-released"}
}

// The screen at the end of a run fits 80 columns of a terminal; a file gets a line an experiment.
func TestEndScreen(t *testing.T) {
	for name, out := range map[string]*terminal.Output{"terminal": {Width: 80, Colour: true}, "file": {}} {
		var b bytes.Buffer
		out.To = &b
		all, arguments := found()
		EndScreen(out, "out", all, arguments, true)
		text := b.String()
		if out.Colour {
			text = strings.ReplaceAll(text, "\x1b", "ESC")
			for line := range strings.Lines(regexp.MustCompile(`ESC\[\d+m`).ReplaceAllString(text, "")) {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
			}
		}
		goldentest.Equal(t, filepath.Join("testdata", "endscreen-"+name+".golden"), text)
	}
}

func TestNextStep(t *testing.T) {
	all, arguments := found()
	assert.Equal(t, "repro score shows what was reproduced at the papers' size", nextStep("mine", all, arguments, false))
	assert.Contains(t, nextStep("mine", all, arguments, true), "repro verify dai2014/complexity --out mine -v ")
	assert.Contains(t, nextStep("mine", all[:1], arguments, true), "repro plan dai2014/ridge --profile paper ")
	assert.Contains(t, nextStep("mine", all[2:], arguments[2:], true), "repro show jezequel2019/adversarial-released ")
}
