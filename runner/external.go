package runner

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
	"repro/algos/metrics"
	"repro/datasets/regular"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
)

// A program is the external method of a cell, ready to run: its commands have paths and values for placeholders.
type program struct {
	*experiments.External
	method         string   // id
	train, predict []string // commands with placeholders replaced; predict is empty if train predicts too
	env            []string
	record         records.External
	allowed        time.Duration

	instance     *instance
	onTraining   bool           // predict the training rows, too
	test, fitted compute.Matrix // predictions of the test and the training rows, once it is done
}

// Names of files in the folder that the commands run in.
const modelFile, predictionsFile = "model", "predictions.txt"

// A notRun is an error that says why a cell's program does not run. The cell is skipped.
type notRun string

func (e notRun) Error() string { return string(e) }

// program prepares an external method: it checks the permission, finds the programs and fills in the commands.
func (x *cellRun) program(ctx context.Context, e *experiments.External) (*program, error) {
	if !x.AllowExternal {
		return nil, notRun(fmt.Sprintf("runs the program %s on this machine, which needs --allow-external; %s shows its command", e.Command.Train[0], printed.Command("plan")))
	}
	p := &program{
		External: e, method: x.cell.Method.ID, allowed: time.Duration(e.Timeout * float64(time.Second)),
		instance: x.instance, onTraining: x.cell.Spec.Evaluate.MeasuresTraining(),
	}
	x.eval.metrics = slices.DeleteFunc(x.eval.metrics, func(m *metrics.Metric) bool { return !p.Measures(m) })
	if err := p.fits(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(x.cell.Spec.Dir())
	if err != nil {
		return nil, err
	}
	known := x.placeholders(e.Format)
	here := map[string]string{"dir": dir, "threads": strconv.Itoa(x.threads)}
	fill := func(command []string) []string {
		return experiments.Fill(experiments.Fill(command, known), here)
	}
	p.train, p.predict = fill(e.Command.Train), fill(e.Command.Predict)
	p.record.Train, p.record.Predict = experiments.Fill(e.Command.Train, known), experiments.Fill(e.Command.Predict, known)
	for _, command := range [][]string{p.train, p.predict} {
		if len(command) > 0 {
			if command[0], err = p.find(command[0]); err != nil {
				return nil, err
			}
		}
	}
	p.env = environment(x.threads)
	if p.record.Version, err = p.version(ctx, fill(e.Version)); err != nil {
		return nil, err
	}
	return p, nil
}

// fits checks that the program's format can hold the problem's targets and that its predictions can be read back.
func (p *program) fits() error {
	_, out := p.instance.problem.Train.Dims()
	if p.Format == "libsvm" && out > 1 && p.instance.classes() == 0 {
		return notRun(fmt.Sprintf("method %s: a libsvm file has one target a row, and there are %d; set format to csv or npy", p.method, out))
	}
	return nil
}

// placeholders returns the values of the placeholders that are the same on every machine. Paths are relative to the
// folder that the commands run in.
func (x *cellRun) placeholders(format string) map[string]string {
	problem := &x.instance.problem
	sigma := x.instance.resolved["sigma"]
	c := 1 / (problem.Nu * float64(problem.Train.Len()))
	if nuN := x.cell.Spec.Problem.NuN; nuN > 0 && x.cell.Method.Nu == nil {
		c = 1 / nuN // without the rounding of ν
	}
	return map[string]string{
		"train": "train." + format, "test": "test." + format, "model": modelFile, "predictions": predictionsFile,
		"n":  strconv.Itoa(problem.Train.Len()),
		"nu": exact(problem.Nu), "c": exact(c),
		"sigma": exact(sigma), "gamma": exact(1 / (2 * sigma * sigma)),
		"seed": strconv.FormatUint(x.cell.Seed, 10),
	}
}

// find returns the path of a program.
func (p *program) find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	fix := p.Install
	if fix == "" {
		fix = fmt.Sprintf("install it, or give its path in the command of method %s", p.method)
	}
	var cause *exec.Error
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = errors.New("not found in PATH")
	}
	return "", notRun(fmt.Sprintf("program %s: %v; %s", name, err, fix))
}

