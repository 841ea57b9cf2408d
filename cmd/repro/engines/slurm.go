package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/results/files"
)

// Sent is what was submitted of a plan: a file in the plan's folder. It is a note for people and for the next submit, never
// the truth about a cell.
type Sent struct {
	Engine string  `json:"engine"`
	Name   string  `json:"name"` // of the jobs
	Arrays []Array `json:"arrays"`
	Finish string  `json:"finish"` // id of the job that judges and reports
}

// An Array is a job array of Slurm. Task i of it runs the i-th of the shards, counted from 0.
type Array struct {
	Job    string `json:"job"`
	Shards []int  `json:"shards"`
}

const sentFile = "sent.json"

// Read returns what was submitted from a plan's folder, nothing if the folder does not say.
func Read(dir string) (Sent, error) {
	var s Sent
	path := filepath.Join(dir, sentFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w; remove it if no job of the plan runs", path, err)
	}
	return s, nil
}

// Write writes the file that Read reads into a plan's folder below an output folder.
func (s Sent) Write(out, dir string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return files.Write(out, filepath.Join(dir, sentFile), append(text, '\n'))
}

// Times returns how often a shard was submitted.
func (s Sent) Times(shard int) (n int) {
	for _, a := range s.Arrays {
		if slices.Contains(a.Shards, shard) {
			n++
		}
	}
	return n
}

// Queue asks Slurm for the states of the shards that wait or run, by shard. A shard that Slurm does not list may have ended in
// any way, or Slurm may have forgotten it. An answer without the line of column names is no answer: an error.
func (s Sent) Queue(ctx context.Context) (map[int]string, error) {
	if len(s.Arrays) == 0 {
		return nil, nil
	}
	text, err := slurm(ctx, Patience, "squeue", "--me", "--array", "--name="+s.Name, "--format=%i %T")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if !strings.HasPrefix(lines[0], "JOBID") {
		return nil, errors.New("squeue: its answer is empty")
	}
	states := map[int]string{}
	for _, line := range lines[1:] {
		id, state, _ := strings.Cut(strings.TrimSpace(line), " ")
		job, task, _ := strings.Cut(id, "_")
		k, err := strconv.Atoi(task)
		for _, a := range s.Arrays {
			if a.Job == job && err == nil && k >= 0 && k < len(a.Shards) {
				states[a.Shards[k]] = state
			}
		}
	}
	return states, nil
}

// Patience is how long a command of Slurm that only asks may take. sbatch may take six times as long.
var Patience = 10 * time.Second

// slurm runs a command of Slurm and returns what it prints. The error has what it says on standard error.
func slurm(ctx context.Context, limit time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // children of a script may keep its output open
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s has not answered for %v", name, limit)
	}
	if err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return "", fmt.Errorf("%s: %s", name, said)
		}
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return stdout.String(), nil
}

// defaultArraySize is MaxArraySize where slurm.conf does not set it.
const defaultArraySize = 1001

// Limits asks Slurm how many tasks an array may have, and how many jobs the user may have submitted at once, 0 if there is no
// such limit. What Slurm does not tell has its default.
func Limits(ctx context.Context) (array, jobs int) {
	array = defaultArraySize
	text, err := slurm(ctx, Patience, "scontrol", "show", "config")
	if n := setting(text, "MaxArraySize"); err == nil && n > 0 {
		array = n
	}
	if err == nil {
		jobs = setting(text, "MaxJobCount")
	}
	if u, err := user.Current(); err == nil && !strings.Contains(text, "accounting_storage/none") {
		text, err := slurm(ctx, Patience, "sacctmgr", "--noheader", "--parsable2", "show", "assoc", "where", "user="+u.Username, "format=MaxSubmitJobs")
		for word := range strings.FieldsSeq(text) {
			if n, wrong := strconv.Atoi(word); err == nil && wrong == nil && n > 0 && (jobs == 0 || n < jobs) {
				jobs = n
			}
		}
	}
	return array, jobs
}

// setting returns a number in what scontrol show config prints, 0 if it is not there.
func setting(text, key string) int {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == key {
			n, _ := strconv.Atoi(strings.TrimSpace(value)) // 0 if it is no number
			return n
		}
	}
	return 0
}

// Submit gives Slurm the script at path, to start after other jobs have ended, and returns the id of the job.
func Submit(ctx context.Context, path string, after ...string) (string, error) {
	args := []string{"--parsable"}
	if len(after) > 0 {
		args = append(args, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	text, err := slurm(ctx, 6*Patience, "sbatch", append(args, path)...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(text), ";") // a name of the cluster may follow
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch: its answer %q is not the number of a job", text)
	}
	return id, nil
}
