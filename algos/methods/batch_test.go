package methods

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
)

// A batch larger than the training set is the training set: a short batch is divided by the number of its own rows.
func TestBatchLargerThanTheTrainingSet(t *testing.T) {
	fit := func(t *testing.T, name string, batch int) algos.Fit {
		a := configured(t, name, map[string]any{"batch": batch, "features": 16, "directions": 5, "block": 4})
		for _, l := range []losses.Loss{losses.Square{}, losses.Hinge{}} {
			f, _, err := algostest.StartAny(a, algostest.Problem(lawPoints, l))
			if !errors.Is(err, algos.ErrUnsupported) {
				require.NoError(t, err)
				return f
			}
		}
		t.Skip("the method solves neither problem")
		return nil
	}
	for _, name := range algos.Names() {
		a, err := algos.New(name)
		require.NoError(t, err)
		if !algos.TraitsOf(a).Batches() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole, beyond := fit(t, name, lawPoints), fit(t, name, lawPoints+40)
			algostest.Steps(t, whole, 3)
			algostest.Steps(t, beyond, 3)
			x := algostest.Queries(3)
			require.Equal(t, whole.Model().Predict(x), beyond.Model().Predict(x))
		})
	}
}
