package cli

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

// withProgram adds to the tiny spec a method that runs a program which is not there.
func withProgram(t *testing.T) {
	t.Helper()
	text := read(t, "tiny.toml")
	require.Contains(t, text, "[[claim]]")
	write(t, "tiny.toml", strings.Replace(text, "[[claim]]", `[[method]]
id = "peer"
algorithm = "external"
command.train = ["no-such-program", "-c", "{c}", "{train}", "{test}", "{predictions}"]
install = "write it first"

[[claim]]`, 1))
}

func TestProgramsRunOnlyIfAllowed(t *testing.T) {
	workplace(t)
	withProgram(t)
	o := ok(t, "run", "tiny.toml")
	assert.Contains(t, o.errors, "own/tiny: method peer runs no-such-program on this machine and is skipped; repro plan tiny.toml shows the commands, --allow-external allows them")
	assert.Contains(t, o.errors, "4 cells done, 2 skipped")
	r, err := records.Read(records.Path("out", "own/tiny", "peer-seed1"))
	require.NoError(t, err)
	assert.Contains(t, r.End.Reason, "which needs --allow-external")

	bad := repro(t, "run", "tiny.toml")
	assert.Equal(t, int(exits.Mistake), bad.status, "nothing else is to be run")
	assert.Contains(t, bad.errors, "own/tiny: method peer runs no-such-program on this machine, and there is nothing else to run; repro plan tiny.toml shows the commands")

	o = ok(t, "run", "tiny.toml", "--method", "peer", "--allow-external")
	assert.Contains(t, o.errors, "own/tiny: method peer runs no-such-program on this machine\n")
	assert.Contains(t, o.errors, "skipped: program no-such-program: not found in PATH; write it first")
}

func TestPlanOfAProgram(t *testing.T) {
	workplace(t)
	withProgram(t)
	o := ok(t, "plan", "tiny.toml", "--method", "peer")
	assert.Contains(t, o.out, `command = { train = ["no-such-program", "-c", "{c}", "{train}", "{test}", "{predictions}"] }`)
	assert.Contains(t, o.out, "unknown")
	assert.Contains(t, o.out, "the rows for programs take up to ")
	for _, c := range array(t, ok(t, "plan", "tiny.toml", "--method", "peer", "--json").out) {
		assert.Nil(t, c["seconds"])
		assert.Nil(t, c["bytes"])
		assert.EqualValues(t, 1, c["steps"])
	}
	assert.Contains(t, ok(t, "show", "tiny.toml").out, `train = ["no-such-program"`)
	assert.Contains(t, ok(t, "list", "algorithms").out, "external ")
}

// withPython moves the test into a copy of a folder with the module for Python, and puts a Python that has NumPy first in PATH.
func withPython(t *testing.T, folder string) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder)))
	write(t, filepath.Join(dir, "repro_serve.py"), read(t, filepath.Join("..", "..", "..", "docs", "examples", "python", "repro_serve.py")))
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import numpy").Run() == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, "python3")))
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			t.Chdir(dir)
			return
		}
	}
	t.Skip("no python3 here has NumPy; on Debian it is in python3-numpy")
}

// A change of a script, or of a module that it imports, runs its cells again, and check says what it did to the rate.
func TestChangesOfAScript(t *testing.T) {
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	withPython(t, filepath.Join("..", "..", "..", "docs", "examples", "python"))
	run := func() string {
		return ok(t, "run", "sgd.toml", "--allow-external", "--seeds", "10").errors
	}
	run()
	assert.Contains(t, run(), "10 of 10 were complete from an earlier run")
	healthy, module := read(t, "sgd.py"), read(t, "repro_serve.py")
	write(t, "repro_serve.py", module+"\n")
	assert.Contains(t, run(), "repro_serve.py changed since 10 cells ran on it")
	write(t, "repro_serve.py", module)

	check := func(args ...string) outcome {
		return repro(t, append([]string{"check", "sgd.toml", "--profile", "paper", "--allow-external", "--baseline", "accepted"}, args...)...)
	}
	check("--out", "new")
	t.Setenv("CI", "")
	ok(t, "baseline", "accept", "sgd.toml", "--profile", "paper", "--out", "new", "--claim", "mine/sgd#rate", "--reason", "first; equal seeds draw equal numbers", "--baseline", "accepted", "--log", "log.md")
	assert.Contains(t, check().out, "1 same")
	write(t, "sgd.py", strings.Replace(healthy, "gradient = self.x", "gradient = 0.4 * self.x", 1))
	o := check()
	assert.EqualValues(t, 1, o.status)
	assert.Contains(t, o.out, "its verdict was reproduced and is deviates")
}

// scripts are programs for the shell, one for each way to run one.
var scripts = map[string]string{
	"bin/serve.sh": `. "$1/bin/gap.sh"
s=0
while read -r line; do
	of() { echo "$line" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }
	reply='{"id":'$(of id)
	case "$line" in
	*'"hello"'*) reply=$reply',"protocol":1,"name":"shell","version":"1"' ;;
	*'"step"'*) s=$((s + $(of n))) ;;
	*'"value"'*) reply=$reply',"values":{"gap":'$(gap $s)'}' ;;
	*'"stop"'*) exit ;;
	esac
	echo "$reply}"
done
`,
	"bin/gap.sh": "gap() { echo $((1000000 / (1 + $1))); }\n",
	"run.sh":     ". \"$1/bin/gap.sh\"\nfor i in 1 2 3 4; do echo \"{\\\"step\\\": $i, \\\"gap\\\": $(gap $i)}\"; done\n",
	"train.sh":   "while read -r row; do echo 0.$1; done <test.csv | tail -n +2 >predictions.txt\n",
}

