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

	"repro/cmd/repro/exits"
)

// A fence is a block of a page of the manual.
type fence struct{ language, file, text string }

// fences returns the blocks of a page that name their language. One whose first line is a comment with a path is a file; in one that
// is a script the path stands on the second line.
func fences(page string) (all []fence) {
	for _, m := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		f := fence{language: m[1], text: m[2]}
		if named := regexp.MustCompile(`^(?:#!.*\n)?# (\S+)\n`).FindStringSubmatch(f.text); named != nil {
			f.file = named[1]
		}
		all = append(all, f)
	}
	return all
}

// withCommands puts this program as repro first in PATH, beside a go that installs nothing and builds repro as this program, and a
// sudo that does nothing.
func withCommands(t *testing.T) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	program, err := os.Executable()
	require.NoError(t, err)
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	for name, script := range map[string]string{
		"repro": asCommand + "=1 exec '" + program + `' "$@"`,
		"sudo":  "exit 0",
		"go": `case "$*" in
*./cmd/repro)
	if [ "$1" = install ]; then exit 0; fi
	test -d cmd/repro && test "$1 $2" = "build -o" && cp '` + bin + `/repro' "$3"
	;;
*) exec '` + real + `' "$@" ;;
esac`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// shell runs a script of the manual with more of an environment, as runners of workflows do.
func shell(t *testing.T, script string, env ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Env = append(os.Environ(), env...)
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errors.String()}
}

// A step is one of a workflow or of an action.
type step struct {
	Name, Run, Uses, If, Shell string
	With, Env                  map[string]string
}

// decoded reads YAML strictly.
func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &v), "%s", text)
	return v
}

// steps are those of the only job of a workflow.
func steps(t *testing.T, workflow string) []step {
	t.Helper()
	jobs := decoded[struct {
		Jobs map[string]struct{ Steps []step }
	}](t, workflow).Jobs
	require.Len(t, jobs, 1)
	return jobs["check"].Steps
}

// hook is the only one of a .pre-commit-config.yaml.
func hook(t *testing.T, text string) (h struct{ ID, Entry, Files string }) {
	t.Helper()
	all := decoded[struct {
		Repos []struct {
			Hooks []struct{ ID, Entry, Files string }
		}
	}](t, text)
	require.Len(t, all.Repos, 1)
	require.Len(t, all.Repos[0].Hooks, 1)
	return all.Repos[0].Hooks[0]
}

// The workflow and the hook of docs/regression-testing.md are valid YAML, and their commands run.
func TestManualOfTheGate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	page := read(t, filepath.Join(testdata, "..", "..", "..", "..", "docs", "regression-testing.md"))
	blocks := map[string]string{}
	for _, f := range fences(page) {
		blocks[f.file] = f.text
	}
	require.Len(t, blocks, 2)
	workplace(t)
	write(t, "gate.toml", strings.Replace(read(t, filepath.Join(testdata, "gate.toml")), "faultable", "inverse", 1))
	for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
		t.Setenv(name, "")
	}
	require.Equal(t, int(exits.Incomplete), repro(t, "check", "gate.toml", "--baseline", "accepted").status)
	ok(t, "baseline", "accept", "gate.toml", "--baseline", "accepted", "--claim", "rate", "--claim", "better", "--claim", "features", "--reason", "the first", "--log", "log.md")
	withCommands(t)
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	t.Setenv("GITHUB_ACTIONS", "true")
	run := func(command string) outcome {
		return shell(t, strings.ReplaceAll(command, "repro check", "repro check gate.toml --baseline accepted"))
	}
	ran := 0
	for _, step := range steps(t, blocks[".github/workflows/rates.yml"]) {
		if step.Run != "" {
			o := run(step.Run)
			require.Zero(t, o.status, "%s: %s%s", step.Run, o.out, o.errors)
			ran++
		}
	}
	assert.Equal(t, 3, ran)
	assert.Contains(t, read(t, "summary.md"), "✅ The check passes (exit status 0): nothing that fails it was found. 3 same")
	assert.FileExists(t, "check.xml")

	h := hook(t, blocks[".pre-commit-config.yaml"])
	assert.Regexp(t, regexp.MustCompile(h.Files), "algos/methods/dsg.go")
	o := run(h.Entry)
	require.Zero(t, o.status, o.errors)
	assert.Contains(t, o.out, "3 same")
}
