// Package sabotage holds the campaign that shows of every claim that it can fail: the experiments run with methods that learn
// something wrong, and docs/data/sabotage.tsv says which claims notice. docs/sabotage.md describes the sabotages.
//
// The campaign has the build tag sabotage, because it takes minutes. It needs the papers' data (REPRO_DATA); experiments whose data
// is not there keep their rows:
//
//	go test -tags sabotage ./runner/sabotage -timeout 60m                               the file must say what the runs say
//	go test -tags sabotage ./runner/sabotage -timeout 60m -update                       writes the file
//	go test -tags sabotage ./runner/sabotage -update -only dai2014/ridge,ma2017/norm    writes the rows of these experiments
//
// The test without the tag is cheap: it holds claims that nothing refutes to their key description.
package sabotage

import (
	"fmt"
	"os"
	"slices"
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

// data has a row for each claim, and page says what was found.
const (
	data = "../../docs/data/sabotage.tsv"
	page = "../../docs/sabotage.md"
)

// vacuous is what the last cell says of a claim that no sabotage refutes.
const vacuous = "vacuous"

// readRows returns the cells of the rows by experiment#claim.
func readRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(data)
	require.NoError(t, err)
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows[cells[0]] = cells
	}
	delete(rows, "claim") // the header
	return rows
}

// Every claim has been in the campaign, and none that counts survived every sabotage.
func TestNoVacuousClaimCounts(t *testing.T) {
	rows := readRows(t)
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
	judged, weak, none := 0, 0, 0
	for _, cells := range rows {
		switch {
		case cells[1] == "–":
			continue
		case cells[len(cells)-1] == vacuous:
			none++
		case !slices.Contains(cells, "●"):
			weak++
		}
		judged++
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf("%d claims, of which %d are judged; %d are vacuous and %d weak", len(rows), judged, none, weak))
}
