package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Ways to talk the gate round in the commit that breaks the step sizes: an edit of the spec, of the accepted file or of the workflow.
// None of them is green, and the message says what was done.
func TestTheGateIsNotTalkedRound(t *testing.T) {
	spec := func(pairs ...string) func(*testing.T) {
		return func(t *testing.T) {
			for i := 0; i < len(pairs); i += 2 {
				edit(t, "gate.toml", pairs[i], pairs[i+1])
			}
		}
	}
	const claim = "published = \"-0.4\"\npublished_is = \"theorem\"\npublished_says = \"nowhere\"\nat_most = true\ntolerance = 0.08\n"
	broken := "by the accepted definition it is worse: the slope moved from -0."
	for name, test := range map[string]struct {
		talk func(*testing.T)
		args []string
		want int
		says []string
	}{
		"a wider tolerance":   {spec("tolerance = 0.08", "tolerance = 2.0"), nil, 1, []string{"rate: loosened: tolerance 0.08 → 2 (gate.toml:53)", broken}},
		"a moved window":      {spec("window = [4, 64]\npublished = \"-0.4\"", "window = [4, 16]\npublished = \"-0.4\""), nil, 1, []string{"loosened: window [4,64] → [4,16] (gate.toml:48)", broken}},
		"another number":      {spec(`published = "-0.4"`, `published = "-0.1"`), nil, 1, []string{`loosened: published "-0.4" → "-0.1" (gate.toml:49)`, broken}},
		"the other side":      {spec("at_most = true\ntolerance", "at_least = true\ntolerance"), nil, 1, []string{"loosened: at_least not given → true (gate.toml:52), at_most true → not given", broken}},
		"a statistic":         {spec("at_most = true\ntolerance", "statistic = \"mean\"\nat_most = true\ntolerance"), nil, 1, []string{`redefined: statistic not given → "mean"`, broken}},
		"a description":       {spec("id = \"rate\"", "id = \"rate\"\ndescription = \"a law of the code\""), nil, 1, []string{"loosened: description not given → true (gate.toml:42)", broken}},
		"another kind":        {spec("kind = \"rate\"\nstatement = \"The error falls", "kind = \"value\"\nstatement = \"The error falls", "x = \"step\"\nwindow = [4, 64]\n"+claim, strings.Replace(claim, "-0.4", "9", 1)), nil, 1, []string{`kind "rate" → "value"`, broken}},
		"another method":      {spec("method = \"dsg\"\nmetric = \"l2-error\"\nx", "method = \"r-pegasos\"\nmetric = \"l2-error\"\nx"), nil, 1, []string{`method "dsg" → "r-pegasos"`, broken}},
		"seconds":             {spec("metric = \"l2-error\"\nx = \"step\"\nwindow = [4, 64]\npublished = \"-0.4\"", "metric = \"l2-error\"\nx = \"seconds\"\npublished = \"-0.4\""), nil, 1, []string{`x "step" → "seconds"`, broken}},
		"fewer seeds":         {spec("seeds = 5", "seeds = 2"), nil, 1, []string{"loosened: repeat.seeds 5 → 2 (gate.toml:24)"}},
		"fewer seeds of ci":   {spec("[profile.ci]", "[profile.ci]\nrepeat = { seeds = 1 }"), nil, 1, []string{"loosened: repeat.seeds 5 → 1"}},
		"a smaller ci":        {spec("[profile.ci]", "[profile.ci]\nbudget = { epochs = 0.5 }"), nil, 4, []string{"the settings of dsg are not the accepted ones"}},
		"a budget in seconds": {spec("[profile.ci]", "[profile.ci]\nbudget = { epochs = 0, seconds = 0.1 }"), nil, 4, []string{"the settings of dsg are not the accepted ones"}},
		"fewer points":        {spec("evaluate = { points = 12 }", "evaluate = { points = 6 }"), nil, 4, []string{"the settings of dsg are not the accepted ones"}},
		"a claim renamed":     {spec(`id = "rate"`, `id = "rates"`), nil, 4, []string{"the accepted baseline has claim rate, which the spec does not have", "the claim is new"}},
		"a method renamed":    {spec("id = \"dsg\"", "id = \"sgd\"", "method = \"dsg\"", "method = \"sgd\"", `against = ["dsg"]`, `against = ["sgd"]`), nil, 1, []string{"method dsg, which the spec does not have", `method "dsg" → "sgd"`}},
		"a looser baseline": {func(t *testing.T) {
			edit(t, "accepted/own/gate.json", `"tolerance": 0.08`, `"tolerance": 2`)
			edit(t, "gate.toml", "0.08", "2.0")
		}, nil, 2, []string{"gate.json:", "the seal is not that of the text above it"}},
		"an older baseline":       {unsealed, nil, 4, []string{"of an earlier version, which does not say what the claim was"}},
		"no baseline":             {spec(), []string{"--baseline", "nowhere"}, 4, []string{"the claim is new"}},
		"the flag --seeds":        {spec(), []string{"--seeds", "2"}, 1, []string{"loosened: repeat.seeds 5 → 2"}},
		"the flag --set":          {spec(), []string{"--set", "claim.rate.tolerance=2"}, 1, []string{"loosened: tolerance 0.08 → 2"}},
		"the flag --method":       {spec(), []string{"--method", "r-pegasos"}, 4, []string{"the accepted baseline has method dsg, which the spec does not have"}},
		"the flag --undecided":    {spec(), []string{"--undecided", "warn"}, 1, []string{"rate: the slope moved from"}},
		"no time":                 {spec(), []string{"--budget", "0s"}, 1, []string{"rate: the slope moved from"}},
		"another instruction set": {func(t *testing.T) { t.Setenv("REPRO_CPU", "generic") }, nil, 1, []string{"rate: the slope moved from"}},
	} {
		t.Run(name, func(t *testing.T) {
			gateplace(t)
			fault(t, 0.7)
			test.talk(t)
			o := checkGate(t, append(test.args, "--fail-on=")...) // whole curves notice this fault too, whatever is said of the claims
			assert.Equal(t, test.want, o.status, "%s%s", o.out, o.errors)
			for _, s := range test.says {
				assert.Contains(t, o.out+o.errors, s)
			}
		})
	}
}

