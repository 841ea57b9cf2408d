package methods

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// TestMethodsSeeTheSameExamples compares what different methods asked for with one seed and batch size.
func TestMethodsSeeTheSameExamples(t *testing.T) {
	const n, batch, epochs = 23, 5, 2
	var want [][]int
	order := parts.NewOrder(algostest.Problem(n, losses.Square{}))
	for seen := 0; seen < epochs*n; seen += len(want[len(want)-1]) {
		want = append(want, slices.Clone(order.Rows(int64(seen), batch)))
	}
	step := &schedules.Constant{Gamma0: 0.1}
	for name, a := range map[string]algos.Algorithm{
		"dsg":       &DSG{DSGSettings: DSGSettings{Batch: batch, Block: 3, Step: step}},
		"r-pegasos": &RPegasos{PegasosSettings{Batch: batch, Features: 3, Step: step}},
		"n-pegasos": &NPegasos{PegasosSettings: PegasosSettings{Batch: batch, Features: 3, Step: step}, NystromSettings: parts.UsualNystrom()},
		"r-sdca":    &RSDCA{SDCASettings{Batch: batch}, 3},
		"n-sdca":    &NSDCA{SDCASettings{Batch: batch}, 3, parts.UsualNystrom()},
		"r-sbmd":    &RSBMD{SBMDSettings{Batch: batch, Features: 3, Blocks: 3}},
		"n-sbmd":    &NSBMD{SBMDSettings{Batch: batch, Features: 3, Blocks: 3}, parts.UsualNystrom()},
	} {
		p := algostest.Problem(n, losses.Square{})
		f := algostest.Start(t, a, p)
		p.Train.(*algostest.Samples).Gathered = nil
		algostest.Steps(t, f, len(want))
		assert.Equal(t, want, p.Train.(*algostest.Samples).Gathered, name)
	}
	// NORMA and k-SDCA ask for their centres as well; with the square loss they are the examples themselves.
	k := algostest.Start(t, &KSDCA{SDCASettings{Batch: batch}}, algostest.Problem(n, losses.Square{})).(*ksdca)
	algostest.Steps(t, k, len(want)/epochs)
	assert.Equal(t, slices.Concat(want[:len(want)/epochs]...), k.Rows)
	f := algostest.Start(t, &NORMA{Batch: batch, Step: step}, algostest.Problem(n, losses.Square{})).(*norma)
	algostest.Steps(t, f, len(want))
	assert.Equal(t, slices.Concat(want...), f.Rows)
}
