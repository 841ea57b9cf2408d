// Package engines writes the scripts with which Slurm runs the shards of a plan, and asks Slurm.
package engines

import (
	"bytes"
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"

	"repro/results/printed"
)

// A Job describes the shards of a plan that are to run.
type Job struct {
	Name     string        // of the job: repro- and the id of the plan
	Dir      string        // absolute folder in which the commands run
	Out      string        // absolute output folder
	Files    string        // absolute folder below Out for scripts and logs
	Run      []string      // the words of the command that runs a shard, without --shard
	Plan     string        // id of the plan
	Of       int           // number of shards of the plan
	Shards   []Shard       // those to run
	Finish   [][]string    // the commands to run, in order, when all shards have ended, whatever the outcome
	Again    []string      // the command that submits shards again, to run first if the system killed some for their memory
	CPUs     int           // processors for each shard
	AtOnce   int           // shards that may run at the same time, 0 for any number
	Restarts int           // how often a shard may start again
	Longest  time.Duration // the most time that a job may ask for, 0 for any
	Options  []string      // more options of Slurm, such as --partition=long
}

// A Shard is what one task of a job runs. Its costs are upper bounds of the cost model.
type Shard struct {
	Index   int     // from 1 to Job.Of
	Cells   int     // number of cells
	Seconds float64 // wall time
	Bytes   float64 // memory
	Alone   bool    // its cells are timed: it needs a machine of its own
	Twice   bool    // it asks for twice the memory that is predicted, because the system killed it for that
}

// Argument returns the value of --shard for a shard.
func (j Job) Argument(s Shard) string { return fmt.Sprintf("%d/%d@%s", s.Index, j.Of, j.Plan) }

// Seconds returns the time to ask for: that of the longest shard and 5 minutes to start, at least 10 minutes and at most
// Longest.
func (j Job) Seconds() int {
	s := 0.0
	for _, shard := range j.Shards {
		s = math.Max(s, shard.Seconds)
	}
	d := max(10*time.Minute, time.Duration(s*float64(time.Second))+5*time.Minute)
	if j.Longest > 0 {
		d = min(d, j.Longest)
	}
	return int(d.Round(time.Minute).Seconds())
}

// Warning returns how many seconds before the end of its time a shard is told to stop, if it has not stopped by itself.
func (j Job) Warning() int { return min(120, j.Seconds()/10) }

// Bytes returns the memory to ask for: that of the largest shard and 256 MiB for the program, in whole 256 MiB.
func (j Job) Bytes() int64 {
	b := 0.0
	for _, shard := range j.Shards {
		b = math.Max(b, shard.Bytes)
	}
	const unit = 256 << 20
	return unit * int64(1+math.Ceil(b/unit))
}

// FinishBytes returns the memory to ask for to judge and report: that of a shard, at least 1 GiB.
func (j Job) FinishBytes() int64 { return max(1<<30, j.Bytes()) }

// Alone reports whether the shards need machines of their own.
func (j Job) Alone() bool {
	return slices.ContainsFunc(j.Shards, func(s Shard) bool { return s.Alone })
}

// Split returns the job as jobs of at most that many shards, all of which need a machine of their own, or none.
func (j Job) Split(most int) []Job {
	var jobs []Job
	for _, alone := range []bool{false, true} {
		shards := slices.DeleteFunc(slices.Clone(j.Shards), func(s Shard) bool { return s.Alone != alone })
		for part := range slices.Chunk(shards, max(1, most)) {
			one := j
			one.Shards = part
			jobs = append(jobs, one)
		}
	}
	return jobs
}

//go:embed templates
var templates embed.FS

// Write returns the text of a template, slurm or slurm-finish, for a job.
func Write(name string, j Job) ([]byte, error) {
	t, err := template.New(name+".sh").Funcs(functions).Option("missingkey=error").ParseFS(templates, "templates/"+name+".sh")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, j)
	return b.Bytes(), err
}

// functions are what templates may call.
var functions = template.FuncMap{
	"command": printed.Command,
	"words":   words,
	"word":    printed.ShellWord,
	"clock": func(seconds int) string { // hours, minutes and seconds, as Slurm reads them
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	},
	"mebibytes": func(bytes int64) int64 { return bytes >> 20 },
	"add":       func(a, b int) int { return a + b },
}

// words quotes words for a POSIX shell.
func words(all []string) string {
	quoted := make([]string, len(all))
	for i, w := range all {
		quoted[i] = printed.ShellWord(w)
	}
	return strings.Join(quoted, " ")
}