// versionTime is the longest time that a program may take to print its version.
const versionTime = 10 * time.Second

// version returns the first line that the version command prints, or why there is none. A program whose version is
// unknown still runs.
func (p *program) version(ctx context.Context, command []string) (string, error) {
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
	dir, err := regular.MkdirTemp("repro-version-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out, err := p.run(limited, dir, append([]string{path}, command[1:]...))
	if err != nil {
		return unknown(err)
	}
	line, _, _ := strings.Cut(out.words(), " | ")
	return line, nil
}

// advance implements stepper: the program is one iteration. It exports the rows, times the training and reads the predictions.
func (p *program) advance(ctx context.Context, _ *progress, _ int) (m made) {
	m.Iterations = algos.Iterations{Made: 1, Progress: algos.Progress{Seen: p.instance.problem.Train.Len(), Done: true}}
	m.seconds, m.Err = p.runAll(ctx)
	if ctx.Err() != nil {
		return made{}
	}
	if errors.Is(m.Err, context.DeadlineExceeded) {
		m.Err = fmt.Errorf("%w after %s s, the timeout of method %s; raise it, or use fewer rows", errTimeout, printed.Number(p.Timeout), p.method)
	}
	return m
}

var errTimeout = errors.New("stopped")

// Step implements algos.Fit, Fitter and Model with the predictions of the program, and no steps: advance makes them.
func (p *program) Step() (algos.Progress, error) { return algos.Progress{Done: true}, nil }

func (p *program) State() any                            { return nil }
func (p *program) Model() algos.Model                    { return p }
func (p *program) Predict(compute.Matrix) compute.Matrix { return p.test }
func (p *program) Fitted() compute.Matrix                { return p.fitted }

// runAll runs the commands in a folder that it makes and removes, and reads the predictions. It returns what training took.
func (p *program) runAll(ctx context.Context) (took float64, err error) {
	dir, err := regular.MkdirTemp("repro-external-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := p.instance.export(ctx, dir, p.Format); err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, p.allowed)
	defer cancel()
	took = seconds(func() { _, err = p.run(limited, dir, p.train) })
	if err != nil {
		return took, err
	}
	if p.test, err = p.predictIn(limited, dir, p.instance.data.TestX.Rows); err != nil || !p.onTraining {
		return took, err
	}
	train := p.instance.problem.Train
	if err := exportSamples(ctx, filepath.Join(dir, "test."+p.Format), p.Format, train, 0); err != nil {
		return took, err
	}
	if err := os.Remove(filepath.Join(dir, predictionsFile)); err != nil {
		return took, err
	}
	p.fitted, err = p.predictIn(limited, dir, train.Len())
	return took, err
}

// predictIn runs the predict command, if there is one, and returns the predictions of so many rows.
func (p *program) predictIn(ctx context.Context, dir string, rows int) (none compute.Matrix, err error) {
	if len(p.predict) > 0 {
		if _, err := p.run(ctx, dir, p.predict); err != nil {
			return none, err
		}
	}
	_, out := p.instance.problem.Train.Dims()
	r := predictionReader{rows: rows, out: out, labels: p.Labels(), classes: p.instance.classes()}
	return r.file(filepath.Join(dir, predictionsFile))
}

// environment returns the variables that programs get: the search path, the C locale, so that numbers have a decimal
// point, and the number of threads that libraries may start. The method run adds the home folder.
func environment(threads int) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		env = append(env, name+"="+strconv.Itoa(threads))
	}
	for _, name := range []string{"SystemRoot", "SystemDrive", "PATHEXT"} { // programs on Windows need them to start
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
