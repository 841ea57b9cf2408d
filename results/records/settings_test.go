package records_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// withSettings returns a record with these settings, and the digest of a text.
func withSettings(digest string, settings map[string]any) *records.Record {
	return recordstest.With(recordstest.Record("a", 1, 1), func(r *records.Record) { r.Header.Digest, r.Header.Settings = digest, settings })
}

// The seed, and the cell whose time a budget takes, are no difference; every other setting is one, whichever record has it.
func TestVariedSettings(t *testing.T) {
	of := func(seed, nu float64) map[string]any {
		return map[string]any{"seed": seed, "time_of": seed, "problem": map[string]any{"nu": nu, "loss": "square"}}
	}
	a, seed, nu := withSettings("a", of(1, 0.1)), withSettings("b", of(2, 0.1)), withSettings("c", of(3, 0.2))
	more := of(1, 0.1)
	more["memory"] = 2.0
	assert.True(t, records.Alike(a, seed))
	assert.False(t, records.Alike(a, nu))
	assert.Empty(t, records.VariedSettings([]*records.Record{a, seed}))
	assert.Equal(t, []string{"memory", "problem.nu"}, records.VariedSettings([]*records.Record{a, seed, nu, withSettings("d", more)}))
	assert.Equal(t, []string{"digest"}, records.VariedSettings([]*records.Record{withSettings("a", nil), withSettings("b", nil)}))
	assert.Equal(t, []records.Difference{{"memory", "none", "2"}, {"problem.nu", "0.2", "0.1"}, {"seed", "3", "1"}, {"time_of", "3", "1"}}, records.Differences(of(3, 0.2), more))
}

// Runs of another profile, commit or precision are told, and those of another seed are not.
func TestVariedRuns(t *testing.T) {
	a := recordstest.Record("a", 1, 1)
	assert.Empty(t, records.VariedRuns([]*records.Record{a, recordstest.Record("a", 2, 1)}))
	assert.Empty(t, records.Mixtures([]*records.Record{a, recordstest.Record("a", 2, 1)}))
	for want, change := range map[string]func(h *records.Header){
		"profile":   func(h *records.Header) { h.Profile = "quick" },
		"commit":    func(h *records.Header) { h.Provenance.Dirty = !h.Provenance.Dirty },
		"precision": func(h *records.Header) { h.Provenance.Precision = "float32" },
	} {
		b := recordstest.With(recordstest.Record("a", 2, 1), func(r *records.Record) { change(&r.Header) })
		assert.Equal(t, []string{want}, records.VariedRuns([]*records.Record{a, b}))
		assert.Len(t, records.Mixtures([]*records.Record{a, b}), 1)
	}
}

// A grid's key is that of the method, of the problem or of another table; what these leave out is 0, and a text is no number.
func TestSetting(t *testing.T) {
	h := records.Header{Settings: map[string]any{
		"method": map[string]any{"batch": 8.0, "step": map[string]any{"gamma0": 0.5}, "name": "x"}, "problem": map[string]any{"nu": 0.1, "kernel": map[string]any{"order": 2.0}}, "data": map[string]any{"inputs": 3.0},
	}}
	for key, want := range map[string]float64{"batch": 8, "step.gamma0": 0.5, "nu": 0.1, "problem.nu": 0.1, "kernel.order": 2, "data.inputs": 3, "data.train": 0, "budget.steps": 0} {
		got, err := h.Setting(key)
		require.NoError(t, err, key)
		assert.Equal(t, want, got, key)
	}
	for _, key := range []string{"name", "features"} {
		_, err := h.Setting(key)
		assert.ErrorContains(t, err, "has no number as its setting "+key)
	}
}

// Files of which two records had different contents are named, and of one that a record lacks nothing is known.
func TestContents(t *testing.T) {
	of := func(sums map[string]any) *records.Record {
		return withSettings("a", map[string]any{"nu": 1.0, records.ContentKey: sums})
	}
	a, b, c := of(map[string]any{"x": "1", "y": "1"}), of(map[string]any{"x": "1"}), of(map[string]any{"x": "1", "y": "2", "z": "1"})
	assert.Empty(t, records.MixedContent([]*records.Record{a, b}))
	assert.Equal(t, "ran on different contents of y", records.MixedContent([]*records.Record{b, a, c}))
	assert.Equal(t, []string{"y"}, a.Header.OtherContent(c.Header.Settings))
	assert.Empty(t, b.Header.OtherContent(c.Header.Settings))
	assert.Equal(t, b.Header.Settings, a.Header.WithContent(map[string]any{"x": "1"}))
	assert.Equal(t, map[string]any{"nu": 1.0}, a.Header.WithContent(nil))
	assert.Contains(t, a.Header.Settings, records.ContentKey, "as it was")
}

// A curve reaches a place up to rounding, and one in seconds always: a method that has ended keeps its value.
func TestReaches(t *testing.T) {
	r := recordstest.Record("a", 1, 8, 4, 2) // at steps 1, 2 and 4
	for at, want := range map[records.At]bool{
		{}: true, {X: "step", Value: 4}: true, {X: "step", Value: 4 * (1 + 1e-10)}: true, {X: "step", Value: 4.1}: false, {X: "seconds", Value: 1e9}: true,
	} {
		assert.Equal(t, want, r.Reaches(at), "%+v", at)
	}
}

// Records of a method are chosen by seed, and a listing says how those that match ended.
func TestSelectAndListing(t *testing.T) {
	recs := []*records.Record{recordstest.Record("b", 1, 1), recordstest.Record("a", 2, 1), recordstest.Ended(recordstest.Record("a", 1, 1), records.Skipped)}
	assert.Equal(t, []*records.Record{recs[2], recs[1]}, records.Select(recs, "a"))
	assert.Equal(t, "a seed 1 skipped: because", records.Listing(recs, func(r *records.Record) bool { return r.Status() == records.Skipped }))
	assert.False(t, recs[2].Absent())
	recs[2].Header.Provenance.Source = records.Imported
	assert.True(t, recs[2].Absent())
	recs[1].Header.Provenance.Source = records.Imported
	assert.False(t, recs[1].Absent(), "it has a curve")
}

// Of a program the files of the data stay, and not its code; of imported curves no file; of any other method all.
func TestWithoutCode(t *testing.T) {
	settings := func(algorithm string, files ...string) map[string]any {
		content := map[string]any{}
		for _, f := range files {
			content[f] = "sum of " + f
		}
		s := map[string]any{"algorithm": algorithm, "data": map[string]any{"file": "a.csv", "test_file": "b.csv"}, records.ContentKey: content}
		if len(content) == 0 {
			delete(s, records.ContentKey)
		}
		return s
	}
	whole := settings("external", "a.csv", "b.csv", "run.py")
	assert.Equal(t, settings("external", "a.csv", "b.csv"), records.WithoutCode(whole))
	assert.Len(t, whole[records.ContentKey], 3, "as it was")
	assert.Equal(t, settings(records.Imported), records.WithoutCode(settings(records.Imported, "curves.csv")))
	assert.Equal(t, settings("krr", "a.csv", "c.csv"), records.WithoutCode(settings("krr", "a.csv", "c.csv")))
}
