package cli

import (
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
	for _, c := range array(t, ok(t, "plan", "tiny.toml", "--method", "peer", "--json").out) {
		assert.Nil(t, c["seconds"])
		assert.Nil(t, c["bytes"])
		assert.EqualValues(t, 1, c["steps"])
	}
	assert.Contains(t, ok(t, "show", "tiny.toml").out, `train = ["no-such-program"`)
	assert.Contains(t, ok(t, "list", "--algorithms").out, "external ")
}
