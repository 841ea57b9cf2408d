package web

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

// The committed script was made from the committed modules, and axe-core is as it was fetched.
func TestBundleIsCommitted(t *testing.T) {
	sums, err := os.ReadFile("SHA256SUMS")
	require.NoError(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, ok, line)
		listed[name] = true
		data, err := os.ReadFile(filepath.FromSlash(name))
		require.NoError(t, err)
		assert.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(data)), "%s has changed: go generate ./plots/web", name)
	}
	modules, err := filepath.Glob("*.js")
	require.NoError(t, err)
	for _, m := range modules {
		assert.True(t, listed[m], "%s is new: go generate ./plots/web", m)
	}
	for _, name := range []string{"../browsertest/axe.min.js", "../browsertest/axe.LICENSE"} {
		assert.True(t, listed[name], name)
	}
}
