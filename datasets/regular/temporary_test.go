package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMkdirTemp(t *testing.T) {
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	dir := t.TempDir()
	t.Setenv(variable, dir)
	made, err := MkdirTemp("some-*")
	require.NoError(t, err)
	assert.Equal(t, dir, filepath.Dir(made))

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, bad := range []string{filepath.Join(dir, "nowhere"), file} {
		t.Setenv(variable, bad)
		_, err := MkdirTemp("some-*")
		require.Error(t, err)
		assert.Regexp(t, "^no temporary folder can be made in "+regexp.QuoteMeta(bad)+": [^:]+; set "+variable+" to a folder that you can write to$", err.Error())
	}
}

// Only MkdirTemp makes something in the folder for temporary files, so that every error says how to choose another one.
func TestTemporaryFolders(t *testing.T) {
	direct := regexp.MustCompile(`os\.(MkdirTemp|CreateTemp)\((""|os\.TempDir)`)
	var found []string
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if direct.Match(text) {
			found = append(found, filepath.ToSlash(path))
		}
		return err
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"../../datasets/regular/regular.go"}, found)
}
