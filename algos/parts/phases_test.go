package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
)

// unequal are two training rows, with the inputs 0.001 and 1.
type unequal struct{}

func (unequal) Len() int            { return 2 }
func (unequal) Dims() (in, out int) { return 1, 1 }
func (unequal) Gather(rows []int, x, _ compute.Matrix) {
	for i, r := range rows {
		x.Set(i, 0, []float64{0.001, 1}[r])
	}
}

// The median of |ω| is 0.6745/(2πσ) turns: phases are refused where the median of some is beyond what float32 can tell, and not where the
// least or the largest is, at the largest input. Of 64 features the median is within a factor 2 of that of the law, the least and the largest are not.
func TestPhasesAreJudgedByTheirMedian(t *testing.T) {
	p := &algos.Problem{Train: unequal{}, Engine: compute.NewEngine(compute.Options{Precision: compute.Float32})}
	bound := mostPhase * 0x1p24
	for part, refused := range map[float64]bool{0.5: false, 2: true} {
		k := kernels.Gaussian{Sigma: 0.6745 / (2 * math.Pi * part * bound)}
		if err := phasesFit("m", p, k); refused {
			require.ErrorContains(t, err, "m: random features in float32 have phases of", part)
			online := *p
			online.Stream = NewStream(p)
			assert.NoError(t, phasesFit("m", &online, k), "the rows of a stream are not known")
		} else {
			assert.NoError(t, err, part)
		}
	}
}
