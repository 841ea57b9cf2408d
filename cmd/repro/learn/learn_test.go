package learn

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/experiments/papers"
)

func TestMain(m *testing.M) {
	status := m.Run()
	if siteFolder != "" {
		os.RemoveAll(siteFolder)
	}
	os.Exit(status)
}

// Within the checkout the site begins with its README, elsewhere with a page of its own.
func TestTopPages(t *testing.T) {
	files, err := topPages()
	require.NoError(t, err)
	assert.Contains(t, string(files["README.md"]), "go test ./...")
	assert.Contains(t, files, "CONTRIBUTING.md")
	t.Chdir(t.TempDir())
	files, err = topPages()
	require.NoError(t, err)
	assert.Equal(t, frontPage, string(files["README.md"]))
	assert.NotContains(t, files, "CONTRIBUTING.md")
}
