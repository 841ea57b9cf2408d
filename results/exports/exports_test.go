package exports

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner/goldentest"
)

// two returns a study of two experiments of two papers, the second of which is the user's own.
func two() Study {
	program := builds.Program{Version: "v1.2.0", Commit: "c0ffee", Go: "go1.26.0"}
	var recs []records.Text
	for seed := range uint64(2) {
		for _, id := range []string{"paper1999/demo", "own/tiny"} {
			r := recordstest.Record("a", seed+1, 4, 2)
			r.Header.Experiment = id
			r.Header.Provenance = records.Provenance{Program: program}
			r.Header.Timing = records.HeaderTiming{Started: "2026-11-20T10:00:00Z", Host: "linux/amd64", CPU: "a cpu", ISA: "avx2", Threads: 2}
			r.End.Timing = records.EndTiming{Finished: "2026-11-20T10:01:30Z", Wall: 90}
			recs = append(recs, records.Text{Record: r})
		}
	}
	var plain []*records.Record
	for _, r := range recs {
		plain = append(plain, r.Record)
	}
	number := 0.031
	return Study{
		Contents: bundles.Contents{
			Program: program, Records: recs, Machines: bundles.MachinesOf(plain),
			Experiments: []bundles.Experiment{{ID: "paper1999/demo", File: "demo.toml", Profile: "quick"},
				{ID: "own/tiny", File: "tiny.toml", Own: true, Profile: "paper", Set: []string{"problem.nu=1e-4 1"}, Methods: []string{"a"}, Seeds: 2}},
			Data: []bundles.Dataset{{Name: "a9a", Title: "Adult", Licence: "CC BY 4.0", Citation: "Becker & Kohavi (1996)", Experiments: []string{"paper1999/demo", "own/tiny"},
				Files: []records.DataDigest{{Name: "a9a", SHA256: strings.Repeat("ab", 32), Rows: 3}}}},
		},
		Cases: []claims.Case{
			{Experiment: claims.Experiment{ID: "paper1999/demo", Title: "A demo with 100 % of γ_t & more", Source: "Fig. 1",
				Paper:   claims.Paper{Key: "paper1999", Authors: []string{"Ada Lovelace", "Plato"}, Title: "On SGD: a \"study\" of x_1", Venue: "ICML", Year: 1999, URL: "https://example.org/1"},
				Figures: []claims.Figure{{ID: "one", Title: "One", Source: "Fig. 1"}, {ID: "absent", Title: "Two"}}, Tables: []claims.Table{{ID: "t", Title: "T"}}},
				Verdicts: []claims.Verdict{{Claim: "c", Class: claims.Theorem, Statement: "It falls | rises", Source: "Thm 1", Published: "0.03", Measured: &number, Verdict: claims.Reproduced}}},
			{Experiment: claims.Experiment{ID: "own/tiny", Title: "Tiny", Paper: claims.Paper{Key: "own"}}},
		},
		Has: func(name string) bool { return !strings.Contains(name, "absent") },
	}
}

func TestGolden(t *testing.T) {
	files, err := Files(two())
	require.NoError(t, err)
	require.Len(t, files, 7)
	for name, text := range files {
		goldentest.Equal(t, "testdata/"+name, string(text))
	}
	one := two()
	one.Experiments, one.Cases = one.Experiments[:1], one.Cases[:1]
	files, err = Files(one)
	require.NoError(t, err)
	assert.Contains(t, files, CodecheckName)
	_, err = Codecheck(two())
	assert.EqualError(t, err, "codecheck.yml is for one paper, and these experiments are of own, paper1999; name those of one, as in 'own/*'")
}

