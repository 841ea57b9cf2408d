package lanes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute/lanes"
)

// TestLanes runs the tests of package simd in a program for js under node: there the functions are the portable code, whose definitions,
// errors and bits those tests hold.
func TestLanes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program for js")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the path, which runs programs for js")
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(file("lanes.js"), []byte(lanes.Script()), 0o666))
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags=lanes", "-o", file("simd.wasm"), "repro/algos/compute/internal/simd")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))
	script, err := filepath.Abs("testdata/run.cjs")
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), node, "--stack-size=4000", script, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"),
		file("lanes.js"), file("simd.wasm"), "-test.v")
	run.Dir = "../internal/simd"
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir} // node has a limit for what programs get
	said, err = run.CombinedOutput()
	require.NoError(t, err, string(said))
	assert.Contains(t, string(said), "--- PASS: TestGoldenBits/generic")
	assert.NotContains(t, string(said), "--- FAIL")
}
