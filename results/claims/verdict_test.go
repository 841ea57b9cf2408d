package claims

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records/recordstest"
)

func TestWriteVerdicts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "verdicts.json")
	require.NoError(t, WriteVerdicts(path, nil))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "[]\n", string(data))

	want := Judge(experiment(Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1"}), recordstest.Flat("a", 1, 1)).Verdicts
	require.NoError(t, WriteVerdicts(path, want))
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	got, err := ReadVerdicts(bytes.NewReader(data))
	require.NoError(t, err)
	want[0].Of, want[0].Records, want[0].Numbers = Claim{}, nil, nil // no file has them
	assert.Equal(t, want, got)
	_, err = ReadVerdicts(strings.NewReader(`[{"experiment":"p/a","claim":"c","verdict":"perhaps"}]`))
	assert.ErrorContains(t, err, `p/a, claim c: unknown verdict "perhaps"`)
	_, err = ReadVerdicts(strings.NewReader(`[{"verdicts":"reproduced"}]`))
	assert.ErrorContains(t, err, "unknown field")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1, "no temporary file is left")

	blocked := filepath.Join(path, "below-a-file.json")
	assert.ErrorContains(t, WriteVerdicts(blocked, nil), "--out")
}
