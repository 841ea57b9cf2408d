package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// Cells share instances of problems, stored kernel matrices and teams. These differ in one thing from their neighbours, and each has
// the record that it has alone: the key of what is shared leaves nothing out.
func TestCellsHaveTheRecordsThatTheyHaveAlone(t *testing.T) {
	fixed := strings.NewReplacer(`, "exact-distance"`, "", `{ rule = "median", scale = 0.2 }`, "0.15").Replace(head)
	s := spec(t, fixed+`
[[method]]
id = "gd-{id}"
algorithm = "gd"
budget = { steps = 9 }
each = [
  { id = "plain" },
  { id = "again" },
  { id = "narrow", kernel = { name = "gaussian", bandwidth = 0.1 } },
  { id = "wide", kernel = { name = "gaussian", bandwidth = 0.2 } },
  { id = "other-kernel", kernel = { name = "laplace", bandwidth = 0.2 } },
  { id = "fewer", data = { train = 300 } },
  { id = "ridge", nu = 1e-2 },
  { id = "huber", loss = { name = "huber", delta = 0.1 } },
]
[[method]]
id = "exact"
algorithm = "krr"
`)
	run := func(cells ...experiments.Cell) map[string]string {
		out, all := t.TempDir(), map[string]string{}
		_, err := Run(context.Background(), cells, Options{Out: out, Threads: 1, Library: datasets.NewLibrary()})
		require.NoError(t, err)
		for _, c := range cells {
			b, err := recordstest.Canonical(records.Path(out, c.Experiment, c.Name))
			require.NoError(t, err)
			all[c.Name] = string(b)
		}
		return all
	}
	cells := s.Expand()
	together := run(cells...)
	for _, c := range cells {
		assert.Equal(t, run(c)[c.Name], together[c.Name])
	}
}
