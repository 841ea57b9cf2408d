package algos

import (
	"errors"

	"repro/algos/compute"
)

// Train fits a to p in memory and returns the predictor. It makes at most the given number of steps, fewer if the method
// is done. If p has no engine, Train uses one in float64 on all processors; it does not change p. An error of Start means
// that the method does not solve p, an error of a step that the fit diverged or cannot be computed.
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
