package algos

import (
	"errors"

	"repro/algos/compute"
)

// Train fits a to p in memory: it makes at most the given number of steps, fewer if the method is done before, and
// returns the predictor. Without an engine in p it works with one of its own, in float64 on all processors; p stays as
// it is. The error of a step says that the fit diverged or cannot be computed; that of Start, that the method does not
// solve p.
func Train(p *Problem, a Algorithm, steps int) (Model, error) {
	if p.Train == nil || p.Kernel == nil || p.Loss == nil {
		return nil, errors.New("algos: Train: the problem needs training samples, a kernel and a loss")
	}
	if p.Engine == nil {
		with := *p
		with.Engine = compute.NewEngine(compute.Options{})
		p = &with
	}
	f, err := a.Start(p)
	if err != nil {
		return nil, err
	}
	for range steps {
		progress, err := f.Step()
		if err != nil {
			return nil, err
		}
		if progress.Done {
			break
		}
	}
	return f.Model(), nil
}
