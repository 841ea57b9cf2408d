package runner

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/experiments"
	"repro/results/printed"
	"repro/runner/programs"
)

// A program is the external method of a cell: a stepper of one iteration, and a Fit with its predictions.
type program struct {
	*programs.Program
	rows int // of training
}

// program prepares an external method, if the run may run programs.
func (x *cellRun) program(ctx context.Context, e *experiments.External) (*program, error) {
	if !x.AllowExternal {
		return nil, programs.NotRun(fmt.Sprintf("runs the program %s on this machine, which needs --allow-external; %s shows its command", e.Command.Train[0], printed.Command("plan")))
	}
	x.eval.metrics = slices.DeleteFunc(x.eval.metrics, func(m *metrics.Metric) bool { return !e.Measures(m) })
	train := x.instance.problem.Train
	p, err := programs.New(ctx, e, x.cell.Method.ID, x.cell.Spec.Dir(), x.threads, x.placeholders(),
		programs.Rows{Train: train, Test: x.instance.data.TestX, Classes: x.instance.classes(), Fitted: x.cell.MeasuresTraining()})
	if err != nil {
		return nil, err
	}
	return &program{p, train.Len()}, nil
}

// placeholders returns the values of the placeholders that are the same on every machine.
func (x *cellRun) placeholders() map[string]string {
	problem := &x.instance.problem
	sigma := x.instance.resolved["sigma"]
	c := 1 / (problem.Nu * float64(problem.Train.Len()))
	if nuN := x.cell.Spec.Problem.NuN; nuN > 0 && x.cell.Method.Nu == nil {
		c = 1 / nuN // without the rounding of ν
	}
	return map[string]string{
		"n":  strconv.Itoa(problem.Train.Len()),
		"nu": exact(problem.Nu), "c": exact(c),
		"sigma": exact(sigma), "gamma": exact(1 / (2 * sigma * sigma)),
		"seed": strconv.FormatUint(x.cell.Seed, 10),
	}
}

// classes returns the number of classes of a multi-class problem, and 0 for any other.
func (i *instance) classes() int {
	if i.data.Task != losses.Multiclass {
		return 0
	}
	_, out := i.problem.Train.Dims()
	return out
}

// advance implements stepper: the program is one iteration.
func (p *program) advance(ctx context.Context, _ *progress, _ int) (m made) {
	m.Iterations = algos.Iterations{Made: 1, Progress: algos.Progress{Seen: p.rows, Done: true}}
	m.seconds, m.Err = p.Run(ctx)
	if ctx.Err() != nil {
		return made{}
	}
	return m
}

// Step implements algos.Fit, Fitter and Model with the predictions of the program, and no steps: advance makes them.
func (p *program) Step() (algos.Progress, error) { return algos.Progress{Done: true}, nil }

func (p *program) State() any                            { return nil }
func (p *program) Model() algos.Model                    { return p }
func (p *program) Predict(compute.Matrix) compute.Matrix { return p.Test }
func (p *program) Fitted() compute.Matrix                { return p.Program.Fitted }
