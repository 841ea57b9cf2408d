// Package programs runs external methods: programs that get the rows in files and write predictions to one.
package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/experiments"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// Rows are what a program gets.
type Rows struct {
	Train   algos.Samples  // nil if the program has a problem of its own
	Test    compute.Matrix // inputs
	Classes int            // of a multi-class problem, whose labels are numbers from 1; 0 for others
	Fitted  bool           // it predicts the training rows, too
	Folder  *Folder        // of the run
	Key     string         // programs with the same key get the same rows; empty if no other gets them
}

// out is the number of outputs.
func (r Rows) out() int {
	if r.Train == nil {
		return 0
	}
	_, out := r.Train.Dims()
	return out
}

// A Program is an external method, ready to run: its commands have paths and values for placeholders.
type Program struct {
	Record       records.External  // what a record says of it
	Test, Fitted compute.Matrix    // predictions of the test and the training rows, once Train is done
	Note         func(text string) // takes what the user should know; nil if nobody does
	Log          *Log              // takes what the program prints besides; nil if nobody does

	method         *experiments.External
	id             string   // of the method
	train, predict []string // commands with placeholders replaced; predict is empty if train predicts too
	serve, run     []string // the same; of train, serve and run there is one
	env            []string
	rows           Rows
}

// Names of files in the folder that the commands run in.
const modelFile, predictionsFile = "model", "predictions.txt"

// A NotRun is an error that says why a program does not run.
type NotRun string

func (e NotRun) Error() string { return string(e) }

// ErrTimeout is wrapped by an error of a program that took longer than its timeout.
var ErrTimeout = errors.New("stopped")

// New prepares the external method with the given id: it finds the programs, asks for their version and fills in the commands.
// values are those of the placeholders that are the same on every machine, beside the names of files; dir is the spec's folder. If a
// program cannot run, the error is a NotRun.
func New(ctx context.Context, e *experiments.External, id, dir string, threads int, values map[string]string, rows Rows) (*Program, error) {
	p := &Program{method: e, id: id, rows: rows, env: environment(threads, e.Environment)}
	if e.Format == "libsvm" && rows.out() > 1 && rows.Classes == 0 {
		return nil, NotRun(fmt.Sprintf("method %s: a libsvm file has one target a row, and there are %d; set format to csv or npy", id, rows.out()))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	known := map[string]string{"train": "train." + e.Format, "test": "test." + e.Format, "model": modelFile, "predictions": predictionsFile}
	here := map[string]string{"dir": dir, "threads": strconv.Itoa(threads)}
	same := func(command []string) []string { return experiments.Fill(experiments.Fill(command, known), values) }
	fill := func(command []string) []string { return experiments.Fill(same(command), here) }
	c, r := e.Command, &p.Record
	r.Train, r.Predict, r.Serve, r.Run = same(c.Train), same(c.Predict), same(c.Serve), same(c.Run)
	p.train, p.predict, p.serve, p.run = fill(c.Train), fill(c.Predict), fill(c.Serve), fill(c.Run)
	for _, command := range [][]string{p.train, p.predict, p.serve, p.run} {
		if len(command) > 0 {
			if command[0], err = p.find(command[0]); err != nil {
				return nil, err
			}
		}
	}
	p.Record.Version, err = p.version(ctx, fill(e.Version))
	return p, err
}

// find returns the path of a program.
func (p *Program) find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	fix := p.method.Install
	if fix == "" {
		fix = fmt.Sprintf("install it, or give its path in the command of method %s", p.id)
	}
	var cause *exec.Error
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = errors.New("not found in PATH")
	}
	return "", NotRun(fmt.Sprintf("program %s: %v; %s", name, err, fix))
}

// versionTime is the longest time that a program may take to print its version.
const versionTime = 10 * time.Second

