package records_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestCompare(t *testing.T) {
	base := func() *records.Record { return recordstest.Record("a", 1, 8, 4, 2) }
	tests := []struct {
		name   string
		got    *records.Record
		want   records.Match
		reason string
	}{
		{"same", base(), records.Same, "identical values"},
		{"other seconds", recordstest.With(base(), func(r *records.Record) { r.Points[1].Timing.Train = 7 }), records.Same, ""},
		{"within the tolerance", recordstest.Record("a", 1, 8, 4*(1+1e-7), 2), records.Same, "differs by at most 1e-7, tolerance 1e-6"},
		{"beyond it", recordstest.Record("a", 1, 8, 4.4, 2.02), records.Worse, "error at step 2 is 4.4, the baseline 4: differs by 0.09091"},
		{"diverged there", recordstest.Record("a", 1, 8, 4, math.NaN()), records.Worse, "error at step 4 is not finite, the baseline 2"},
		{"ended differently", recordstest.Ended(base(), records.Diverged), records.Worse, "ended as diverged: because, the baseline as budget: 1 epoch"},
		{"fewer points", recordstest.Record("a", 1, 8, 4), records.Worse, "has 2 evaluations, the baseline 3"},
		{"other steps", recordstest.With(base(), func(r *records.Record) { r.Points[2].Step = 5 }), records.Worse, "evaluates at step 5, the baseline at 4"},
		{"other metrics", recordstest.With(base(), func(r *records.Record) { r.Points[0].Values = nil }), records.Worse, "does not measure error at step 1"},
		{"missing", nil, records.NotComparable, "no record"},
		{"another profile", recordstest.With(base(), func(r *records.Record) { r.Header.Profile = "quick" }), records.NotComparable, "at this profile"},
		{"partial", recordstest.Ended(base(), records.Partial), records.NotComparable, "interrupted"},
		{"no data here", recordstest.Ended(base(), records.Skipped), records.NotComparable, "it was skipped: because"},
		{"settings", recordstest.With(base(), func(r *records.Record) { r.Header.Digest = "x"; r.Header.Settings = map[string]any{"nu": 1.0} }), records.NotComparable, "settings differ in nu"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := &records.Store{Records: []*records.Record{recordstest.Record("b", 1, 1)}}
			if test.got != nil {
				got.Records = append(got.Records, test.got)
			}
			drifts := records.Compare(&records.Store{Records: []*records.Record{base()}}, got, 1e-6)
			require.Len(t, drifts, 1)
			assert.Equal(t, test.want, drifts[0].State, drifts[0].Reason)
			assert.Contains(t, drifts[0].Reason, test.reason)
		})
	}
}

func TestCompareNamesTheWorstDifference(t *testing.T) {
	d := compared(recordstest.Record("a", 1, 8, 4, 2), recordstest.Record("a", 1, 8, 5, 2.1), 0)
	assert.Equal(t, "error", d.Metric)
	assert.Equal(t, 2, d.Step)
	assert.Equal(t, 4.0, *d.Base)
	assert.Equal(t, 5.0, *d.Got)
	assert.InDelta(t, 0.2, *d.Difference, 1e-15)
	of := func(v float64) *records.Record { return recordstest.Record("a", 1, v) }
	assert.Equal(t, records.Same, compared(of(1000), of(999), 1e-3).State, "relative to the larger")
	assert.Equal(t, records.Worse, compared(of(1000), of(998.5), 1e-3).State)
}

// compared compares one record with one of a baseline.
func compared(base, got *records.Record, tol float64) records.Drift {
	return records.Compare(&records.Store{Records: []*records.Record{base}}, &records.Store{Records: []*records.Record{got}}, tol)[0]
}

func TestCompareLeavesBudgetsInSecondsAlone(t *testing.T) {
	exempt := recordstest.With(recordstest.Record("a", 1, 8, 4), func(r *records.Record) { r.Header.Provenance.Exempt = "a budget in seconds" })
	d := compared(exempt, recordstest.Record("a", 1, 8), 0)
	assert.Equal(t, []any{records.NotComparable, records.ByTime}, []any{d.State, d.LeftOut})
	assert.Equal(t, "a budget in seconds", d.Reason)
}

func TestCompareEqualEndsAreTheSame(t *testing.T) {
	for _, of := range []func() *records.Record{
		func() *records.Record { return recordstest.Ended(recordstest.Record("a", 1), records.Skipped) },
		func() *records.Record {
			return recordstest.Ended(recordstest.Record("a", 1, 8, math.NaN(), 0), records.Diverged)
		},
	} {
		assert.Equal(t, records.Same, compared(of(), of(), 0).State)
	}
}
