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
)

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
