package methods

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/datasets"
	"repro/datasets/transforms"
)

// adult is the problem of the first n rows of a9a with dai2014's kernel (§7.3) and ν = 30/n, or skips
// the test with the reason why the data is not here.
func adult(t *testing.T, n int, l losses.Loss) *algos.Problem {
	t.Helper()
	library, o := datasets.NewLibrary(), datasets.Options{Name: "a9a", Train: n}
	if ok, why := library.Ready(o, ""); !ok {
		t.Skipf("%s; or set REPRO_DATA to a folder that holds it", why)
	}
	set, err := library.Open(context.Background(), o, losses.Binary, 0, "")
	require.NoError(t, err)
	return &algos.Problem{
		Train:  set.Train,
		Kernel: kernels.Gaussian{Sigma: transforms.MedianDistance(set.Train, 1000, 0)},
		Loss:   l,
		Nu:     30 / float64(n),
		Seed:   1,
		Engine: compute.NewEngine(compute.Options{}),
	}
}

// TestKSDCAOnAdult: P comes within 1e-6 of its minimum, which krr and ksvm know.
func TestKSDCAOnAdult(t *testing.T) {
	if testing.Short() {
		t.Skip("-short fits generated data alone")
	}
	const n = 1000
	p := adult(t, n, losses.Square{})
	exact := algostest.Start(t, &KRR{}, p)
	algostest.Steps(t, exact, 1)
	mustMatchObjective(t, p, exact.(*krr).Alpha, algostest.Start(t, &KSDCA{SDCASettings{Batch: 100}}, p), 100, 1e-6)

	p = adult(t, n, losses.Hinge{})
	svm := algostest.Start(t, &KSVM{Gap: 1e-10}, p).(*ksvm)
	algostest.Steps(t, svm, 1)
	mustMatchObjective(t, p, svm.every(), algostest.Start(t, &KSDCA{SDCASettings{Batch: 100}}, p), 100, 1e-6)
}

// every returns the coefficients of all training rows.
func (f *ksvm) every() []float64 {
	out := f.y.Cols
	all := make([]float64, f.y.Rows*out)
	for i, row := range f.Rows {
		copy(all[row*out:], f.Alpha[i*out:][:out])
	}
	return all
}
