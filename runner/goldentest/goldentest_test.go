package goldentest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A spy keeps what a failing test prints.
type spy struct {
	testing.TB
	text string
}

func (s *spy) Helper()                           {}
func (s *spy) Name() string                      { return "TestThis/case" }
func (s *spy) Errorf(format string, args ...any) { s.text = fmt.Sprintf(format, args...) }

func TestEqual(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "x.golden")
	*update = true
	Equal(t, file, "a\nb\nc\n")
	*update = false
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "a\nb\nc\n", string(text))

	s := &spy{TB: t}
	Equal(s, file, "a\nb\nc\n")
	assert.Empty(t, s.text)
	Equal(s, file, "a\nb\nx\n")
	assert.Equal(t, file+" is not what the test makes; go test -run '^TestThis$' -update rewrites it. Line 3 is\n\"c\\n\", the test makes\n\"x\\n\"", s.text)
	Equal(s, file, "a\n")
	assert.Contains(t, s.text, "Line 2 is\n\"b\\n\", the test makes\n\"\"")
}
