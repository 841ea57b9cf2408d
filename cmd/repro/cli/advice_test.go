package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A word of an advised command: an argument with the mark of a path, an id or a pattern, a quoted one, a flag, or what follows a flag.
var (
	advised  = regexp.MustCompile(`(?:^|[\s"(])repro ([a-z]+)((?: (?:'[^']*'|[^\s']+))*)`)
	argument = regexp.MustCompile(`^('.*'|--?[a-z].*|\S*[/*#\d]\S*|\S+\.(toml|csv|zip|jsonl)|\.\.\.)$`)
)

// commandsIn returns the commands of the program in what it printed, and leaves out the words of the sentence behind them.
func commandsIn(text string) (all []string) {
	for _, part := range regexp.MustCompile(`\brepro [a-z]`).FindAllStringIndex(text, -1) {
		line, _, _ := strings.Cut(text[part[0]:], "\n")
		m := advised.FindStringSubmatch(line)
		verb := strings.TrimRight(m[1], ",;)")
		command := verb
		if verb == "baseline" {
			sub, rest, _ := strings.Cut(strings.TrimPrefix(m[2], " "), " ")
			command, m[2] = command+" "+sub, " "+rest
		}
		flag := false
		for _, w := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(m[2], -1) {
			bare := strings.TrimRight(w, ",;)")
			if bare != "..." {
				bare = strings.TrimRight(bare, ".:")
			}
			if !flag && !argument.MatchString(bare) {
				break
			}
			command += " " + bare
			flag = slices.Contains([]string{"--profile", "--method", "--seeds", "--set", "--baseline", "--log", "--out", "--claim", "--reason", "--check", "--write"}, bare)
			if bare != w {
				break
			}
		}
		if !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	return all
}

func TestCommandsAreFoundInSentences(t *testing.T) {
	assert.Equal(t, []string{"run lit.toml --seeds 8", "plan x.toml --profile paper", "judge", "baseline accept a.toml --claim '*' --reason ...", "check 'dai2014/*'"},
		commandsIn("settle 1: repro run lit.toml --seeds 8; repro plan x.toml --profile paper shows (repro judge), repro baseline accept a.toml --claim '*' --reason ...\nor repro check 'dai2014/*', as in"))
}

// adviceSpec has claims that need more seeds, that deviate, and that hold at another profile only.
const adviceSpec = `
[[claim]]
id = "deviates"
kind = "value"
statement = "The error is tiny"
source = "nowhere"
method = "dsg"
metric = "test-mse"
derived = "1e-6"
derivation = "none"
at_most = true
[profile.ci.repeat]
seeds = 10
`

// law.py is an external method without rows.
const lawPy = `import json, random, sys
r = random.Random(int(sys.argv[1]))
for t in range(1, 9):
    print(json.dumps({"step": t, "seconds": t, "err": (1 + 0.3 * r.gauss(0, 1)) ** 2 / t}))
`

const lawSpec = `schema = 1
paper = "own"
title = "a program"
problem.kind = "own"
budget.steps = 8
repeat.seeds = 4
metric = [{ name = "err" }]
[[method]]
id = "m"
algorithm = "external"
command.run = ["python3", "{dir}/law.py", "{seed}"]
files = ["{dir}/law.py"]
[[claim]]
id = "end"
kind = "value"
statement = "the error ends below 0.3"
source = "nowhere"
method = "m"
metric = "err"
derived = "0.3"
derivation = "none"
at_most = true
`

// Every command that the program prints in a few states is run in the first state that advises it, in a folder with a blank in its name: it
// is understood, and the runs, records and folders that it is about are there.
func TestEveryAdvisedCommandIsUnderstood(t *testing.T) {
	python := func(t *testing.T) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("no python3")
		}
		write(t, "law.py", lawPy)
		write(t, "law.toml", lawSpec)
	}
	curves := func(*testing.T) {
		text := "method,seed,step,loss\n"
		for _, m := range []string{"sgd", "adam"} {
			for seed := range 3 {
				for step := 1; step <= 64; step *= 2 {
					text += fmt.Sprintf("%s,%d,%d,%g\n", m, seed, step, float64(1+seed%2*len(m))/float64(step))
				}
			}
		}
		write(t, "curves.csv", text)
	}
	for name, s := range map[string]struct {
		before func(t *testing.T)
		calls  []string
		least  int // commands that are advised
	}{
		"a run elsewhere":     {nil, []string{"run own.toml --out 'my runs' --profile paper", "judge --report own.toml --out 'my runs'", "judge own.toml --out 'my runs'"}, 3},
		"a run of one method": {nil, []string{"run own.toml --method dsg --seeds 2 --set problem.nu=1e-5 --out other"}, 1},
		"a program":           {python, []string{"run law.toml --out there", "run law.toml --out there --allow-external", "judge --report law.toml --out there"}, 2},
		"a gate":              {nil, []string{"check own.toml --baseline accepted --out 'a check'", "baseline accept own.toml --baseline accepted --out 'a check' --claim '*' --reason first --log log.tsv"}, 2},
		"a comparison": {nil, []string{"check own.toml --baseline accepted --out there", "compare baseline there own.toml --baseline accepted --profile ci",
			"baseline review own.toml --baseline accepted --out there"}, 2},
		"curves":   {curves, []string{"judge curves.csv --write mine.toml --out there", "judge curves.csv --out there", "judge mine.toml --out there", "judge --report mine.toml --out there"}, 2},
		"a module": {nil, []string{"new mine", "list own.toml", "status --out there", "run own.toml", "score own.toml", "judge --trace x", "plan own.toml", "show own.toml", "bundle x", "frobnicate own.toml"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			workplace(t)
			for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
				t.Setenv(name, "")
			}
			write(t, "own.toml", read(t, "tiny.toml")+adviceSpec)
			if s.before != nil {
				s.before(t)
			}
			var all []string
			for _, call := range s.calls {
				o := repro(t, shellWords(call)...)
				for _, command := range commandsIn(o.out + o.errors) {
					if command = filled(command); !slices.Contains(all, command) {
						all = append(all, command)
						advisedIn(t, call, command)
					}
				}
			}
			assert.GreaterOrEqual(t, len(all), s.least, "%q", all)
		})
	}
}