// unsealed makes the accepted file one of version 1.
func unsealed(t *testing.T) {
	t.Helper()
	const name = "accepted/own/gate.json"
	text := read(t, name)
	before, rest, _ := strings.Cut(text, " \"claims\": {")
	_, after, _ := strings.Cut(rest, "\n },\n")
	after, _, _ = strings.Cut(after, ",\n \"seal\"")
	write(t, name, strings.Replace(before, `"schema": 2`, `"schema": 1`, 1)+after+"\n}\n")
}

// A number that surely moved within its margin is a warning with its size, and the user says what an undecided one is.
func TestWarnings(t *testing.T) {
	gateplace(t)
	fault(t, 0.98)
	o := checkGate(t, "--github", "--markdown", "pull.md", "--json")
	g := gatedOf(t, o)
	c := change(t, g, "rate")
	require.True(t, c.Moved, c.Reason)
	assert.Contains(t, o.errors, "::warning file=gate.toml,line=40,title=own/gate rate%3A same (moved)::the slope moved from ")
	assert.Contains(t, read(t, "pull.md"), "moved, by ×0.97")
	o = checkGate(t)
	assert.Contains(t, o.out, "2 of these moved, by ×0.97")

	fault(t, 0.9) // at the edge
	for policy, want := range map[string]int{"fail": 3, "warn": 0} {
		o := checkGate(t, "--seeds", "5", "--budget", "0s", "--undecided", policy, "--fail-on=", "--junit", "junit.xml", "--json")
		assert.Equal(t, want, o.status, policy)
		assert.Equal(t, policy == "fail", strings.Contains(read(t, "junit.xml"), `type="undecided"`))
	}
	o = checkGate(t, "--budget", "0s", "--fail-on=", "--json")
	assert.Equal(t, 5, change(t, gatedOf(t, o), "rate").Seeds)
	assert.Contains(t, o.errors, "further seeds of 1 experiment would take ")
	assert.Contains(t, o.errors, " or more, and < 0.01 s of the budget is left; give more with --budget")
	o = checkGate(t, "--budget", "10m", "--fail-on=", "--json")
	assert.Equal(t, 10, change(t, gatedOf(t, o), "rate").Seeds, "all that are accepted")
	assert.NotContains(t, o.errors, "give more with --budget")
	assert.Contains(t, checkGate(t, "--undecided", "ignore").errors, `want warn or fail, got "ignore"`)
}
