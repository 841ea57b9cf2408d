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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/results/files"
	"repro/results/records"
	"repro/runner/shards"
)

// Sent is what was submitted of a plan: a file in the plan's folder. It is a note for people and for the next submit, never
// the truth about a cell.
type Sent struct {
	Name   string  `json:"name"` // of the jobs
	Arrays []Array `json:"arrays"`
	Finish string  `json:"finish"`          // id of the job that judges and reports
	Twice  []int   `json:"twice,omitempty"` // shards that ask for twice the memory
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
	return files.Keep(out, filepath.Join(dir, sentFile), append(text, '\n'))
}

// Double lets those shards ask for twice the memory that the system has killed for it, as their scripts noted in the plan's folder, or
// did before.
func (s *Sent) Double(out, dir string, all []Shard) error {
	notes, err := fs.Glob(os.DirFS(dir), "memory-*")
	for _, name := range notes {
		if k, err := strconv.Atoi(strings.TrimPrefix(name, "memory-")); err == nil && !slices.Contains(s.Twice, k) {
			s.Twice = append(s.Twice, k)
		}
	}
	if len(notes) > 0 {
		err = errors.Join(err, s.Write(out, dir))
	}
	for _, name := range notes {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	for i := range all {
		if slices.Contains(s.Twice, all[i].Index) {
			all[i].Twice, all[i].Bytes = true, 2*all[i].Bytes
		}
	}
	return err
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

// ArraySize asks Slurm how many tasks an array may have. If Slurm does not tell, it is the default.
func ArraySize(ctx context.Context) int {
	text, err := slurm(ctx, Patience, "scontrol", "show", "config")
	if n := setting(text, "MaxArraySize"); err == nil && n > 0 {
		return n
	}
	return defaultArraySize
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

// States of a cell whose record does not say what became of it. The lease of its shard says so, and then the scheduler; a cell that was
// not submitted is records.ToDo.
const (
	Running = "running" // a process holds the lease of its shard
	Queued  = "queued"  // the scheduler has its shard
	Unknown = "unknown" // it was submitted, and nobody says that it is queued or runs
)

// A Status is one cell in `status --json`.
type Status struct {
	shards.Cell
	Plan    string         `json:"plan"`
	State   string         `json:"state"`            // records.Settled, Limited, Failed, Skipped or ToDo, or one of those above
	Partial bool           `json:"partial"`          // there is a record without an end line
	Reason  string         `json:"reason"`           // why it failed, who runs it, or what is known of it
	Holder  *shards.Holder `json:"holder,omitempty"` // who runs it
}

// RecordOf returns what the record of a cell says. The state is empty if there is none that decides.
func RecordOf(out string, p *shards.Plan, c shards.Cell) Status {
	s := Status{Cell: c, Plan: p.ID}
	r := records.Find(out, c.Experiment, c.Cell, func(h records.Header) bool { return h.Digest == c.Digest })
	switch {
	case r.State == records.Other:
		s.Reason = "there is a record of other settings"
	case r.State == records.Settled:
		s.State = string(r.State)
	case r.Err != nil || r.Record == nil:
		s.Reason = r.Reason()
	case r.State == records.Limited:
		s.State, s.Reason = string(r.State), r.Ending()
	case r.Status() == records.Partial:
		s.Partial = true
	case r.Status() == records.Skipped:
		s.State, s.Reason = string(records.Skipped), r.Ending()
	default:
		s.State, s.Reason = string(records.Failed), r.Ending()
	}
	return s
}

// resolve sets the state of a cell without a record from the lease of its shard and what the scheduler says.
func (s *Status) resolve(lease shards.State, sent Sent, queue map[int]string) {
	_, listed := queue[s.Shard]
	switch {
	case lease.Alive:
		s.State, s.Holder = Running, &lease.Holder
		s.Reason = fmt.Sprintf("%v since %s", lease.Holder, lease.Started.Format(time.DateTime))
	case listed:
		s.State, s.Reason = Queued, "Slurm says "+strings.ToLower(queue[s.Shard])
	case sent.Times(s.Shard) > 0:
		s.State = Unknown
		if lease.Ended != "" {
			s.Reason = "its shard ended: " + lease.Ended
		} else if lease.Started.IsZero() {
			s.Reason = "its shard has not started"
		} else {
			s.Reason = fmt.Sprintf("no heartbeat of %v", lease.Holder)
		}
	default:
		s.State = string(records.ToDo)
		if lease.Ended != "" && s.Reason == "" {
			s.Reason = "its shard ended: " + lease.Ended
		}
	}
}

// StatusOf returns the states of cells of a plan, and what to say of the scheduler.
func StatusOf(ctx context.Context, out string, p *shards.Plan, cells []shards.Cell) ([]Status, string, error) {
	states, err := p.States(out)
	if err != nil {
		return nil, "", err
	}
	sent, err := Read(p.Dir(out))
	if err != nil {
		return nil, "", err
	}
	all := make([]Status, len(cells))
	records.Parallel(len(cells), func(i int) { all[i] = RecordOf(out, p, cells[i]) })
	if !slices.ContainsFunc(all, func(s Status) bool { return s.State == "" }) {
		return all, "", nil
	}
	note := ""
	queue, err := sent.Queue(ctx)
	if err != nil {
		note = fmt.Sprintf("plan %s: Slurm gives no answer (%v); the records and the leases are what counts", p.ID, err)
	}
	for i := range all {
		if all[i].State == "" {
			all[i].resolve(states[all[i].Shard], sent, queue)
		}
	}
	return all, note, nil
}

// Holder returns who this process is to those that look at its lease.
func Holder() shards.Holder {
	h := shards.Holder{}
	switch job := os.Getenv("SLURM_ARRAY_JOB_ID"); {
	case job != "":
		h.Job = job + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	case os.Getenv("SLURM_JOB_ID") != "":
		h.Job = os.Getenv("SLURM_JOB_ID")
	}
	h.Restart, _ = strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")) // absent before the first restart
	return h
}
