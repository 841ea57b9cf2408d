package methods

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManual builds the algorithm of docs/adding-an-algorithm.md and holds it to the laws.
func TestManual(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package again")
	}
	manual, err := os.ReadFile("../docs/adding-an-algorithm.md")
	require.NoError(t, err)
	var code strings.Builder
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(manual), -1) {
		code.WriteString(block[1] + "\n")
	}
	source := filepath.Join(t.TempDir(), "meanembedding.go")
	require.NoError(t, os.WriteFile(source, []byte(code.String()), 0o600))
	here, err := os.Getwd()
	require.NoError(t, err)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "meanembedding.go"): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, text, 0o600))

	out, err := exec.Command("go", "test", "-overlay="+overlay, "-run=TestLaw.*/mean-embedding", "-v", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestLawSameBits/mean-embedding")
}
