package fuzztest

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line of inputs has its values in the types of the target.
func TestLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inputs")
	const line = "\"\\x00\\t\\n\\xff\\\"\"\t\"a\\tb\\u2028\\u00e9\\xfe\"\t-3\t200\ttrue\n"
	require.NoError(t, os.WriteFile(file, []byte(line+line), 0o666))
	want := []any{[]byte("\x00\t\n\xff\""), "a\tb\u2028é\xfe", -3, uint8(200), true}
	assert.Equal(t, [][]any{want, want}, read(t, file, reflect.TypeFor[func(t *testing.T, data []byte, text string, n int, k uint8, yes bool)]()))
}
