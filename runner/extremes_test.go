package runner

import (
	"context"
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
// not negative, and making it takes little memory. Every method has its numbers tried, on every shape of problem those of the whole spec,
// and those of every data set of the catalog.
func TestPlansOfLargeNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a plan for each of 400 edits")
	}
	e, seen, tried, refused := NewNominalEstimator(&datasets.Library{}), map[string]bool{}, 0, 0
	try := func(what string, load func(edit string) (*experiments.Spec, error), integers map[string]bool) {
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
					var got Estimate
					var err error
					took := memorytest.Bytes(func() { got, err = e.Cell(context.Background(), &cells[i]) })
					if err != nil {
						continue
					}
					for _, x := range []float64{got.Seconds, got.Bytes, float64(got.Steps)} {
						assert.True(t, x >= -1 && !math.IsInf(x, 0), "%s, %s --set %s: %+v", what, cells[i].Name, edit, got)
					}
					assert.Less(t, took, uint64(1<<29), "%s, %s --set %s", what, cells[i].Name, edit)
				}
				break // the largest of its kind that the loader takes
			}
		}
	}
	for name, problems := range heavy {
		text := weighedSpec(name, problems[0])
		c := spec(t, text).Expand()[0]
		integers := map[string]bool{} // by path
		add := func(path string, integer bool) { integers[path] = integer }
		numericKeys(c.Settings["method"].(map[string]any), "method.m.", add)
		if problem := c.Data().Name + c.Loss().Name; !seen[problem] {
			seen[problem], integers["repeat.seeds"], integers["repeat.first"], integers["memory"] = true, true, true, false
			for _, k := range []string{"data", "problem", "budget", "evaluate"} {
				numericKeys(map[string]any{k: c.Settings[k]}, "", add)
			}
		}
		try(name, func(edit string) (*experiments.Spec, error) { return load(t, text, edit) }, integers)
	}
	entries, err := catalog.Entries()
	require.NoError(t, err)
	for _, entry := range entries {
		load := func(edits ...string) (*experiments.Spec, error) {
			return catalog.Load(catalog.Ref{ID: entry.ID}, experiments.LoadOptions{Profile: "smoke", Set: edits})
		}
		s, err := load()
		require.NoError(t, err)
		if seen[s.Data.Name] {
			continue
		}
		seen[s.Data.Name] = true
		integers := map[string]bool{}
		numericKeys(map[string]any{"data": s.Expand()[0].Settings["data"]}, "", func(path string, integer bool) { integers[path] = integer })
		try(entry.ID, func(edit string) (*experiments.Spec, error) { return load(edit) }, integers)
	}
	t.Logf("%d edits, %d refused", tried, refused)
}
