package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
)

// GNU parallel runs the shards on two hosts, for which an ssh stands that runs commands here. The first attempt at every shard is
// killed. The records are those of a single run, and a second run of the script starts nothing.
func TestGNUParallel(t *testing.T) {
	program, err := exec.LookPath("parallel")
	if err != nil {
		t.Skip("GNU parallel is not installed")
	}
	if version, err := exec.Command(program, "--version").Output(); err != nil || !strings.HasPrefix(string(version), "GNU parallel") {
		t.Skip("parallel is another program than that of GNU")
	}
	workplace(t)
	self, err := os.Executable()
	require.NoError(t, err)
	// It kills its first attempt at every shard.
	write(t, "repro.sh", "#!/bin/sh\nfor last; do :; done\ncase $1 in run) [ -e \"started-${last%%/*}\" ] || { touch \"started-${last%%/*}\"; kill -KILL $$; } ;; esac\n"+
		asCommand+"=1 exec '"+self+"' \"$@\"\n")
	require.NoError(t, os.Chmod("repro.sh", 0o755))
	wrapper, err := filepath.Abs("repro.sh")
	require.NoError(t, err)
	ok(t, "run", "tiny.toml", "--profile", "smoke", "--out", "single")
	write(t, "ssh.sh", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec sh -c \"$*\"\n")
	require.NoError(t, os.Chmod("ssh.sh", 0o755))
	ssh, err := filepath.Abs("ssh.sh")
	require.NoError(t, err)
	sent := ok(t, "submit", "tiny.toml", "--profile", "smoke", "--engine", "parallel", "--shards", "3", "--program", wrapper, "--out", "out",
		"--option=--ssh="+ssh, "--option=--sshlogin=one,two")
	script := regexp.MustCompile(`to run them: bash (\S+/parallel.sh)`).FindStringSubmatch(sent.errors)
	require.Len(t, script, 2, sent.errors)

	logs := func() string {
		all, err := filepath.Glob(filepath.Join(filepath.Dir(script[1]), "*.joblog"))
		require.NoError(t, err)
		require.Len(t, all, 1)
		return read(t, all[0])
	}
	for range 2 {
		out, err := exec.Command("bash", script[1]).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	assert.Equal(t, 1+3, strings.Count(logs(), "\n"), "the second run starts nothing:\n%s", logs())
	merged := ok(t, "merge", "single", "out", "--out", "both")
	assert.Contains(t, merged.errors, "4 records written to both; 0 were there; 4 were found twice, with equal bits")
	kills, err := filepath.Glob("started-*")
	require.NoError(t, err)
	assert.Len(t, kills, 3)
	assert.FileExists(t, filepath.Join("out", "report.html"))
	for _, host := range []string{"one", "two"} {
		assert.Contains(t, logs(), "\t"+host+"\t")
	}
}

// A shard with a cell that fails is not tried again, and the script says which.
func TestGNUParallelAndAFailure(t *testing.T) {
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Skip("GNU parallel is not installed")
	}
	workplace(t)
	write(t, "repro.sh", "#!/bin/sh\necho \"$@\" >>calls\ncase $1 in run) exit 5 ;; esac\n")
	require.NoError(t, os.Chmod("repro.sh", 0o755))
	wrapper, err := filepath.Abs("repro.sh")
	require.NoError(t, err)
	sent := ok(t, "submit", "tiny.toml", "--profile", "smoke", "--engine", "parallel", "--shards", "2", "--program", wrapper, "--out", "out", "--option=--sshlogin=:")
	script := regexp.MustCompile(`to run them: bash (\S+/parallel.sh)`).FindStringSubmatch(sent.errors)
	require.Len(t, script, 2, sent.errors)
	out, err := exec.Command("bash", script[1]).CombinedOutput()
	var status *exec.ExitError
	require.ErrorAs(t, err, &status, "%s", out)
	assert.Equal(t, int(exits.Failed), status.ExitCode())
	assert.Contains(t, string(out), "ended with status 5: see ")
	assert.Equal(t, 2, strings.Count(read(t, "calls"), "run "), "each shard once")
}
