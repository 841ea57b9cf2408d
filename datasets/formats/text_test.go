package formats

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where reading fails, the whole lines before are rows, and what follows them is not.
func TestLinesBeforeAFailure(t *testing.T) {
	c, err := NewCSV(io.MultiReader(strings.NewReader("1,2\r\n3,45"), iotest.ErrReader(errors.New("gone"))), "a.csv", "", false)
	require.NoError(t, err)
	y, err := c.Read()
	require.NoError(t, err)
	assert.Equal(t, 2.0, y)
	_, err = c.Read()
	require.ErrorIs(t, err, ErrFormat)
	assert.EqualError(t, err, "a.csv:2: the data ends early or is damaged: gone; get the file again")
}
