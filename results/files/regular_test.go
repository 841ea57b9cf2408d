package files

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
	data, err := ReadRegular(path, 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(data))
	_, err = ReadRegular(path, 3)
	require.ErrorIs(t, err, ErrLarge)
	assert.EqualError(t, err, path+": too large: it has more than 3 bytes")

	_, err = ReadRegular(filepath.Dir(path), 4)
	require.ErrorIs(t, err, ErrNotRegular)
	assert.EqualError(t, err, filepath.Dir(path)+" is a folder, not a regular file")
	_, err = ReadRegular(path+"b", 4)
	assert.ErrorIs(t, err, os.ErrNotExist)
	if _, err := os.Stat(os.DevNull); err == nil {
		_, err = ReadRegular(os.DevNull, 4)
		assert.ErrorIs(t, err, ErrNotRegular)
	}
}
