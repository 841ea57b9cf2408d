package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/schedules"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/results/changes"
	"repro/results/records"
)

// exponentNow is the p of the schedule "faultable": a test changes it as a mistake in the code would, behind the back of the
// settings.
var exponentNow = 1.0

// A faultable is γ_t = γ₀/(1 + t/t₀)^p.
type faultable struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"γ₀"`
	T0     float64 `toml:"t0" want:"> 0" doc:"t₀"`
}

func (s *faultable) Gamma(t int) float64 {
	return s.Gamma0 * math.Pow(1+float64(t)/s.T0, -exponentNow)
}

func init() {
	schedules.Register("faultable", "γ_t = γ₀/(1 + t/t₀)^p, for tests", func() schedules.Schedule { return &faultable{Gamma0: 1, T0: 1} })
}

// firstAccepted makes the accepted baseline of gate.toml, of ten seeds, once for all tests.
var firstAccepted = sync.OnceValue(func() fs.FS {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	var out bytes.Buffer
	for _, args := range [][]string{
		{"check", "gate.toml", "--baseline", filepath.Join(dir, "accepted"), "--seeds", "10", "--out", filepath.Join(dir, "out")},
		{"baseline", "accept", "gate.toml", "--baseline", filepath.Join(dir, "accepted"), "--claim", "rate", "--claim", "better", "--claim", "features", "--reason", "the first", "--out", filepath.Join(dir, "out"), "--log", filepath.Join(dir, "log.md")},
	} {
		if status := Run(context.Background(), &out, &out, args); status != 0 && status != int(exits.Incomplete) {
			panic(out.String())
		}
	}
	files := fstest.MapFS{}
	for _, name := range []string{"accepted/own/gate.json", "log.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err.Error() + out.String())
		}
		files[name] = &fstest.MapFile{Data: text, Mode: 0o644}
	}
	return files
})

// gateplace is a workplace with gate.toml and its accepted baseline of ten seeds.
func gateplace(t *testing.T) {
	t.Helper()
	workplace(t)
	write(t, "gate.toml", read(t, filepath.Join(testdata, "gate.toml")))
	for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
		t.Setenv(name, "")
	}
	require.NoError(t, os.CopyFS(".", firstAccepted()))
}

// fault makes a mistake in the step sizes.
func fault(t *testing.T, exponent float64) {
	t.Helper()
	exponentNow = exponent
	t.Cleanup(func() { exponentNow = 1 })
}

// checkGate runs check on gate.toml.
func checkGate(t *testing.T, args ...string) outcome {
	t.Helper()
	return repro(t, append([]string{"check", "gate.toml", "--baseline", "accepted"}, args...)...)
}

// gatedOf decodes the JSON of a gate.
func gatedOf(t *testing.T, o outcome) changes.Outcome {
	t.Helper()
	var g changes.Outcome
	require.NoError(t, json.Unmarshal([]byte(o.out), &g), "%s%s", o.out, o.errors)
	assert.Equal(t, o.status, g.Status)
	return g
}

// change returns the change of a claim.
func change(t *testing.T, g changes.Outcome, claim string) changes.Change {
	t.Helper()
	for _, c := range g.Changes {
		if c.Claim == claim {
			return c
		}
	}
	t.Fatalf("no claim %s", claim)
	return changes.Change{}
}

func TestEqualCodePassesWithoutStatistics(t *testing.T) {
	gateplace(t)
	o := checkGate(t, "--json")
	require.Zero(t, o.status, o.errors)
	g := gatedOf(t, o)
	require.Len(t, g.Changes, 3)
	for _, c := range g.Changes {
		assert.Equal(t, records.Same, c.State, c.Reason)
		assert.Nil(t, c.P, "no statistics")
	}
	assert.Empty(t, g.Shifts)
	o = repro(t, "compare", "baseline", "out/check", "gate.toml", "--baseline", "accepted")
	assert.Zero(t, o.status, o.errors)
	assert.Contains(t, o.out, "compared with accepted")
	assert.Contains(t, o.out, ": 3 same")
}

// The step 1/(1 + t/t₀) against its power 0.7: the gate gives both slopes at the line of the claim, after fresh seeds.
func TestGateFindsAnotherSchedule(t *testing.T) {
	gateplace(t)
	require.NoError(t, os.Rename("accepted", "kept"))
	checkGate(t, "--out", "before") // status 4, for compare
	require.NoError(t, os.Rename("kept", "accepted"))
	fault(t, 0.7)
	o := checkGate(t, "--json", "--github", "--junit", "junit.xml", "--markdown", "pull.md")
	assert.Equal(t, 1, o.status, "%s%s", o.out, o.errors)
	g := gatedOf(t, o)
	c := change(t, g, "rate")
	assert.Equal(t, records.Worse, c.State, c.Reason)
	assert.Greater(t, *c.Difference, 0.08, "more than the tolerance")
	assert.InDelta(t, *c.Difference, *c.Now-*c.Accepted, 1e-9)
	assert.Contains(t, c.Reason, "the slope moved from -0.")
	assert.Equal(t, []string{"dsg"}, c.Cause)
	assert.Equal(t, 10, c.Seeds, "five, and five fresh ones")
	assert.Less(t, *c.Fresh, 0.05, "which alone say so")
	assert.Equal(t, records.Same, change(t, g, "features").State)

	curves := slices.DeleteFunc(slices.Clone(g.Shifts), func(s changes.Shift) bool { return !s.Fails(g.FailOn) })
	require.Len(t, curves, 1, "of level and shape the one that says more")
	assert.Equal(t, changes.OfCurves, curves[0].Layer)
	assert.Equal(t, []string{"dsg", "l2-error", "rate"}, []string{curves[0].Method, curves[0].Metric, curves[0].Claim})
	assert.Equal(t, 10, curves[0].Seeds, "five, and five fresh ones")
	assert.Empty(t, g.Bare)

	line := 1 + strings.Count(strings.Split(read(t, "gate.toml"), `[[claim]]`+"\nid = \"rate\"")[0], "\n")
	assert.Contains(t, o.errors, fmt.Sprintf("::error file=gate.toml,line=%d,title=own/gate rate%%3A worse::the slope moved", line))
	pull := read(t, "pull.md")
	assert.True(t, strings.HasPrefix(pull, "**❌ The check fails (exit status 1): something got worse, or a claim is redefined. 1 worse"), pull)
	assert.Contains(t, pull, "1 same; curves and work: 1 worse**")
	assert.NotContains(t, pull, "✅")
	assert.Contains(t, pull, "| own/gate | dsg | rate | -0.")
	var suites struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Cases    []struct {
				File    string `xml:"file,attr"`
				Line    int    `xml:"line,attr"`
				Failure struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(read(t, "junit.xml")), &suites))
	require.Len(t, suites.Suites, 1)
	s := suites.Suites[0]
	assert.Equal(t, []int{4, 2, 0}, []int{s.Tests, s.Failures, s.Errors}, "three numbers, and a level and a shape")
	assert.Equal(t, "gate.toml", s.Cases[0].File)
	assert.Equal(t, line, s.Cases[0].Line)
	assert.Equal(t, "worse", s.Cases[0].Failure.Type)

	o = repro(t, "compare", "before", "out/check", "gate.toml")
	assert.Equal(t, 1, o.status, "%s%s", o.out, o.errors)
	assert.Contains(t, o.out, "own/gate, changed methods: dsg")
	assert.Contains(t, o.out, "compared with before")
	assert.Contains(t, o.out, "own/gate, curves and work")
	o = repro(t, "compare", "before", "out/check", "gate.toml", "--fail-on", "levels")
	assert.Equal(t, 2, o.status, o.out)
	assert.Contains(t, o.errors, `--fail-on has "levels"; want some of`)
	review(t)
}

// review walks through the changes that the last check left: skipped first, then accepted, after which nothing is left.
func review(t *testing.T) {
	t.Helper()
	answer := func(text string) string {
		var out bytes.Buffer
		root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{To: &out}, Stderr: &terminal.Output{To: &out}, Stdin: strings.NewReader(text)})
		root.SetArgs([]string{"baseline", "review", "gate.toml", "--baseline", "accepted", "--log", "log.md"})
		require.NoError(t, root.ExecuteContext(t.Context()))
		return out.String()
	}
	before := read(t, "accepted/own/gate.json")
	out := answer("s\n")
	assert.Equal(t, before, read(t, "accepted/own/gate.json"))
	assert.Contains(t, out, "rate: the slope moved from")
	answer("a\nthe power 0.7 is what the theorem says\n")
	assert.NotEqual(t, before, read(t, "accepted/own/gate.json"))
	assert.Contains(t, read(t, "log.md"), "the power 0.7 is what the theorem says")
	assert.Contains(t, answer(""), "nothing to review")
}

func TestCheckStatuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T)
		args    []string
		want    int
		says    string
	}{
		{"cannot tell", func(t *testing.T) { fault(t, 0.9) }, []string{"--budget", "0s", "--fail-on="}, 3, "too little to tell"},
		{"no baseline", func(t *testing.T) { require.NoError(t, os.RemoveAll("accepted")) }, nil, 4, "the claim is new"},
		{"the spec changed", func(t *testing.T) { edit(t, "gate.toml", "features = 32", "features = 16") }, nil, 4, "the settings of r-pegasos are not the accepted ones"},
		{"stale", func(t *testing.T) { edit(t, "gate.toml", `id = "features"`, `id = "fixed"`) }, nil, 4, "has claim features, which the spec does not have; accept that, which removes it"},
		{"a run diverged", func(t *testing.T) { fault(t, -60) }, nil, 5, "dsg seed 1 diverged"},
		{"damaged baseline", func(t *testing.T) { edit(t, "accepted/own/gate.json", `"schema": 2`, `"schema": x`) }, nil, 2, "gate.json:2: "},
		{"no such profile", func(*testing.T) {}, []string{"--profile", "cy"}, 2, `unknown profile "cy"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			gateplace(t)
			test.prepare(t)
			o := checkGate(t, test.args...)
			assert.Equal(t, test.want, o.status, "%s%s", o.out, o.errors)
			assert.Contains(t, o.out+o.errors, test.says)
		})
	}
}

