package metrics

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

// TestManual builds the metrics of docs/adding-a-metric.md and runs the tests of that page.
func TestManual(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package again")
	}
	manual, err := os.ReadFile("../../docs/adding-a-metric.md")
	require.NoError(t, err)
	code := map[string]string{"determination_test.go": `package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/losses"
)
`}
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(manual), -1) {
		file := "determination.go"
		if strings.Contains(block[1], "func Test") {
			file = "determination_test.go"
		}
		code[file] += "\n" + block[1]
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	temp, replace := t.TempDir(), map[string]string{}
	for file, text := range code {
		replace[filepath.Join(here, file)] = filepath.Join(temp, file)
		require.NoError(t, os.WriteFile(filepath.Join(temp, file), []byte(text), 0o600))
	}
	overlay := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, text, 0o600))

	out, err := exec.Command("go", "test", "-overlay="+overlay, "-run=TestDetermination|TestSupportSize", "-v", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestDetermination")
	require.Contains(t, string(out), "--- PASS: TestSupportSize")
}
