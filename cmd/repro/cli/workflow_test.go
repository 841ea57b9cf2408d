package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// fences returns the YAML blocks of a page of the manual by the file that their first line names.
func fences(t *testing.T, page string) map[string]string {
	t.Helper()
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```yaml\n# ([^\n]+)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		blocks[m[1]] = m[2]
	}
	return blocks
}

// shell runs a command of the manual with this program as repro, on the tiny spec of the gate: "repro check" gets its name and
// the folder of its accepted baseline. go does nothing.
func shell(t *testing.T, command string) (string, error) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	program, err := os.Executable()
	require.NoError(t, err)
	for name, script := range map[string]string{"repro": asCommand + "=1 exec '" + program + "' \"$@\"", "go": "exit 0"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(command, "repro check", "repro check gate.toml --baseline accepted"))
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The workflow and the hook of docs/regression-testing.md are valid YAML, and their commands run.
func TestManualOfTheGate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	page := read(t, filepath.Join(testdata, "..", "..", "..", "..", "docs", "regression-testing.md"))
	blocks := fences(t, page)
	require.Len(t, blocks, 2)
	gateplace(t)
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	t.Setenv("GITHUB_ACTIONS", "true")

	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run, Uses string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(blocks[".github/workflows/rates.yml"]), &workflow))
	ran := 0
	for _, step := range workflow.Jobs["check"].Steps {
		if step.Run != "" {
			out, err := shell(t, step.Run)
			require.NoError(t, err, "%s: %s", step.Run, out)
			ran++
		}
	}
	assert.Equal(t, 3, ran)
	assert.Contains(t, read(t, "summary.md"), "✅ 3 unchanged")
	assert.FileExists(t, "check.xml")

	var hooks struct {
		Repos []struct {
			Hooks []struct {
				ID, Entry, Files string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(blocks[".pre-commit-config.yaml"]), &hooks))
	hook := hooks.Repos[0].Hooks[0]
	assert.Regexp(t, regexp.MustCompile(hook.Files), "algos/methods/dsg.go")
	out, err := shell(t, hook.Entry)
	require.NoError(t, err, out)
	assert.Contains(t, out, "3 unchanged")
}
