package experiments

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// libsvm replaces the method norma of ridge by programs, from line 31.
const libsvm = `algorithm = "external"
command.train = ["svm-train", "-c", "{c}", "-g", "{gamma}", "{train}", "{model}"]
command.predict = ["svm-predict", "{test}", "{model}", "{predictions}"]
version = ["svm-train"]
timeout = 60
`

// withProgram returns ridge with programs changed in one place.
func withProgram(t *testing.T, old, replacement string) string {
	t.Helper()
	text := change(t, "algorithm = \"norma\"\nbatch = 64\n", libsvm)
	require.Contains(t, text, old)
	return strings.Replace(text, old, replacement, 1)
}

func TestExternal(t *testing.T) {
	s := loads(t, withProgram(t, "", ""))
	m := s.Methods[1]
	e := m.Configured.(*External)
	assert.Equal(t, []string{"svm-predict", "{test}", "{model}", "{predictions}"}, e.Command.Predict)
	assert.Equal(t, "libsvm", e.Format)
	assert.False(t, e.Labels())
	assert.Equal(t, 60.0, e.Timeout)

	c := s.Expand()[1]
	assert.Equal(t, Budget{}, c.Budget(), "the experiment's budget is not a program's")
	assert.Equal(t, "float64", string(c.Precision()))
	assert.Equal(t, map[string]any{
		"command": map[string]any{
			"train":   []any{"svm-train", "-c", "{c}", "-g", "{gamma}", "{train}", "{model}"},
			"predict": []any{"svm-predict", "{test}", "{model}", "{predictions}"},
		}, "format": "libsvm", "predictions": "values",
	}, c.Settings["method"])
}

func TestExternalDigest(t *testing.T) {
	digest := func(old, replacement string) string {
		s := loads(t, withProgram(t, old, replacement))
		return s.Expand()[1].Digest
	}
	base := digest("", "")
	for name, c := range map[string][2]string{
		"timeout": {"timeout = 60", "timeout = 61"},
		"version": {`version = ["svm-train"]`, ""},
		"install": {"timeout = 60", "timeout = 60\ninstall = \"apt-get install libsvm-tools\""},
		"budget":  {"epochs = 1", "epochs = 2"},
	} {
		assert.Equal(t, base, digest(c[0], c[1]), "%s decides no number", name)
	}
	for name, c := range map[string][2]string{
		"an argument": {`"-c", "{c}"`, `"-c", "1"`},
		"format":      {"timeout = 60", "format = \"csv\""},
		"problem":     {"nu = 1e-6", "nu = 1e-5"},
	} {
		assert.NotEqual(t, base, digest(c[0], c[1]), name)
	}
}

// classified makes the problem of the spec ridge one of two classes.
var classified = strings.NewReplacer("dai2014-synthetic", "two-classes", `loss = "square"`, `loss = "hinge"`)

