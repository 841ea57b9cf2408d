//go:build unix

package engines

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScript runs the script of an array with programs that stand for repro and scontrol.
func TestScript(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	const waits = `trap 'echo usr1; exit 75' USR1; trap 'echo term; exit 75' TERM; echo ready; while :; do sleep 0.05; done`
	tests := []struct {
		name, program string
		restarts      string
		signal        syscall.Signal
		status        int
		requeued      bool
		says          string
		memory        string // what grep finds of the control group, and the note that is left
	}{
		{name: "complete", program: "exit 0"},
		{name: "mistake", program: "exit 2", status: 2},
		{name: "failed for good", program: "exit 5", status: 5},
		{name: "stopped in time", program: "exit 75", status: 75, requeued: true},
		{name: "killed", program: "kill -9 $$", status: 137, requeued: true},
		{name: "out of memory", program: "kill -9 $$", status: 4, memory: "memory-5", says: "sends it with twice the memory"},
		{name: "out of twice the memory", program: "kill -9 $$", status: 4, memory: "twice", says: "which is twice what was predicted"},
		{name: "a limit of the spec", program: "exit 4", status: 4},
		{name: "USR1", program: waits, signal: syscall.SIGUSR1, status: 75, requeued: true, says: "usr1"},
		{name: "cancelled", program: waits, signal: syscall.SIGTERM, status: 75, says: "term"},
		{name: "the last restart", program: "exit 75", restarts: "10", status: 75, requeued: true},
		{name: "too many restarts", program: "exit 75", restarts: "11", status: 4, says: "started more than 10 times again"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := func(name, text string) string {
				path := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, []byte("#!/bin/bash\n"+text+"\n"), 0o755))
				return path
			}
			program("scontrol", `echo "$@" >`+dir+`/requeued`)
			program("grep", `[ "`+test.memory+`" ]`) // of the control group
			j := example().Split(1000)[0]
			j.Files, j.Shards[1].Twice = dir, test.memory == "twice"
			j.Run = []string{program("repro", `echo "$@" >`+dir+`/arguments; `+test.program), "run", "dai2014/ridge"}
			text, err := Write("slurm", j)
			require.NoError(t, err)
			script := filepath.Join(dir, "script.sh")
			require.NoError(t, os.WriteFile(script, text, 0o755))

			cmd := exec.Command("bash", script)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1", "SLURM_RESTART_COUNT="+test.restarts)
			out, err := os.Create(filepath.Join(dir, "out"))
			require.NoError(t, err)
			defer out.Close()
			cmd.Stdout, cmd.Stderr = out, out
			said := func() string {
				text, err := os.ReadFile(out.Name())
				require.NoError(t, err)
				return string(text)
			}
			require.NoError(t, cmd.Start())
			if test.signal != 0 {
				require.Eventually(t, func() bool { return strings.Contains(said(), "ready") }, 30*time.Second, 10*time.Millisecond)
				require.NoError(t, cmd.Process.Signal(test.signal))
			}
			cmd.Wait()
			assert.Equal(t, test.status, cmd.ProcessState.ExitCode(), said())
			assert.Contains(t, said(), test.says)
			requeued, err := os.ReadFile(filepath.Join(dir, "requeued"))
			assert.Equal(t, test.requeued, err == nil)
			if err == nil {
				assert.Equal(t, "requeue 7_1\n", string(requeued), "the task, not the array")
			}
			notes, err := filepath.Glob(filepath.Join(dir, "memory-*"))
			require.NoError(t, err)
			assert.Equal(t, test.memory == "memory-5", len(notes) == 1)
			if len(notes) == 1 {
				sent, all := Sent{Name: "x"}, []Shard{{Index: 4, Bytes: 1}, {Index: 5, Bytes: 3}}
				for range 2 { // the second time it is remembered
					require.NoError(t, sent.Double(dir, dir, all))
				}
				assert.Equal(t, []Shard{{Index: 4, Bytes: 1}, {Index: 5, Bytes: 12, Twice: true}}, all)
				sent, err = Read(dir)
				require.NoError(t, err)
				assert.Equal(t, []int{5}, sent.Twice)
				assert.NoFileExists(t, notes[0])
			}
			if test.name != "too many restarts" {
				arguments, err := os.ReadFile(filepath.Join(dir, "arguments"))
				require.NoError(t, err)
				assert.Equal(t, "run dai2014/ridge --threads 2 --shard 5/9@0a1b2c3d4e5f --stop-before 4320s\n", string(arguments))
			}
		})
	}
}
