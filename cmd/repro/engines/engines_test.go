package engines

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

// example returns a job with an awkward word in its command.
func example() Job {
	return Job{
		Name: "repro-0a1b2c3d4e5f", Dir: "/home/me/my work", Out: "/home/me/my work/out", Files: "/home/me/my work/out/shards/0a1b2c3d4e5f",
		Plan: "0a1b2c3d4e5f", Of: 9, CPUs: 2, AtOnce: 4, Restarts: 10,
		Run:     []string{"/usr/bin/repro", "run", "dai2014/ridge", "--set", "problem.kernel={name = 'gaussian'}", "--out", "/home/me/my work/out"},
		Again:   []string{"/usr/bin/repro", "submit", "dai2014/ridge"},
		Finish:  [][]string{{"/usr/bin/repro", "judge", "dai2014/ridge", "--out", "/home/me/my work/out"}, {"/usr/bin/repro", "judge", "--report", "--out", "/home/me/my work/out"}},
		Shards:  []Shard{{Index: 2, Cells: 4, Seconds: 3000, Bytes: 3e9}, {Index: 5, Cells: 1, Seconds: 4000, Bytes: 1e9}, {Index: 9, Cells: 2, Seconds: 100, Bytes: 1e8, Alone: true}},
		Options: []string{"--partition=long"},
	}
}

func TestGolden(t *testing.T) {
	parts := example().Split(1000)
	tests := []struct {
		template, file string
		job            Job
	}{
		{"slurm", "slurm", parts[0]},
		{"slurm", "slurm-alone", parts[1]},
		{"slurm-finish", "slurm-finish", example()},
	}
	for _, test := range tests {
		got, err := Write(test.template, test.job)
		require.NoError(t, err)
		goldentest.Equal(t, filepath.Join("testdata", test.file+".golden"), string(got))
	}
}

func TestAskedForIsTheMostOfAllShards(t *testing.T) {
	j := example()
	assert.Equal(t, 4300/60*60+60, j.Seconds()) // 4,000 s and 5 minutes, in whole minutes
	assert.Equal(t, int64(12+1)*256<<20, j.Bytes())
	j.Longest = 30 * time.Minute
	assert.Equal(t, 1800, j.Seconds())
	j.Shards = j.Shards[2:]
	j.Longest = 0
	assert.Equal(t, 600, j.Seconds())
	assert.Equal(t, []int64{512 << 20, 1 << 30}, []int64{j.Bytes(), j.FinishBytes()}, "the report needs more than a small shard")
}

func TestSplit(t *testing.T) {
	j := example()
	for i := 10; i < 17; i++ {
		j.Shards = append(j.Shards, Shard{Index: i})
	}
	var sizes []int
	var alone []bool
	for _, part := range j.Split(4) {
		sizes, alone = append(sizes, len(part.Shards)), append(alone, part.Alone())
	}
	assert.Equal(t, []int{4, 4, 1, 1}, sizes)
	assert.Equal(t, []bool{false, false, false, true}, alone, "timed shards have arrays of their own")
}
