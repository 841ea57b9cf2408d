package baseline

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
)

var from = flag.String("from", "", "output folder of runs at profile smoke: their records, without cells that were skipped or interrupted, become those of this package")

// TestRecords holds the stored records to be of runs at profile smoke that ended. With -from it writes them, a file for each experiment.
func TestRecords(t *testing.T) {
	if *from != "" {
		all, err := records.Texts(*from)
		require.NoError(t, err)
		files := map[string][]byte{}
		for _, r := range all {
			if s := r.Status(); r.Header.Profile == "smoke" && s != records.Skipped && s != records.Partial {
				path := filepath.Join("records", filepath.FromSlash(r.Header.Experiment)+".jsonl")
				files[path] = append(files[path], r.Bytes...)
			}
		}
		for path, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, text, 0o644))
		}
	}
	store, err := records.Open(".")
	require.NoError(t, err)
	assert.Empty(t, store.Warnings)
	for _, r := range store.Records {
		assert.Equal(t, "smoke", r.Header.Profile, "%s %s", r.Header.Experiment, r.Header.Cell)
		assert.NotContains(t, []records.Status{records.Skipped, records.Partial}, r.Status(), "%s %s", r.Header.Experiment, r.Header.Cell)
	}
	assert.NotEmpty(t, store.Records)
}
