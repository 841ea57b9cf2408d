package recordstest

import (
	"crypto/sha256"
	"fmt"
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
	body := `{"timing":{"x":2},"schema":2,"line":"header","resolved":{ "v":1.50e-3}`
	sum := sha256.Sum256([]byte(body))
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "%s,\"sum\":\"%x\"}\n{\"line\":\"po", body, sum[:8]), 0o644))
	got, err := Canonical(path)
	require.NoError(t, err)
	assert.Equal(t, `{"line":"header","resolved":{"v":1.50e-3},"schema":2}`+"\n", string(got))
}
