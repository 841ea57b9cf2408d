package recordstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCanonicalIgnoresTheClock(t *testing.T) {
	slow := Record("a", 1, 4, 3)
	slow.Header.Timing.Started = "2026-01-01T00:00:00Z"
	slow.Points[1].Timing.Train = 99
	slow.End.Timing.Wall = 1000
	a, err := Canonical(Write(t, t.TempDir(), Record("a", 1, 4, 3)))
	require.NoError(t, err)
	b, err := Canonical(Write(t, t.TempDir(), slow))
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
	assert.Equal(t, 4, strings.Count(string(a), "\n"))
	c, err := Canonical(Write(t, t.TempDir(), Record("a", 1, 4, 3.5)))
	require.NoError(t, err)
	assert.NotEqual(t, string(a), string(c))
}

func TestCanonicalKeepsTheTextOfNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	data := `{"timing":{"x":2},"schema":1,"line":"header","resolved":{ "v":1.50e-3}}` + "\n" + `{"line":"po`
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	got, err := Canonical(path)
	require.NoError(t, err)
	assert.Equal(t, `{"line":"header","resolved":{"v":1.50e-3},"schema":1}`+"\n", string(got))
}
