package share

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"repro/experiments/catalog"
	_ "repro/experiments/papers"
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
func TestAuditFindsEveryForgery(t *testing.T) {
	clock := recordstest.With(record(), func(r *records.Record) {
		r.Header.Timing.Started, r.Header.Timing.CPU, r.End.Timing.Wall = "2027", "another", 9
		r.Points[1].Timing.Train = 99
		r.Header.Provenance.Commit, r.Header.Label, r.Header.Profile = "another", "another", "paper"
	})
	d := runAgain(record(), clock, true)
	assert.Equal(t, []any{records.Same, "identical values"}, []any{d.State, d.Reason})

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
		d := runAgain(recordstest.With(record(), forge), record(), true)
		assert.Contains(t, []records.Match{records.Worse, records.NotComparable}, d.State, name)
		assert.NotEmpty(t, d.Reason, name)
	}
}

func TestAuditAtATolerance(t *testing.T) {
	near := recordstest.With(record(), func(r *records.Record) { r.Points[2].Values["error"] = records.Value(1 + 1e-9) })
	assert.Equal(t, records.Worse, runAgain(near, record(), true).State)
	o := runAgain(near, record(), false)
	assert.Equal(t, records.Same, o.State)
	assert.Contains(t, o.Reason, "tolerance")
	assert.Equal(t, records.Same, runAgain(record(), record(), false).State)
	far := recordstest.With(record(), func(r *records.Record) { r.Points[2].Values["error"] = records.Value(1.1) })
	o = runAgain(far, record(), false)
	assert.Equal(t, records.Worse, o.State)
	assert.Contains(t, o.Reason, "error at step 4 is 1, the record 1.1")

	notAgain := []records.Match{records.NotComparable, records.Worse}
	assert.Contains(t, notAgain, runAgain(record(), nil, true).State)
	assert.Contains(t, notAgain, runAgain(record(), recordstest.Ended(record(), records.Failed), true).State)
	assert.Contains(t, notAgain, runAgain(record(), recordstest.Ended(record(), records.Partial), true).State)
	assert.Contains(t, notAgain, runAgain(record(), recordstest.Ended(record(), records.Skipped), true).State)
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
		assert.Equal(t, test.want, sameBits(records.HeaderTiming{Host: test.host, ISA: test.isa}, test.hereHost, test.hereISA), "%v", test)
	}
}

// CITATION.cff of the repository names the code as cite does, and the papers that come with repro.
func TestCitation(t *testing.T) {
	type person struct {
		Name, ORCID string
		Family      string `yaml:"family-names"`
		Given       string `yaml:"given-names"`
	}
	var cff struct {
		CFF                  string `yaml:"cff-version"`
		Message, Type, Title string
		Licence              string `yaml:"license"`
		Authors              []person
		References           []struct {
			Type, Title, URL string
			Year             int
			Collection       string `yaml:"collection-title"`
			Authors          []person
		}
	}
	text, err := os.ReadFile("../../../CITATION.cff")
	require.NoError(t, err)
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&cff))
	assert.Equal(t, []string{"1.2.0", codeTitle, "BSD-3-Clause"}, []string{cff.CFF, cff.Title, cff.Licence})
	assert.Equal(t, []person{{Name: codeAuthors}}, cff.Authors)
	papers := catalog.Papers()
	require.Len(t, cff.References, len(papers), "write the papers of experiments/papers/papers.toml into CITATION.cff")
	for i, r := range cff.References {
		p := papers[i]
		assert.Equal(t, []any{p.Title, p.URL, p.Venue, p.Year}, []any{r.Title, r.URL, r.Collection, r.Year})
		var names []string
		for _, a := range r.Authors {
			names = append(names, strings.TrimSpace(a.Given+" "+a.Family))
		}
		assert.Equal(t, p.Authors, names)
	}
}

func TestLicenceNamesTheAuthors(t *testing.T) {
	text, err := os.ReadFile("../../../LICENSE")
	require.NoError(t, err)
	assert.Contains(t, string(text), "BSD 3-Clause License")
	assert.Contains(t, string(text), "Copyright (c) 2026, "+codeAuthors)
	assert.Equal(t, 2026, codeYear)
}
