package goldentest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A spy keeps what a failing test prints.
type spy struct {
	testing.TB
	text string
}

func (s *spy) Helper()      {}
func (s *spy) Name() string { return "TestThis/case" }
func (s *spy) Errorf(format string, args ...any) {
	s.text = fmt.Sprintf(format, args...)
}
func (s *spy) Fatalf(format string, args ...any) {
	s.Errorf(format, args...)
	panic(s)
}

func TestEqual(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.golden")
	s := &spy{TB: t}
	assert.Panics(t, func() { Equal(s, file, "a\n") })
	assert.Contains(t, s.text, "to write it:\n    go test ./runner/goldentest -run '^TestThis$' -update")

	require.NoError(t, os.WriteFile(file, []byte("a\nb\nc\nd\n"), 0o644))
	s = &spy{TB: t}
	Equal(s, file, "a\nb\nc\nd\n")
	assert.Empty(t, s.text)
	Equal(s, file, "a\nb\nx\nd\n")
	assert.Equal(t, file+` differs from what the test makes. To rewrite it:
    go test ./runner/goldentest -run '^TestThis$' -update
--- file
+++ test
@@ -2,3 +2,3 @@
 b
-c
+x
 d`, s.text)

	Equal(s, file, strings.Repeat("z\n", 100))
	assert.Len(t, strings.Split(s.text, "\n"), 2+maxLines+1)
	assert.Contains(t, s.text, "… and ")

	*update = true
	defer func() { *update = false }()
	Equal(t, filepath.Join(filepath.Dir(file), "new", "y"), "y")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "new", "y"))
	require.NoError(t, err)
	assert.Equal(t, "y", string(text))
}
