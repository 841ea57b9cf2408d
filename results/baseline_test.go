package results

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	base := func() *Record { return record("a", 1, 8, 4, 2) }
	tests := []struct {
		name   string
		got    *Record
		want   DriftState
		reason string
	}{
		{"same", base(), Same, "identical values"},
		{"other seconds", with(base(), func(r *Record) { r.Points[1].Timing.Train = 7 }), Same, ""},
		{"close", record("a", 1, 8, 4*(1+1e-7), 2), Close, "differs by at most 1e-7, tolerance 1e-6"},
		{"drifted", record("a", 1, 8, 4.4, 2.02), Drifted, "error at step 2 is 4.4, the baseline 4: differs by 0.09091"},
		{"diverged there", record("a", 1, 8, 4, math.NaN()), Drifted, "error at step 4 is not finite, the baseline 2"},
		{"ended differently", ended(base(), Diverged), Drifted, "ended as diverged: because, the baseline as budget: 1 epoch"},
		{"fewer points", record("a", 1, 8, 4), Drifted, "has 2 evaluations, the baseline 3"},
		{"other steps", with(base(), func(r *Record) { r.Points[2].Step = 5 }), Drifted, "evaluates at step 5, the baseline at 4"},
		{"other metrics", with(base(), func(r *Record) { r.Points[0].Values = nil }), Drifted, "does not measure error at step 1"},
		{"missing", nil, Missing, "no record"},
		{"another profile", with(base(), func(r *Record) { r.Header.Profile = "quick" }), Missing, "at this profile"},
		{"partial", ended(base(), Partial), Missing, "interrupted"},
		{"no data here", ended(base(), Skipped), Missing, "it was skipped: because"},
		{"settings", with(base(), func(r *Record) { r.Header.Digest = "x"; r.Header.Settings = map[string]any{"nu": 1.0} }), SettingsDiffer, "settings differ in nu"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := &Store{Records: []*Record{record("b", 1, 1)}}
			if test.got != nil {
				got.Records = append(got.Records, test.got)
			}
			drifts := Compare(&Store{Records: []*Record{base()}}, got, 1e-6)
			require.Len(t, drifts, 1)
			assert.Equal(t, test.want, drifts[0].State, drifts[0].Reason)
			assert.Contains(t, drifts[0].Reason, test.reason)
		})
	}
}

func TestCompareNamesTheWorstDifference(t *testing.T) {
	d := Compare(&Store{Records: []*Record{record("a", 1, 8, 4, 2)}}, &Store{Records: []*Record{record("a", 1, 8, 5, 2.1)}}, 0)[0]
	assert.Equal(t, "error", d.Metric)
	assert.Equal(t, 2, d.Step)
	assert.Equal(t, 4.0, *d.Base)
	assert.Equal(t, 5.0, *d.Got)
	assert.InDelta(t, 0.2, *d.Difference, 1e-15)
}

func TestCompareLeavesBudgetsInSecondsAlone(t *testing.T) {
	exempt := with(record("a", 1, 8, 4), func(r *Record) { r.Header.Provenance.Exempt = "a budget in seconds" })
	d := Compare(&Store{Records: []*Record{exempt}}, &Store{Records: []*Record{record("a", 1, 8)}}, 0)[0]
	assert.Equal(t, NotReproducible, d.State)
	assert.Equal(t, "a budget in seconds", d.Reason)
}

func TestCompareBothDivergedAtTheSamePlaceIsTheSame(t *testing.T) {
	gone := func() *Record { return ended(record("a", 1, 8, math.NaN(), 0), Diverged) }
	assert.Equal(t, Same, Compare(&Store{Records: []*Record{gone()}}, &Store{Records: []*Record{gone()}}, 0)[0].State)
}
