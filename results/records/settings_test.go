package records_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
)

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