// placeholders gives the names in advice that stand for the user's own files those that are there; a file to be written keeps its name.
var placeholders = strings.NewReplacer("--write my.toml", "--write my.toml", "my.toml", "mine.toml", "SPEC.toml", "own.toml", "results.zip", "results.zip own.toml")

// filled returns a command with what the folder has in place of placeholders. A verb that is only named is asked for its help.
func filled(command string) string {
	if !strings.Contains(command, " ") || command == "baseline accept" {
		return command + " --help"
	}
	return placeholders.Replace(command)
}

// shellWords splits a command line as a shell does.
func shellWords(line string) (all []string) {
	for _, w := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(line, -1) {
		all = append(all, strings.Trim(w, "'"))
	}
	return all
}

// advisedIn runs a command in a copy of this folder, and requires that it is no mistake: only an acceptance may be refused, with a command that
// is not.
func advisedIn(t *testing.T, call, command string) {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(here)))
	t.Chdir(copied)
	o := repro(t, shellWords(command)...)
	if strings.HasPrefix(command, "baseline accept") && o.status == 2 && strings.Contains(o.errors, "name it and say why: ") {
		again := commandsIn(o.errors)
		require.Len(t, again, 1, o.errors)
		o = repro(t, shellWords(again[0])...)
		require.Zero(t, o.status, "repro %s\n%s%s", again[0], o.out, o.errors)
	}
	assert.NotEqual(t, 2, o.status, "repro %s advises repro %s\n%s%s", call, command, o.out, o.errors)
	t.Chdir(here)
}
