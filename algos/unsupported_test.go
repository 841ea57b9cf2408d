package algos_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/methods"
)

// A method that draws many of the rows is asked about as many as there are.
func TestUnsupportedAsksAboutEnoughRows(t *testing.T) {
	asked := func(n, landmarks int) error {
		return algos.Unsupported(&methods.Falkon{Landmarks: landmarks, Jitter: 1e-10}, &algos.Problem{
			Train: algos.NoRows{N: n, In: 3, Out: 1}, Kernel: kernels.Gaussian{Sigma: 1}, Loss: losses.Square{}, Nu: 1e-3,
		})
	}
	assert.NoError(t, asked(5000, 2000))
	assert.NoError(t, asked(900, 800))
	assert.ErrorContains(t, asked(5000, 6000), "draws 6000 landmarks from 5000 training rows")
	assert.ErrorContains(t, asked(900, 1000), "draws 1000 landmarks from 900 training rows")
}

// faulty is a method whose Start has a fault before it comes to the rows.
type faulty struct{ methods.KRR }

func (*faulty) Start(*algos.Problem) (algos.Fit, error) { panic("a fault") }

// A fault of Start is not taken for the answer that it solves the problem.
func TestUnsupportedSaysFaults(t *testing.T) {
	p := &algos.Problem{Train: algos.NoRows{N: 10, In: 3, Out: 1}, Kernel: kernels.Gaussian{Sigma: 1}, Loss: losses.Square{}, Nu: 1e-3}
	assert.PanicsWithValue(t, "a fault", func() { _ = algos.Unsupported(&faulty{}, p) })
	assert.NoError(t, algos.Unsupported(&methods.KRR{}, p))
}
