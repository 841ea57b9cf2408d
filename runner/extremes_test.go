package runner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/datasets/memorytest"
	"repro/experiments"
	"repro/experiments/catalog"
)

// numericKeys visits the paths of the numbers in settings, as --set takes them.
func numericKeys(settings map[string]any, path string, visit func(path string, integer bool)) {
	for k, v := range settings {
		switch v := v.(type) {
		case map[string]any:
			numericKeys(v, path+k+".", visit)
		case int, int64, uint64:
			visit(path+k, true)
		case float64:
			visit(path+k, false)
		}
	}
}

// Whatever number of a spec is as large as its ceiling allows: the loader refuses it, or the plan has finite costs that are
// not negative, and making it takes little memory.
func TestPlansOfLargeNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a plan for each of 400 edits")
	}
	entries, err := catalog.Entries()
	require.NoError(t, err)
	e, seen, tried, refused := NewNominalEstimator(&datasets.Library{}), map[string]bool{}, 0, 0
	for _, entry := range entries {
		load := func(edits ...string) (*experiments.Spec, error) {
			return catalog.Load(catalog.Ref{ID: entry.ID}, experiments.LoadOptions{Profile: "smoke", Set: edits})
		}
		s, err := load()
		require.NoError(t, err)
		cells := s.Expand()
		if !slices.ContainsFunc(cells, func(c experiments.Cell) bool { return !seen[c.Method.Algorithm] }) {
			continue
		}
		integers := map[string]bool{"repeat.seeds": true, "repeat.first": true, "memory": false} // by path
		add := func(path string, integer bool) { integers[path] = integer }
		for _, c := range cells {
			if seen[c.Method.Algorithm] || c.Method.Group != "" {
				continue
			}
			seen[c.Method.Algorithm] = true
			method := c.Settings["method"].(map[string]any)
			numericKeys(method, "method."+c.Method.ID+".", add)
		}
		for _, k := range []string{"data", "problem", "budget", "evaluate"} {
			numericKeys(map[string]any{k: cells[0].Settings[k]}, "", add)
		}
		for _, p := range slices.Sorted(maps.Keys(integers)) {
			values := []string{"1e100", "1e9", "1e6"}
			if integers[p] {
				values = []string{"1000000000000000", "2147483647", "20000", "2000"}
			}
			for _, v := range values {
				edit := p + "=" + v
				s, err := load(edit)
				tried++
				if err != nil {
					refused++
					continue
				}
				cells := s.Expand()
				for i := range cells[:min(len(cells), len(s.Methods))] {
					c := &cells[i]
					var got Estimate
					var err error
					took := memorytest.Bytes(func() { got, err = e.Cell(context.Background(), c) })
					what := fmt.Sprintf("%s %s --set %s", entry.ID, c.Name, edit)
					if err != nil {
						continue
					}
					for _, x := range []float64{got.Seconds, got.Bytes, float64(got.Steps)} {
						assert.True(t, x >= -1 && !math.IsInf(x, 0), "%s: %+v", what, got)
					}
					assert.Less(t, took, uint64(1<<29), what)
				}
				break // the largest of its kind that the loader takes
			}
		}
	}
	t.Logf("%d edits, %d refused", tried, refused)
}
