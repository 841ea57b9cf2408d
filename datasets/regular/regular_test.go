package regular

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, []byte("four"), 0o600))
	data, err := Read(path, 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(data))
	_, err = Read(path, 3)
	require.ErrorIs(t, err, ErrLarge)
	assert.EqualError(t, err, path+": too large: it has more than 3 bytes")

	_, err = Read(filepath.Dir(path), 4)
	require.ErrorIs(t, err, ErrNot)
	assert.EqualError(t, err, filepath.Dir(path)+" is a folder, not a regular file")
	_, err = Read(path+"b", 4)
	assert.ErrorIs(t, err, os.ErrNotExist)
	if _, err := os.Stat(os.DevNull); err == nil {
		_, err = Read(os.DevNull, 4)
		assert.ErrorIs(t, err, ErrNot)
	}
}
