package methods

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

// online is what the settings of all online methods have in common: a step is one example.
type online struct{}

func (online) Online()        {}
func (online) BatchSize() int { return 1 }

// onlineRidge returns λ = ν·n of a problem that an online method of ridge regression solves.
func onlineRidge(method string, p *algos.Problem) (lambda float64, err error) {
	switch {
	case p.Loss != (losses.Square{}):
		return 0, fmt.Errorf("%w: %s needs the square loss, not %s", algos.ErrUnsupported, method, p.Loss.Name())
	case p.Nu <= 0:
		return 0, fmt.Errorf("%w: %s needs ν > 0", algos.ErrUnsupported, method)
	}
	return p.Nu * float64(p.Train.Len()), nil
}

// A forecaster is the Model of an online fit: forecast writes the prediction for a row.
type forecaster struct {
	out      int
	forecast func(u, x []float64)
}

func (f forecaster) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.out)
	for i := range x.Rows {
		f.forecast(u.Row(i), x.Row(i))
	}
	return u
}
