package cli

import (
	"os"
	"os/exec"
	"path/filepath"
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
	assert.Contains(t, o.errors, "own/tiny: method peer runs no-such-program on this machine and is skipped; repro plan shows the commands, --allow-external allows them")
	assert.Contains(t, o.errors, "4 cells done, 2 skipped")
	r, err := records.Read(records.Path("out", "own/tiny", "peer-seed1"))
	require.NoError(t, err)
	assert.Contains(t, r.End.Reason, "which needs --allow-external")

	bad := repro(t, "run", "tiny.toml")
	assert.Equal(t, int(exits.Error), bad.status, "nothing else is to be run")
	assert.Contains(t, bad.errors, "own/tiny: method peer runs no-such-program on this machine, and there is nothing else to run; repro plan shows the commands")

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
	assert.Contains(t, ok(t, "list", "--algorithms").out, "external ")
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
	ok(t, "baseline", "accept", "sgd.toml", "--profile", "paper", "--out", "new", "--claim", "*", "--reason", "first", "--baseline", "accepted", "--log", "log.md")
	assert.Contains(t, check().out, "1 unchanged")
	write(t, "sgd.py", strings.Replace(healthy, "gradient = self.x", "gradient = 0.4 * self.x", 1))
	o := check()
	assert.EqualValues(t, 1, o.status)
	assert.Contains(t, o.out, "its verdict was reproduced and is deviates")
}