// servedPlace has an experiment with a program that is asked and one that prints, and one whose program trains again for every
// point on a file of data.
func servedPlace(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are for a POSIX shell")
	}
	workplace(t)
	for name, text := range scripts {
		write(t, name, text)
	}
	write(t, "served.toml", `schema = 1
paper = "own"
title = "programs"
problem.kind = "own"
budget.steps = 4
evaluate = { points = 4, spacing = "linear" }
metric = [{ name = "gap" }]
repeat.seeds = 2
[[method]]
id = "serve"
algorithm = "external"
command.serve = ["sh", "{dir}/bin/serve.sh", "{dir}"]
files = ["{dir}/bin/gap.sh"]
[[method]]
id = "run"
algorithm = "external"
command.run = ["sh", "{dir}/run.sh", "{dir}"]
files = ["{dir}/bin/gap.sh"]
[[claim]]
id = "alike"
kind = "order"
statement = "They report the same"
source = "nowhere"
method = "serve"
against = ["run"]
metric = "gap"
`)
	write(t, "trained.toml", `schema = 1
paper = "own"
title = "a program that trains again"
data = { file = "data/rows.csv", holdout = 0.5 }
problem = { loss = "square", nu = 0.1, kernel = { name = "gaussian", bandwidth = 1.0 } }
budget.steps = 4
evaluate = { points = 4, spacing = "linear", metrics = ["test-mse"] }
[[method]]
id = "train"
algorithm = "external"
format = "csv"
command.train = ["sh", "{dir}/train.sh", "{iterations}", "{train}", "{test}", "{predictions}"]
`)
	write(t, "data/rows.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
}

// A bundle has the programs of its records, so that an audit runs them again where the specs, the scripts and the reader's folder are
// gone; the data is not in it.
func TestAuditOfPrograms(t *testing.T) {
	servedPlace(t)
	ok(t, "run", "served.toml", "trained.toml", "--allow-external")
	o := ok(t, "bundle", "b.zip", "served.toml", "trained.toml")
	assert.NotContains(t, o.errors, "left out the program")
	all := unzip(t, "b.zip")
	for name := range scripts {
		of := "served"
		if name == "train.sh" {
			of = "trained"
		}
		assert.Equal(t, scripts[name], all["programs/own/"+of+"/"+name], name)
	}
	assert.NotContains(t, all, "programs/own/trained/data/rows.csv")

	write(t, "run.sh", scripts["run.sh"]+"# another\n")
	o = ok(t, "bundle", "changed.zip", "served.toml")
	assert.Contains(t, o.errors, "own/served: left out the program run.sh, so that nobody can run its cells again from the bundle: it changed since the cells ran")

	for _, name := range []string{"b.zip", "changed.zip", "data/rows.csv"} {
		write(t, filepath.Join("elsewhere", name), read(t, name))
	}
	t.Chdir("elsewhere")
	ok(t, "verify", "b.zip")
	a := audited(t, int(exits.Incomplete), "b.zip")
	assert.Equal(t, map[string]int{"they run programs; --allow-external allows it": 5}, a.LeftOut)
	a = audited(t, 0, "b.zip", "--allow-external")
	assert.Equal(t, 5, a.Same, "%v %v", a.LeftOut, a.Outcomes)
	a = audited(t, 0, "changed.zip", "--allow-external")
	assert.Equal(t, 2, a.Same)
	assert.Equal(t, map[string]int{"their program is not in the bundle, nor in the folder of --dir: run.sh": 2}, a.LeftOut)

	forged := maps.Clone(all)
	forged["programs/own/served/bin/gap.sh"] = "gap() { echo 1; }\n"
	zipUp(t, "forged.zip", forged)
	a = audited(t, int(exits.Failed), "forged.zip", "--allow-external")
	assert.Equal(t, []int{1, 4, 1}, []int{a.Same, a.Differs, a.Faults}, "the manifest has another SHA-256")
	require.NoError(t, os.Remove("data/rows.csv"))
	a = audited(t, 0, "b.zip", "--allow-external")
	assert.Equal(t, 4, a.Same)
	assert.Contains(t, fmt.Sprint(a.LeftOut), "their data is not here")
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Len(t, entries, 4, "bundles and the folder of data: no program is written here")
}

// A program that changes its own script while it runs fails no later than in its next cell: no record holds points of two contents.
func TestScriptsThatChangeThemselves(t *testing.T) {
	servedPlace(t)
	edit(t, "trained.toml", "evaluate", "repeat.seeds = 1\nevaluate")
	write(t, "train.sh", scripts["train.sh"]+"echo '# again' >>\"$0\"\n")
	o := repro(t, "run", "trained.toml", "--allow-external")
	assert.Equal(t, int(exits.Failed), o.status)
	assert.Contains(t, o.errors, "train.sh changed while the run was going on; run the same command again")
	r, err := records.Read(records.Path("out", "own/trained", "train-seed1"))
	require.NoError(t, err)
	assert.Empty(t, r.Points)

	write(t, "bin/serve.sh", "echo '# again' >>\"$0\"\n"+scripts["bin/serve.sh"])
	o = repro(t, "run", "served.toml", "--allow-external", "--threads", "1", "--method", "serve")
	assert.Equal(t, int(exits.Failed), o.status)
	assert.Contains(t, o.errors, "bin/serve.sh changed while the run was going on; run the same command again")
	r, err = records.Read(records.Path("out", "own/served", "serve-seed2"))
	require.NoError(t, err)
	assert.Empty(t, r.Points)
}
