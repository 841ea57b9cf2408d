package runner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"sync"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/datasets"
	"repro/datasets/transforms"
	"repro/experiments"
	"repro/results/printed"
)

// An instance is the problem of a cell bound to its data, with what evaluation needs and the fit never sees.
type instance struct {
	problem  algos.Problem // without an engine: each cell has its own
	data     *datasets.Set
	truth    []float64 // noise-free values at the test inputs, nil if unknown
	resolved map[string]float64

	reference func() (compute.Matrix, error) // exact predictions at the test inputs
}

// instances builds instances and caches the latest ones: cells of one seed, kernel and data share one.
type instances struct {
	library *datasets.Library

	mu   sync.Mutex
	keys []string
	kept map[string]func() (*instance, error)
}

func newInstances(l *datasets.Library) *instances {
	return &instances{library: l, kept: map[string]func() (*instance, error){}}
}

// keepInstances bounds how many instances are cached; with generated data each may hold a reference solution.
const keepInstances = 8

// of returns the instance of a cell.
func (p *instances) of(ctx context.Context, c *experiments.Cell) (*instance, error) {
	key := fmt.Sprintf("%p %d %v %v", c.Spec, c.Seed, c.Kernel(), c.Data())
	p.mu.Lock()
	make, ok := p.kept[key]
	if !ok {
		make = sync.OnceValues(func() (*instance, error) { return p.build(ctx, c) })
		p.kept[key] = make
		p.keys = append(p.keys, key)
		if len(p.keys) > keepInstances {
			delete(p.kept, p.keys[0])
			p.keys = p.keys[1:]
		}
	}
	p.mu.Unlock()
	s, err := make()
	if err != nil || c.Method.Loss == nil && c.Method.Nu == nil {
		return s, err
	}
	own := *s
	if c.Method.Loss != nil {
		own.problem.Loss, err = losses.New(*c.Method.Loss)
	}
	if nu := c.Method.Nu; nu != nil {
		own.problem.Nu, own.resolved = *nu, maps.Clone(s.resolved)
		own.resolved["nu"] = *nu
	}
	return &own, err
}

func (p *instances) build(ctx context.Context, c *experiments.Cell) (*instance, error) {
	s, seed, k, options := c.Spec, c.Seed, c.Kernel(), c.Data()
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
		data = gaussianProcess(data, kernel, t == experiments.MeanVariance)
	}
	n := data.Train.Len()
	in, out := data.Train.Dims()
	nu := s.Problem.Nu
	if s.Problem.NuN > 0 {
		nu = s.Problem.NuN / float64(n)
	}
	set := &instance{
		problem: algos.Problem{Train: data.Train, FileOrder: options.Order == "file", Kernel: kernel, Loss: loss, Nu: nu, Seed: seed},
		data:    data,
		resolved: map[string]float64{"train": float64(n), "test": float64(data.TestX.Rows), "inputs": float64(in),
			"outputs": float64(out), "nu": nu},
	}
	if kernels.HasBandwidth(k.Name) {
		set.resolved["sigma"] = sigma
	}
	if data.Truth != nil {
		for i := range data.TestX.Rows {
			set.truth = append(set.truth, data.Truth(data.TestX.Row(i)))
		}
	}
	set.reference = sync.OnceValues(func() (compute.Matrix, error) { return set.solve(s.Evaluate.Reference) })
	return set, nil
}

// bandwidth finds σ by the spec's rule.
func bandwidth(b kernels.Bandwidth, train datasets.Samples, seed uint64) (float64, error) {
	if b.Rule == "" {
		return b.Value, nil
	}
	return b.OfMedian(transforms.MedianDistance(train, b.Sample, seed))
}

// maxReference bounds the memory of a reference solution, which is quadratic in the rows.
const maxReference = 4 << 30

// solve runs the reference solver to its end and predicts at the test inputs.
func (s *instance) solve(algorithm string) (compute.Matrix, error) {
	a, err := algos.New(algorithm)
	if err != nil {
		return compute.Matrix{}, err
	}
	in, out := s.problem.Train.Dims()
	if c, ok := a.(algos.Coster); ok {
		size := algos.Size{N: s.problem.Train.Len(), In: in, Out: out, Steps: 1, Evals: 1}
		if need := c.Cost(size).Bytes; need > maxReference {
			return compute.Matrix{}, fmt.Errorf("evaluate.reference: %s on %d rows needs %s GB; use fewer rows or leave reference and the metrics that need it out", algorithm, size.N, printed.Number(need/1e9))
		}
	}
	p := s.problem
	p.Engine = compute.NewEngine(compute.Options{})
	fit, err := a.Start(&p)
	for done := false; err == nil && !done; {
		var progress algos.Progress
		progress, err = fit.Step()
		done = progress.Done
	}
	if err != nil {
		return compute.Matrix{}, fmt.Errorf("reference: %w", err)
	}
	return fit.Model().Predict(s.data.TestX), nil
}

// stepsOf turns a budget into iterations: the fewest that its epochs and steps allow, 0 if neither
// limits them.
func stepsOf(b experiments.Budget, s algos.Size, a algos.Algorithm) int {
	total := math.MaxInt
	if b.Steps > 0 {
		total = b.Steps
	}
	if batcher, ok := a.(algos.Batcher); ok && b.Epochs > 0 {
		n, size := s.N, algos.BatchOf(batcher, s)
		whole := math.Floor(b.Epochs)
		rest := math.Ceil(math.Round((b.Epochs-whole)*float64(n)*1e6) / 1e6)
		steps := int(whole)*ceilDiv(n, size) + ceilDiv(int(rest), size)
		total = min(total, max(steps, 1))
	}
	if total == math.MaxInt {
		return 0
	}
	return total
}

// size returns the size of the problem that a fit depends on.
func (s *instance) size() algos.Size {
	in, out := s.problem.Train.Dims()
	return algos.Size{N: s.problem.Train.Len(), In: in, Out: out}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
