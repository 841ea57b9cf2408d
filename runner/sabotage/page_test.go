// Package sabotage holds the campaign that shows of every claim that it can fail: the experiments run with methods that learn
// something wrong, and docs/sabotage.md says which claims notice. The page describes the sabotages.
//
// The campaign has the build tag sabotage, because it takes minutes. It needs the papers' data (REPRO_DATA); experiments whose data
// is not there keep their rows:
//
//	go test -tags sabotage ./runner/sabotage -timeout 60m                               the page must say what the runs say
//	go test -tags sabotage ./runner/sabotage -timeout 60m -update                       writes the page
//	go test -tags sabotage ./runner/sabotage -update -only dai2014/ridge,ma2017/norm    writes the rows of these experiments
//
// The test without the tag is cheap: it holds claims that nothing refutes to their key description.
package sabotage

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/algos/methods"
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
)

const page = "../../docs/sabotage.md"

// vacuous is what the page says of a claim that no sabotage refutes.
const vacuous = "**vacuous**"

// A row of the page is a line of its table.
type row struct {
	experiment, claim string
	text              string // the line
}

// rowsOf returns the rows of a page.
func rowsOf(text string) (rows []row) {
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		if experiment, claim, ok := strings.Cut(name, "#"); ok {
			rows = append(rows, row{experiment, claim, strings.TrimSuffix(line, "\n")})
		}
	}
	return rows
}

// Every claim has been in the campaign, and none that counts survived every sabotage.
func TestNoVacuousClaimCounts(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows := map[string]string{}
	for _, r := range rowsOf(string(text)) {
		rows[r.experiment+"#"+r.claim] = r.text
	}
	require.NotEmpty(t, rows)
	refs, err := catalog.Resolve(nil)
	require.NoError(t, err)
	specs, errs := catalog.LoadAll(refs, experiments.LoadOptions{})
	for i, s := range specs {
		require.NoError(t, errs[i])
		for _, c := range s.Claims {
			row, ok := rows[s.ID+"#"+c.ID]
			assert.True(t, ok, "%s#%s has no row: run the campaign with -only %s -update", s.ID, c.ID, s.ID)
			if c.Describes() == "" {
				assert.NotContains(t, row, vacuous, "no sabotage refutes %s#%s: sharpen it, or say in its key description why it cannot fail; then run the campaign with -only %s -update",
					s.ID, c.ID, s.ID)
			}
		}
	}
}