func TestExternalErrors(t *testing.T) {
	const train = `["svm-train", "-c", "{c}", "-g", "{gamma}", "{train}", "{model}"]`
	const at = `method "norma".`
	cases := []struct{ name, old, new, want string }{
		{"unknown placeholder", "{gamma}", "{gama}", `user.toml:32: ` + at + `command.train 5: unknown placeholder {gama}; did you mean "gamma"?`},
		{"no command", "command.train = " + train + "\n" + `command.predict = ["svm-predict", "{test}", "{model}", "{predictions}"]`, "", `user.toml:29: ` + at + `command: missing (what to run, each a program with its arguments, without a shell); add it`},
		{"no train", "command.train = " + train, "", `user.toml:33: ` + at + `command: does not say what to run; give it serve, which is asked for steps, run, which prints its points, or train`},
		{"empty command", train, `[]`, `user.toml:32: ` + at + `command.train: names no program; write ["program", "argument"]`},
		{"program from the data", `"svm-train", "-c"`, `"{model}", "-c"`, `user.toml:32: ` + at + `command.train: the program cannot depend on {model}; only {dir} may stand in its path`},
		{"relative program", `"svm-train", "-c"`, `"./bin/fit.sh", "-c"`, `user.toml:32: ` + at + `command.train: the program runs in its own folder, which has no "./bin/fit.sh"; to name a program beside the spec, write "{dir}/bin/fit.sh"`},
		{"invisible character", `"svm-train", "-c"`, `"svm\u001b[2J", "-c"`, `user.toml:32: ` + at + `command.train: the name of the program, "svm\x1b[2J", has an invisible character; remove it`},
		{"no training rows", `"{train}", `, ``, `user.toml:32: ` + at + `command.train: does not read {train}; add it`},
		{"no test rows", `"{test}", `, ``, `user.toml:33: ` + at + `command.predict: no command has {test}; add it`},
		{"model not written", `"{train}", "{model}"`, `"{train}"`, `user.toml:32: ` + at + `command.train: does not write {model}, which command.predict reads; add it`},
		{"version of a seed", `version = ["svm-train"]`, `version = ["svm-train", "{seed}"]`, `user.toml:34: ` + at + `version 2: {seed} means nothing to a version command; remove it`},
		{"infinite C", "nu = 1e-6", "nu = 0", `user.toml:32: ` + at + `command.train 3: {c} = 1/(nu·n) is infinite without regularisation; set problem.nu or give a number`},
		{"gamma of another kernel", `name = "gaussian"`, `name = "laplacian"`, `user.toml:32: ` + at + `command.train 5: {gamma} is a parameter of the gaussian kernel, and the kernel is laplacian; use {sigma}`},
		{"budget", "timeout = 60", "budget = { epochs = 3 }", `user.toml:35: ` + at + `budget: has no effect on a program, which ends by itself; remove it, or set timeout`},
		{"labels nothing measures", "timeout = 60", `predictions = "labels"`, `user.toml:35: ` + at + `predictions: the program predicts labels, from which only test-error, train-error can be computed, and none of that is measured; add some to evaluate.metrics on line 19`},
	}
	for _, c := range cases {
		refusedAs(t, withProgram(t, c.old, c.new), c.want)
	}
	t.Run("labels where values are needed", func(t *testing.T) {
		text := withProgram(t, "timeout = 60", `predictions = "labels"`)
		text = classified.Replace(strings.Replace(text, `metrics = ["l2-error", "test-mse"]`, `metrics = ["l2-error", "test-mse", "test-error"]`, 1))
		_, err := loadText(text, LoadOptions{})
		assert.EqualError(t, err, `user.toml:54: claim "better".metric: method "norma" predicts labels, from which only test-error, train-error can be computed; choose another metric, or another program`)
	})
	t.Run("a folder for a spec of the catalog", func(t *testing.T) {
		text := withProgram(t, `"svm-train", "-c"`, `"{dir}/fit", "-c"`)
		_, err := loadText(text, LoadOptions{})
		require.NoError(t, err)
		_, err = Load(Source{File: "dai2014/x.toml", Text: text, Catalog: true}, LoadOptions{})
		assert.EqualError(t, err, `dai2014/x.toml:32: `+at+`command.train 1: a spec of the catalog has no folder on disk for {dir}; name a program that is installed`)
	})
	t.Run("in a heat map", func(t *testing.T) {
		text := withProgram(t, "x = \"step\"\ny = \"l2-error\"\nseries = [{ method = \"dsg\" }, { method = \"dsg\", metric = \"l2-error@average\" }]",
			"kind = \"heatmap\"\nseries = [{ method = \"norma\" }]")
		text = strings.Replace(text, "[evaluate]", "[evaluate]\nsurface = 3", 1)
		refused(t, text, `series 1.method: method "norma" is a program and predicts only the test rows; remove it`)
	})
}

func TestManualOfExternal(t *testing.T) {
	manual, err := os.ReadFile("../docs/external-methods.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(manual), "```toml\n[[method]]\nid = \"libsvm\"\n")
	example, _, _ = strings.Cut(example, "```")
	text := change(t, "algorithm = \"norma\"\nbatch = 64\n", example)
	text = strings.Replace(text, `metrics = ["l2-error", "test-mse"]`, `metrics = ["l2-error", "test-error"]`, 1)
	_, err = loadText(strings.NewReplacer(`metric = "l2-error"`, `metric = "test-error"`, `y = "l2-error"`, `y = "test-error"`, `"l2-error@average"`, `"test-error@average"`).Replace(classified.Replace(text)), LoadOptions{})
	require.NoError(t, err)
}

// The ways to run a program exclude each other, and each has the placeholders and the budget that it can use.
func TestWaysToRunAProgram(t *testing.T) {
	const base = `schema = 1
paper = "mine"
title = "ways"
problem.kind = "own"
budget.steps = 10
[[metric]]
name = "gap"
[[method]]
id = "p"
algorithm = "external"
`
	const at = `method "p".`
	for _, c := range []struct{ name, keys, want string }{
		{"serve", `command.serve = ["python3", "{dir}/p.py", "{seed}"]`, ""},
		{"run", `command.run = ["python3", "{dir}/p.py", "{iterations}"]`, ""},
		{"budget of its own", "command.serve = [\"p\"]\nbudget = { seconds = 3 }", ""},
		{"none", `timeout = 3`, at + `command: missing`},
		{"two", "command.serve = [\"p\"]\ncommand.run = [\"p\"]", at + `command: has serve and run; keep one of them`},
		{"train on an own problem", `command.train = ["p", "{train}", "{test}", "{predictions}"]`, at + `command.train: learns from rows, and problem.kind = "own" on line 4 has none; use command.serve or command.run`},
		{"iterations of a served program", `command.serve = ["p", "{iterations}"]`, at + `command.serve 2: {iterations} has a meaning in command.train and command.run; remove it`},
	} {
		refused(t, base+c.keys+"\n", c.want)
	}
}