// version returns the first line that the version command prints, or why there is none. A program whose version is
// unknown still runs.
func (p *Program) version(ctx context.Context, command []string) (string, error) {
	if len(command) == 0 {
		return "", nil
	}
	unknown := func(why error) (string, error) { return fmt.Sprintf("unknown: %v", why), ctx.Err() }
	path, err := p.find(command[0])
	if err != nil {
		return unknown(err)
	}
	limited, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	dir, err := files.MkdirTemp("repro-version-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out, err := p.command(limited, dir, append([]string{path}, command[1:]...))
	if err != nil {
		return unknown(err)
	}
	line, _, _ := strings.Cut(out.last().words(false), " | ")
	return line, nil
}

// Train exports the rows, times the training, and reads the predictions. It returns the seconds of the train command. values are those
// of the placeholders of this run, such as iterations.
func (p *Program) Train(ctx context.Context, values map[string]string) (seconds float64, err error) {
	limited, cancel := context.WithTimeout(ctx, p.limit())
	defer cancel()
	seconds, err = p.trainWithin(ctx, limited, values)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = p.timedOut(false)
	}
	return seconds, err
}

// limit is how long the program may take.
func (p *Program) limit() time.Duration {
	return time.Duration(p.method.Timeout * float64(time.Second))
}

// timedOut is the error after the limit, of a program that has printed nothing if it is silent.
func (p *Program) timedOut(silent bool) error {
	fix := "raise it, or use fewer rows"
	if silent {
		fix = "it has printed nothing: " + silence
	}
	return fmt.Errorf("%w after %s s, the timeout of method %s; %s", ErrTimeout, printed.Number(p.method.Timeout), p.id, fix)
}

// trainWithin runs the commands in a folder that it makes and removes, and reads the predictions. It returns what training took.
func (p *Program) trainWithin(ctx, limited context.Context, values map[string]string) (took float64, err error) {
	dir, err := p.rows.Folder.place()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := p.rows.export(ctx, dir, p.method.Format); err != nil {
		return 0, err
	}
	train := experiments.Fill(p.train, values)
	began := time.Now()
	_, err = p.command(limited, dir, train)
	took = time.Since(began).Seconds()
	if err != nil {
		return took, err
	}
	predict := experiments.Fill(p.predict, values)
	if p.Test, err = p.predictIn(limited, dir, predict, p.rows.Test.Rows); err != nil || !p.rows.Fitted {
		return took, err
	}
	for _, name := range []string{predictionsFile, "test." + p.method.Format} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return took, err
		}
	}
	if err := p.rows.exportFitted(ctx, dir, "test", p.method.Format); err != nil {
		return took, err
	}
	p.Fitted, err = p.predictIn(limited, dir, predict, p.rows.Train.Len())
	return took, err
}

// predictIn runs the predict command, if there is one, and returns the predictions of so many rows.
func (p *Program) predictIn(ctx context.Context, dir string, predict []string, rows int) (none compute.Matrix, err error) {
	if len(predict) > 0 {
		if _, err := p.command(ctx, dir, predict); err != nil {
			return none, err
		}
	}
	r := predictionReader{rows: rows, out: p.rows.out(), labels: p.method.Labels(), classes: p.rows.Classes}
	return r.file(filepath.Join(dir, predictionsFile))
}

// Passed are the variables of the user that every program gets, if they are set: those that it starts by, that choose devices and
// environments, and that say where caches are. A method names others, such as HOME.
var Passed = []string{
	"PATH", "SystemRoot", "SystemDrive", "PATHEXT", // programs on Windows need them to start
	"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX",
	"XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME", "KERAS_HOME", "NUMBA_CACHE_DIR", "JULIA_DEPOT_PATH", "R_LIBS", "R_LIBS_USER",
}

// environment returns the variables that a program gets: those of the user that are passed on and the method names, the C locale, so
// that numbers have a decimal point, and the number of threads that libraries may start. The method prepare adds the home folder.
func environment(threads int, more []string) []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		env = append(env, name+"="+strconv.Itoa(threads))
	}
	for _, name := range slices.Concat(Passed, more) { // the last value of a name counts
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
