package runner

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"sync/atomic"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/datasets"
	"repro/datasets/transforms"
	"repro/experiments"
	"repro/results/printed"
)

// An instance is the problem of a cell bound to its data. It also holds what evaluation needs and the fit never sees.
type instance struct {
	problem  algos.Problem // without an engine, because each cell has its own
	data     *datasets.Set
	truth    []float64 // noise-free values at the test inputs, nil if unknown
	resolved map[string]float64

	reference func() (compute.Matrix, error) // exact predictions at the test inputs
}

// instances builds instances and caches the latest ones: cells of one seed, kernel and data share one.
type instances struct {
	library *datasets.Library
	stop    *atomic.Bool // stops the engines that compute for an instance

	mu     sync.Mutex
	keys   []string
	latest map[string]func() (*instance, error)
}

func newInstances(l *datasets.Library) *instances {
	return &instances{library: l, latest: map[string]func() (*instance, error){}}
}

// keepInstances bounds how many instances are cached; with generated data each may hold a reference solution.
const keepInstances = 8

// of returns the instance of a cell.
func (p *instances) of(ctx context.Context, c *experiments.Cell) (*instance, error) {
	key := fmt.Sprintf("%p %d %v %v", c.Spec, c.Seed, c.Kernel(), c.Data())
	p.mu.Lock()
	build, ok := p.latest[key]
	if !ok {
		build = sync.OnceValues(func() (*instance, error) { return p.build(ctx, c) })
		p.latest[key] = build
		p.keys = append(p.keys, key)
		if len(p.keys) > keepInstances {
			delete(p.latest, p.keys[0])
			p.keys = p.keys[1:]
		}
	}
	p.mu.Unlock()
	shared, err := build()
	if err != nil || c.Method.Loss == nil && c.Method.Nu == nil {
		return shared, err
	}
	own := *shared
	if c.Method.Loss != nil {
		own.problem.Loss, err = losses.New(*c.Method.Loss)
	}
	if nu := c.Method.Nu; nu != nil {
		own.problem.Nu, own.resolved = *nu, maps.Clone(shared.resolved)
		own.resolved["nu"] = *nu
	}
	return &own, err
}

func (p *instances) build(ctx context.Context, c *experiments.Cell) (*instance, error) {
	s, seed, k, options := c.Spec, c.Seed, c.Kernel(), c.Data()
	if s.Own() {
		return &instance{problem: algos.Problem{Seed: seed}, data: &datasets.Set{Train: algos.NoRows{}}, resolved: map[string]float64{}}, nil
	}
	loss, err := losses.New(s.Problem.Loss)
	if err != nil {
		return nil, err
	}
	data, err := p.library.Open(ctx, options, loss.Task(), seed, filepath.Dir(s.File))
	if err != nil {
		return nil, err
	}
	sigma, err := bandwidth(k.Bandwidth, data.Train, seed)
	if err != nil {
		return nil, err
	}
	kernel, err := kernels.New(k, sigma)
	if err != nil {
		return nil, err
	}
	if err := inDomain(kernel, data); err != nil {
		return nil, err
	}
	if t := s.Problem.Targets; t != "" {
		data = gaussianProcess(data, kernel, t == experiments.MeanVariance, p.stop)
	}
	n := data.Train.Len()
	in, out := data.Train.Dims()
	nu := nuOf(s.Problem, n)
	bound := &instance{
		problem: algos.Problem{Train: data.Train, FileOrder: options.Order == "file", Kernel: kernel, Loss: loss, Nu: nu, Seed: seed},
		data:    data,
		resolved: map[string]float64{"train": float64(n), "test": float64(data.TestX.Rows), "inputs": float64(in),
			"outputs": float64(out), "nu": nu},
	}
	if kernels.HasBandwidth(k.Name) {
		bound.resolved["sigma"] = sigma
	}
	if data.Truth != nil {
		for i := range data.TestX.Rows {
			bound.truth = append(bound.truth, data.Truth(data.TestX.Row(i)))
		}
	}
	bound.reference = sync.OnceValues(func() (compute.Matrix, error) { return bound.solve(s.Evaluate.Reference, p.stop) })
	return bound, nil
}

