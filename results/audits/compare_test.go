package audits

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func record() *records.Record {
	return recordstest.With(recordstest.Record("a", 1, 4, 2, 1), func(r *records.Record) {
		r.Header.Settings = map[string]any{"data": map[string]any{"train": 64.0}, "seed": 1.0}
		r.Header.Resolved = map[string]float64{"sigma": 0.5}
		r.Header.Provenance.Data = []records.DataDigest{{Name: "a.csv", SHA256: "0123456789abcdef", Rows: 64}}
		r.End.Steps = 4
		r.End.Files = map[string]string{"a.csv": "00"}
	})
}

// Whatever a verdict may use is compared; what two runs may differ in is not.
func TestCompareFindsEveryForgery(t *testing.T) {
	clock := recordstest.With(record(), func(r *records.Record) {
		r.Header.Timing.Started, r.Header.Timing.CPU, r.End.Timing.Wall = "2027", "another", 9
		r.Points[1].Timing.Train = 99
		r.Header.Provenance.Commit, r.Header.Label, r.Header.Profile = "another", "another", "paper"
	})
	assert.Equal(t, Outcome{"paper1999/demo", "a-1", Same, "identical values"}, Compare(record(), clock, true, 1e-6))

	for name, forge := range map[string]func(r *records.Record){
		"a value":               func(r *records.Record) { r.Points[2].Values["error"] = records.Value(1 + 1e-15) },
		"a value that diverged": func(r *records.Record) { r.Points[2].Values["error"] = nil },
		"another metric":        func(r *records.Record) { r.Points[2].Values["more"] = records.Value(1) },
		"a count":               func(r *records.Record) { r.Points[1].Counters.Flops++ },
		"the memory":            func(r *records.Record) { r.Points[1].Counters.Memory-- },
		"examples":              func(r *records.Record) { r.Points[1].Seen++ },
		"a step":                func(r *records.Record) { r.Points[1].Step++ },
		"no last point":         func(r *records.Record) { r.Points = r.Points[:2] },
		"the status":            func(r *records.Record) { r.End.Status = records.Diverged },
		"the steps":             func(r *records.Record) { r.End.Steps = 8 },
		"predictions":           func(r *records.Record) { r.End.Files = map[string]string{"a.csv": "01"} },
		"a setting": func(r *records.Record) {
			r.Header.Settings = map[string]any{"data": map[string]any{"train": 128.0}, "seed": 1.0}
		},
		"the data":         func(r *records.Record) { r.Header.Provenance.Data = nil },
		"a substitute":     func(r *records.Record) { r.Header.Provenance.Substitute = "made up" },
		"the precision":    func(r *records.Record) { r.Header.Provenance.Precision = "float32" },
		"an exemption":     func(r *records.Record) { r.Header.Provenance.Exempt = "a budget in seconds" },
		"timed":            func(r *records.Record) { r.Header.Provenance.Timed = false },
		"the bandwidth":    func(r *records.Record) { r.Header.Resolved = map[string]float64{"sigma": 0.6} },
		"more of the data": func(r *records.Record) { r.Header.Resolved = map[string]float64{"sigma": 0.5, "nu": 1} },
		"the digest":       func(r *records.Record) { r.Header.Digest = "another" },
	} {
		o := Compare(recordstest.With(record(), forge), record(), true, 1e-6)
		assert.Equal(t, Differs, o.State, name)
		assert.NotEmpty(t, o.Reason, name)
	}
}

func TestCompareAtATolerance(t *testing.T) {
	near := recordstest.With(record(), func(r *records.Record) { r.Points[2].Values["error"] = records.Value(1 + 1e-9) })
	assert.Equal(t, Differs, Compare(near, record(), true, 1e-6).State)
	o := Compare(near, record(), false, 1e-6)
	assert.Equal(t, Close, o.State)
	assert.Contains(t, o.Reason, "tolerance")
	assert.Equal(t, Same, Compare(record(), record(), false, 1e-6).State)
	far := recordstest.With(record(), func(r *records.Record) { r.Points[2].Values["error"] = records.Value(1.1) })
	o = Compare(far, record(), false, 1e-6)
	assert.Equal(t, Differs, o.State)
	assert.Contains(t, o.Reason, "error at step 4 is 1, the record 1.1")

	assert.Equal(t, Failed, Compare(record(), nil, true, 0).State)
	assert.Equal(t, Failed, Compare(record(), recordstest.Ended(record(), records.Failed), true, 0).State)
	assert.Equal(t, Failed, Compare(record(), recordstest.Ended(record(), records.Partial), true, 0).State)
	assert.Equal(t, Failed, Compare(record(), recordstest.Ended(record(), records.Skipped), true, 0).State)
}

func TestSameBits(t *testing.T) {
	for _, test := range []struct {
		host, isa, hereHost, hereISA string
		want                         bool
	}{
		{"linux/amd64", "avx512", "linux/amd64", "avx2", true},
		{"darwin/amd64", "avx2", "linux/amd64", "avx2", true},
		{"linux/amd64", "", "linux/amd64", "avx2", true},
		{"linux/amd64", "", "linux/amd64", "generic", false},
		{"linux/amd64", "generic", "linux/amd64", "generic", true},
		{"linux/amd64", "avx2", "linux/arm64", "generic", false},
		{"linux/arm64", "", "linux/arm64", "generic", true},
	} {
		assert.Equal(t, test.want, SameBits(records.HeaderTiming{Host: test.host, ISA: test.isa}, test.hereHost, test.hereISA), "%v", test)
	}
}

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for _, outcomes := range [][]Outcome{{{State: Same}, {State: Close}}, {{State: Differs}, {State: Same}}, {{State: Failed}, {State: Differs}}, nil} {
		a := Audit{Outcomes: outcomes}
		a.Count()
		_, err := a.Append(t.Context(), path)
		require.NoError(t, err)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var statuses []int
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var a Audit
		require.NoError(t, d.Decode(&a))
		statuses = append(statuses, a.Status())
		assert.Equal(t, len(a.Outcomes), a.Same+a.Close+a.Differs+a.Failed)
	}
	assert.Equal(t, []int{0, 1, 5, 4}, statuses)
	_, err = (&Audit{}).Append(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "name another with --log")
}