func TestAcceptRefuses(t *testing.T) {
	gateplace(t)
	fault(t, 0.7)
	checkGate(t, "--budget", "0s")
	accept := []string{"baseline", "accept", "gate.toml", "--baseline", "accepted", "--log", "log.md"}
	before := read(t, "accepted/own/gate.json")
	for _, test := range []struct {
		args []string
		ci   string
		says string
	}{
		{[]string{"--claim", "*"}, "", "give the reason"},
		{[]string{"--claim", "*", "--reason", "  "}, "", "give the reason"},
		{[]string{"--reason", "better"}, "", "say which claims"},
		{[]string{"--claim", "*", "--reason", "better"}, "true", "CI is set"},
		{[]string{"--claim", "rate", "--reason", "better"}, "", "better changed by the same runs"},
		{[]string{"--claim", "none", "--reason", "better"}, "", "no claim that none changed"},
		{[]string{"--claim", "*", "--reason", "better"}, "", "own/gate#rate: it deviates: "},
		{[]string{"--claim", "own/gate#rate", "--claim", "bett*", "--reason", "better"}, "", "--claim 'own/gate#better' --reason ..."},
	} {
		t.Setenv("CI", test.ci)
		o := repro(t, append(slices.Clone(accept), test.args...)...)
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, test.says)
		assert.Equal(t, before, read(t, "accepted/own/gate.json"))
	}
	log := read(t, "log.md")
	ok(t, append(accept, "--claim", "own/gate#rate", "--claim", "better", "--reason", "a better schedule")...)
	after := read(t, "log.md")
	assert.Contains(t, log, ": the first\n  - the experiment is new, with 3 numbers\n")
	assert.True(t, strings.HasPrefix(after, log), "entries are added")
	assert.Contains(t, after, ": a better schedule\n  - rate: ")
	assert.Zero(t, checkGate(t).status, "what was accepted passes")
}

// A claim that is gone is removed by accepting it.
func TestAcceptRemovesStaleEntries(t *testing.T) {
	gateplace(t)
	text := read(t, "gate.toml")
	before, rest, _ := strings.Cut(text, "[[claim]]\nid = \"features\"")
	_, after, _ := strings.Cut(rest, "[profile.ci]")
	write(t, "gate.toml", before+"[profile.ci]"+after)
	assert.Equal(t, int(exits.Incomplete), checkGate(t).status)
	ok(t, "baseline", "accept", "gate.toml", "--baseline", "accepted", "--log", "log.md", "--claim", "features", "--reason", "the paper withdrew it")
	assert.NotContains(t, read(t, "accepted/own/gate.json"), `"features"`)
	assert.Zero(t, checkGate(t).status)
}
