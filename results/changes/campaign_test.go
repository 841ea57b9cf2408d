package changes

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/claims"
	"repro/results/records"
	"repro/runner"
)

var trials = flag.Int("trials", 59, "trials of TestFalseAlarmsOfAllLayers: 59 without an alarm show that fewer than 5 % are false")

// numberOf tells the number of a change from those of other claims.
func numberOf(c Change) string { return c.Experiment + " " + c.Claim + " " + c.Rival }

// apart is how far fresh seeds are from those of the profile: no accepted seed is among them.
const apart = 10_000

// A fresh is an experiment at profile ci with the records of fresh seeds.
type fresh struct {
	exp   claims.Experiment // without planned cells
	first uint64            // seed
	seeds int               // of the profile
	recs  []*records.Record
}

// fresher runs experiments with fresh seeds, as many times those of the profile as it is told, with more edits if there are any.
// Specs that edits leaves as they are do not run.
func fresher(t *testing.T, refs []catalog.Ref, set []string, times int, edits func(*experiments.Spec) []string) []fresh {
	var all []fresh
	for _, ref := range refs {
		asked, err := catalog.Load(ref, experiments.LoadOptions{Profile: experiments.CI, Set: set})
		require.NoError(t, err)
		options := experiments.LoadOptions{Profile: experiments.CI, Seeds: times * asked.Repeat.Seeds, Set: append(slices.Clone(set), fmt.Sprintf("repeat.first=%d", asked.Repeat.First+apart))}
		if edits != nil {
			more := edits(asked)
			if len(more) == 0 {
				continue
			}
			options.Set = append(options.Set, more...)
		}
		spec, err := catalog.Load(ref, options)
		require.NoError(t, err)
		out := t.TempDir()
		_, err = runner.Run(t.Context(), spec.Expand(), runner.Options{Out: out, Library: datasets.NewLibrary()})
		require.NoError(t, err)
		store, err := records.Open(out)
		require.NoError(t, err)
		f := fresh{exp: spec.Experiment(), first: spec.Repeat.First, seeds: asked.Repeat.Seeds, recs: store.Records}
		f.exp.Expected = nil
		all = append(all, f)
	}
	return all
}

// block returns the records of the k-th block of seeds, as many times those of the profile as it is told, as copies whose seeds
// are those of the first block.
func (f fresh) block(k, times int) []*records.Record {
	var all []*records.Record
	n := uint64(times * f.seeds)
	from := f.first + uint64(k)*n
	for _, r := range f.recs {
		if s := r.Header.Seed; s >= from && s < from+n {
			c := *r
			c.Header.Seed = f.first + (s - from)
			c.Header.Cell = fmt.Sprintf("%s-seed%d", c.Header.Method, c.Header.Seed)
			all = append(all, &c)
		}
	}
	return all
}

// stepTimes returns a step size of a method's settings, a number or the table of a schedule, times a factor; ok is false if it is none.
func stepTimes(by float64, step any) (value string, ok bool) {
	switch s := step.(type) {
	case float64:
		return asTOML(by * s), s > 0
	case map[string]any:
		t := maps.Clone(s)
		for _, k := range []string{"gamma0", "theta"} {
			if v, ok := t[k].(float64); ok {
				t[k] = by * v
				return inlineTable(t), true
			}
		}
	}
	return "", false
}

func asTOML(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// inlineTable writes settings as an inline table of TOML.
func inlineTable(t map[string]any) string {
	s := "{"
	for i, k := range slices.Sorted(maps.Keys(t)) {
		if i > 0 {
			s += ","
		}
		if text, ok := t[k].(string); ok {
			s += fmt.Sprintf(" %s = %q", k, text)
		} else {
			s += fmt.Sprintf(" %s = %s", k, asTOML(t[k].(float64)))
		}
	}
	return s + " }"
}

// stepEdits returns the edits of a spec that multiply the step sizes of all its methods, as a mistake in the code would.
func stepEdits(s *experiments.Spec, by float64) []string {
	var edits []string
	done := map[string]bool{}
	for _, c := range s.Expand() {
		id := c.Method.ID
		method, _ := c.Settings["method"].(map[string]any)
		if c.Method.Group != "" || done[id] {
			continue
		}
		done[id] = true
		for _, key := range []string{"step", "eta"} {
			if value, ok := stepTimes(by, method[key]); ok {
				edits = append(edits, fmt.Sprintf("method.%s.%s=%s", strconv.Quote(id), key, value))
			}
		}
	}
	return edits
}
