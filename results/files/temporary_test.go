package files

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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
