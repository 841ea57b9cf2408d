package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets"
	"repro/results/records"
)

// A plan says that a cell will be skipped if and only if the run skips it, in the same words, for every method and problem.
func TestSkippedCellsArePlanned(t *testing.T) {
	var methods strings.Builder
	for _, name := range algos.Names() {
		a, err := algos.New(name)
		require.NoError(t, err)
		if algos.TraitsOf(a).Own {
			continue
		}
		fmt.Fprintf(&methods, "[[method]]\nid = %q\nalgorithm = %q\nbudget = { steps = 2 }\n", name, name)
	}
	plain := strings.NewReplacer("surface = 5\n", "", "predictions = true\n", "", "seeds = 2", "seeds = 1", `, "exact-distance"`, "", "reference = \"krr\"\n", "",
		"epochs = 1.5", "steps = 2").Replace(head)
	for _, set := range [][]string{
		{"data.train=150"}, {"problem.loss=huber"}, {"problem.loss={name=\"quantile\",tau=0.5}"}, {"problem.loss=novelty", "evaluate.metrics=[\"test-loss\"]"},
		{"problem.nu=0"}, {"problem.kernel={name=\"dot-product\"}"},
		{"problem.targets=test-kernels", "evaluate.metrics=[\"variance-error\"]", "evaluate.reference=krr"}, {"data.order=file"},
	} {
		t.Run(set[0], func(t *testing.T) {
			s := spec(t, plain+methods.String(), set...)
			out := ran(t, s, Options{Threads: 2})
			e := NewNominalEstimator(datasets.NewLibrary())
			skipped := 0
			for _, c := range s.Expand() {
				expected, err := e.Cell(context.Background(), &c)
				require.NoError(t, err)
				r := record(t, out, s, c.Name)
				if r.Status() != records.Skipped {
					assert.NoError(t, expected.Skipped, c.Name)
					continue
				}
				skipped++
				assert.EqualError(t, expected.Skipped, r.End.Reason, c.Name)
				assert.Zero(t, expected.Seconds)
			}
			assert.Positive(t, skipped)
		})
	}
}