// nuOf returns ν of a problem with n training rows.
func nuOf(p experiments.Problem, n int) float64 {
	if p.NuN > 0 {
		return p.NuN / float64(n)
	}
	return p.Nu
}

// bandwidth returns σ: the value in the spec, or what the spec's rule gives on the training rows.
func bandwidth(b kernels.Bandwidth, train datasets.Samples, seed uint64) (float64, error) {
	if b.Rule == "" {
		return b.Value, nil
	}
	return b.OfMedian(transforms.MedianDistance(train, b.Sample, seed))
}

// maxReference bounds the memory of a reference solution, which is quadratic in the rows.
const maxReference = 4 << 30

// solve runs the reference solver to its end and returns its predictions at the test inputs.
func (i *instance) solve(algorithm string, stop *atomic.Bool) (compute.Matrix, error) {
	a, err := algos.New(algorithm)
	if err != nil {
		return compute.Matrix{}, err
	}
	in, out := i.problem.Train.Dims()
	if c, ok := a.(algos.Coster); ok {
		size := algos.Size{N: i.problem.Train.Len(), In: in, Out: out, Steps: 1, Evals: 1}
		if need := c.Cost(size).Bytes; need > maxReference {
			return compute.Matrix{}, fmt.Errorf("evaluate.reference: %s on %d rows needs %s GB of memory; use fewer rows, or leave out reference and the metrics that need it", algorithm, size.N, printed.Number(need/1e9))
		}
	}
	p := i.problem
	p.Engine = compute.NewEngine(compute.Options{Stop: stop})
	defer p.Engine.Retire()
	if err := algos.Check(&p); err != nil {
		return compute.Matrix{}, fmt.Errorf("reference: %w", err)
	}
	fit, err := a.Start(&p)
	defer algos.Close(fit)
	for done := false; err == nil && !done; {
		var progress algos.Progress
		progress, err = fit.Step()
		done = progress.Done
	}
	if err != nil {
		return compute.Matrix{}, fmt.Errorf("reference: %w", err)
	}
	u := fit.Model().Predict(i.data.TestX)
	return u, algos.Err(fit)
}

// size returns the size of the problem that the cost of a fit depends on.
func (i *instance) size() algos.Size {
	in, out := i.data.Train.Dims()
	return algos.Size{N: i.data.Train.Len(), In: in, Out: out}
}

// domainRows is the number of training rows that are checked at a time.
const domainRows = 1024

// inDomain returns an error that names the first input for which the kernel is not defined, if there is one. It reads the
// data only for kernels that are not defined everywhere.
func inDomain(k kernels.Kernel, d *datasets.Set) error {
	if _, ok := k.(kernels.Restricted); !ok {
		return nil
	}
	n := d.Train.Len()
	for lo := 0; lo < n; lo += domainRows {
		x, _ := algos.Between(d.Train, lo, min(lo+domainRows, n))
		if err := rowsInDomain(k, d.Name, "training", x, lo); err != nil {
			return err
		}
	}
	return rowsInDomain(k, d.Name, "test", d.TestX, 0)
}

// rowsInDomain checks the rows of x. Its first row is row number first, from 0, of a part of the data set.
func rowsInDomain(k kernels.Kernel, data, part string, x compute.Matrix, first int) error {
	for i := range x.Rows {
		switch l, need := kernels.Outside(k, x.Row(i)); {
		case need == "":
		case l < 0:
			return fmt.Errorf("kernel %s: data set %s, %s row %d: the inputs must be %s; choose another kernel or leave out the row",
				k.Name(), data, part, first+i+1, need)
		default:
			return fmt.Errorf("kernel %s: data set %s, %s row %d, input %d: %v, which must be %s; choose another kernel or other data.scale",
				k.Name(), data, part, first+i+1, l+1, x.At(i, l), need)
		}
	}
	return nil
}