// The requirements of the Process Run Crate profile 0.5 and of RO-Crate 1.1, and that no reference leads nowhere.
func TestCrateHasWhatTheProfileRequires(t *testing.T) {
	text, err := Crate(two())
	require.NoError(t, err)
	var crate struct {
		Context []string         `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	require.NoError(t, json.Unmarshal(text, &crate))
	assert.Equal(t, []string{"https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"}, crate.Context)
	byID := map[string]map[string]any{}
	for _, e := range crate.Graph {
		id, _ := e["@id"].(string)
		require.NotEmpty(t, id)
		require.NotEmpty(t, e["@type"], id)
		require.NotContains(t, byID, id, "two entities with one id")
		byID[id] = e
	}
	of := func(v any) (ids []string) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, x := range list {
			ids = append(ids, x.(map[string]any)["@id"].(string))
		}
		return ids
	}
	descriptor, root := byID["ro-crate-metadata.json"], byID["./"]
	assert.Equal(t, []string{"https://w3id.org/ro/crate/1.1"}, of(descriptor["conformsTo"]))
	assert.Equal(t, []string{"./"}, of(descriptor["about"]))
	for _, key := range []string{"name", "description", "license"} {
		assert.NotEmpty(t, root[key], key)
	}
	assert.Equal(t, "2026-11-20", root["datePublished"])
	assert.Equal(t, []string{"https://w3id.org/ro/wfrun/process/0.5"}, of(root["conformsTo"]))
	assert.Equal(t, "CreativeWork", byID["https://w3id.org/ro/wfrun/process/0.5"]["@type"])
	require.Len(t, of(root["mentions"]), 2)
	for _, id := range of(root["mentions"]) {
		action := byID[id]
		assert.Equal(t, "CreateAction", action["@type"])
		for _, key := range []string{"name", "description", "startTime", "endTime", "result", "object"} {
			assert.NotEmpty(t, action[key], key)
		}
		for _, tool := range of(action["instrument"]) {
			assert.Equal(t, "SoftwareApplication", byID[tool]["@type"])
			assert.NotEmpty(t, byID[tool]["name"])
			assert.NotEmpty(t, byID[tool]["softwareVersion"])
		}
	}
	for _, id := range of(root["hasPart"]) {
		require.Contains(t, byID, id)
		assert.Contains(t, []any{"File", "Dataset"}, byID[id]["@type"], id)
	}
	var follow func(v any)
	follow = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				follow(x)
			}
		case map[string]any:
			if id, ok := v["@id"].(string); ok && len(v) == 1 {
				assert.True(t, byID[id] != nil || strings.HasPrefix(id, "http"), "nothing is called %s", id)
			}
			for _, x := range v {
				follow(x)
			}
		}
	}
	for _, e := range crate.Graph {
		follow(e)
	}
}

func TestYAML(t *testing.T) {
	s := two()
	var cff struct {
		CFF        string `yaml:"cff-version"`
		Message    string
		Type       string
		Title      string
		Authors    []map[string]string
		Version    string
		Commit     string
		Licence    string `yaml:"license"`
		References []struct {
			Type, Title, URL string
			Year             int
			Collection       string `yaml:"collection-title"`
			Authors          []map[string]string
		}
	}
	d := yaml.NewDecoder(strings.NewReader(Citation(s.Program, s.Papers())))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&cff))
	assert.Equal(t, []string{"1.2.0", "software", "v1.2.0", "c0ffee", "BSD-3-Clause"}, []string{cff.CFF, cff.Type, cff.Version, cff.Commit, cff.Licence})
	assert.NotEmpty(t, cff.Message)
	require.Len(t, cff.References, 1, "a paper without a title is left out")
	assert.Equal(t, `On SGD: a "study" of x_1`, cff.References[0].Title)
	assert.Equal(t, []map[string]string{{"family-names": "Lovelace", "given-names": "Ada"}, {"family-names": "Plato"}}, cff.References[0].Authors)

	text := codecheck(s, s.Cases[0].Paper)
	assert.True(t, strings.HasPrefix(text, "---\n"), "an explicit document")
	var check struct {
		Version string
		Paper   struct {
			Title, Reference string
			Authors          []map[string]string
		}
		Manifest []map[string]string
	}
	d = yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&check))
	assert.Equal(t, "https://codecheck.org.uk/spec/config/1.0/", check.Version)
	assert.Equal(t, "https://example.org/1", check.Paper.Reference)
	var files []string
	for _, f := range check.Manifest {
		assert.NotEmpty(t, f["comment"])
		files = append(files, f["file"])
	}
	assert.Equal(t, []string{"verdicts.json", "report.html", "figures/paper1999/demo/one.svg", "tables/paper1999/demo/t.md"}, files)
}

func TestLicenceNamesTheAuthors(t *testing.T) {
	text, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	assert.Contains(t, string(text), "BSD 3-Clause License")
	assert.Contains(t, string(text), "Copyright (c) 2026, "+codeAuthors)
	assert.Equal(t, 2026, codeYear)
}
