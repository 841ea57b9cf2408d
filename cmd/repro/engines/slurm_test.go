//go:build unix

package engines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/runner/shards"
)

// What Slurm is asked and how its answers are read, with programs that stand for it.
func TestWhatSlurmSays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	says := func(program, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+text), 0o755))
	}
	sent := Sent{Name: "x", Arrays: []Array{{Job: "7", Shards: []int{3, 5}}, {Job: "8", Shards: []int{2, 5}}}}
	assert.Equal(t, []int{0, 1, 2}, []int{sent.Times(4), sent.Times(3), sent.Times(5)})
	says("squeue", "echo JOBID STATE; echo 7_1 RUNNING; echo 8_0 PENDING; echo 8_2 RUNNING; echo 9_0 RUNNING; echo 7_[2-3] PENDING")
	queue, err := sent.Queue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[int]string{5: "RUNNING", 2: "PENDING"}, queue)
	says("squeue", "")
	_, err = sent.Queue(t.Context())
	assert.ErrorContains(t, err, "its answer is empty")

	assert.Equal(t, defaultArraySize, ArraySize(t.Context()))
	for text, want := range map[string]int{"MaxArraySize            = 5": 5, "MaxArraySize = 0": 1001, "MaxArraySizes = 5": 1001} {
		says("scontrol", "echo '"+text+"'")
		assert.Equal(t, want, ArraySize(t.Context()), text)
	}
	says("sbatch", `echo "$@" >`+dir+"/arguments; echo '12;cluster'")
	id, err := Submit(t.Context(), "a.sh", "7", "8")
	require.NoError(t, err)
	assert.Equal(t, "12", id)
	text, err := os.ReadFile(filepath.Join(dir, "arguments"))
	require.NoError(t, err)
	assert.Equal(t, "--parsable --dependency=afterany:7:8 a.sh\n", string(text))
}

// A process says which task of which job it is, and how often it was started again.
func TestHolderOfAJob(t *testing.T) {
	for name, value := range map[string]string{"SLURM_JOB_ID": "9", "SLURM_ARRAY_JOB_ID": "", "SLURM_ARRAY_TASK_ID": "4", "SLURM_RESTART_COUNT": "2"} {
		t.Setenv(name, value)
	}
	assert.Equal(t, shards.Holder{Job: "9", Restart: 2}, Holder())
	t.Setenv("SLURM_ARRAY_JOB_ID", "7")
	assert.Equal(t, shards.Holder{Job: "7_4", Restart: 2}, Holder())
}

// A record of other settings is none of the cell. Who holds its shard comes before what Slurm says.
func TestStateOfACell(t *testing.T) {
	out := t.TempDir()
	w, err := records.Create(records.Path(out, "own/x", "a-seed1"), records.Header{Experiment: "own/x", Cell: "a-seed1", Digest: "d"})
	require.NoError(t, err)
	require.NoError(t, w.End(records.End{Status: records.Done}))
	require.NoError(t, w.Close())
	cell := shards.Cell{Experiment: "own/x", Cell: "a-seed1", Digest: "d", Shard: 2}
	assert.Equal(t, string(records.Settled), RecordOf(out, &shards.Plan{}, cell).State)
	cell.Digest = "e"
	s := RecordOf(out, &shards.Plan{}, cell)
	assert.Empty(t, s.State)
	assert.Equal(t, "there is a record of other settings", s.Reason)
	sent := Sent{Arrays: []Array{{Job: "7", Shards: []int{2}}}}
	for want, resolve := range map[string]func(){
		Running:              func() { s.resolve(shards.State{Alive: true}, sent, map[int]string{2: "RUNNING"}) },
		Queued:               func() { s.resolve(shards.State{}, sent, map[int]string{2: "RUNNING"}) },
		Unknown:              func() { s.resolve(shards.State{}, sent, map[int]string{1: "RUNNING"}) },
		string(records.ToDo): func() { s.resolve(shards.State{}, Sent{}, nil) },
	} {
		resolve()
		assert.Equal(t, want, s.State)
	}
}
