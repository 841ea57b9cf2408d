package algos_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManual builds the algorithm of docs/adding-an-algorithm.md in a module of its own, as a stranger would, and runs
// the tests of the page.
func TestManual(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module")
	}
	manual, err := os.ReadFile("../docs/adding-an-algorithm.md")
	require.NoError(t, err)
	var code, test strings.Builder
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(manual), -1) {
		if strings.Contains(block[1], "func Test") {
			test.WriteString(block[1] + "\n")
		} else {
			code.WriteString(block[1] + "\n")
		}
	}
	// The requirements of our module are those of one that uses all of it: nothing has to be looked up.
	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	ours := regexp.MustCompile(`(?m)^module (\S+)$`).FindStringSubmatch(string(module))[1]
	folder := t.TempDir()
	for name, text := range map[string]string{
		"heavyball.go":      code.String(),
		"heavyball_test.go": test.String(),
		"go.sum":            string(sums),
		"go.mod": strings.Replace(string(module), "module "+ours, "module example.com/mymethods", 1) +
			"\nrequire " + ours + " v0.0.0\n\nreplace " + ours + " => " + root + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cmd := exec.Command("go", "test", "-mod=mod", "-v", ".")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestLaws/SameBits")
	require.Contains(t, string(out), "--- PASS: TestHeavyBallByHand")
}
