package parts

import (
	"fmt"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// LearnsThreshold says whether the loss has a threshold τ, which a method must learn together with f.
func LearnsThreshold(p *algos.Problem) bool { return p.Loss == losses.Novelty{} }

// NoThreshold returns an error that wraps algos.ErrUnsupported if the loss has a threshold. The named method does not
// learn one.
func NoThreshold(method string, p *algos.Problem) error {
	if LearnsThreshold(p) {
		return fmt.Errorf("%w: %s learns no threshold, which the loss %s needs", algos.ErrUnsupported, method, p.Loss.Name())
	}
	return nil
}

// Featured returns the kernel of a problem with its random features, for the named method. If the kernel has none, the
// error wraps algos.ErrUnsupported.
func Featured(method string, p *algos.Problem) (kernels.Featured, error) {
	k, ok := p.Kernel.(kernels.Featured)
	if !ok {
		return nil, fmt.Errorf("%w: %s needs a kernel with random features, not %s", algos.ErrUnsupported, method, p.Kernel.Name())
	}
	return k, nil
}
