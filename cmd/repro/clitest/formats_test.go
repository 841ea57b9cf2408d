package clitest

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/bundles"
)

// What earlier programs wrote can be read: testdata/formats has a folder for each state of the formats, with a spec and the bundle of its
// runs. The folders stay as they are; docs/stability.md says when to add one.
func TestFormatsStillRead(t *testing.T) {
	folders, err := filepath.Glob("testdata/formats/*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 2)
	for _, from := range folders {
		from, err := filepath.Abs(from)
		require.NoError(t, err)
		t.Run(filepath.Base(from), func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			t.Setenv("REPRO_DATA", "")
			t.Setenv("REPRO_CACHE", filepath.Join(dir, "cache"))
			require.NoError(t, os.CopyFS("in", os.DirFS(from)))
			read := func(path string) string {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				return string(text)
			}
			b, err := bundles.Read("in/results.zip")
			require.NoError(t, err)
			assert.Empty(t, b.Faults)
			assert.Len(t, b.Records, 4)
			assert.Equal(t, read("in/tiny.toml"), string(b.Experiments[0].Text))

			r, err := zip.OpenReader("in/results.zip")
			require.NoError(t, err)
			defer r.Close()
			require.NoError(t, os.CopyFS("all", r))
			require.NoError(t, os.CopyFS("out/records", os.DirFS("all/records")))
			said := Run(t, 0, "run", "in/tiny.toml")
			assert.Contains(t, said, "4 of 4 were complete from an earlier run", "the settings of the records are those of the spec")
			Run(t, 0, "verify", "in/tiny.toml")
		})
	}
}
