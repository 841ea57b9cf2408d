package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"repro/cmd/repro/exits"
	"repro/runner/goldentest"
)

// A guarded is a repository that a section of docs/guarding.md guards.
type guarded struct {
	workflow string
	root     string // of this repository
	printed  string // by the last check
}

// runs runs the lines of a block. A line says in a comment with which status it exits, if that is not 0.
func (g *guarded) runs(t *testing.T, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		want := 0
		if m := regexp.MustCompile(`# exits with (\d+)`).FindStringSubmatch(line); m != nil {
			want, _ = strconv.Atoi(m[1])
		}
		o := shell(t, line)
		require.Equal(t, want, o.status, "%s%s%s", line, o.out, o.errors)
		if strings.HasPrefix(line, "repro check") {
			g.printed = o.out
		}
	}
}

// runsWorkflow runs the steps of the workflow and of the action as a runner does, and returns what they wrote, what is on the page of
// the run, and the status of the first step that failed.
func (g *guarded) runsWorkflow(t *testing.T) (out string, summary string, status int) {
	t.Helper()
	temp := t.TempDir()
	here, err := os.Getwd()
	require.NoError(t, err)
	page := filepath.Join(temp, "summary.md")
	env := []string{"CI=true", "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + here, "GITHUB_STEP_SUMMARY=" + page, "RUNNER_TEMP=" + temp,
		"GITHUB_ACTION_PATH=" + filepath.Join(g.root, "docs", "action")}
	run := func(s step, env []string) {
		if status != 0 && s.If != "always()" {
			return
		}
		o := shell(t, s.Run, env...)
		if out += o.out + o.errors; status == 0 {
			status = o.status
		}
	}
	for _, s := range steps(t, g.workflow) {
		switch {
		case s.Run != "":
			run(s, env)
		case s.Uses == "OWNER/REPO/docs/action@REF":
			for _, s := range action(t, g.root, s.With) {
				of := env
				for name, value := range s.Env {
					of = append(of[:len(of):len(of)], name+"="+value)
				}
				run(s, of)
			}
		default:
			require.Regexp(t, `^actions/(checkout|setup-go)@v\d+$`, s.Uses)
		}
	}
	return out, read(t, page), status
}

// action returns the steps of docs/action with its inputs.
func action(t *testing.T, root string, with map[string]string) []step {
	t.Helper()
	a := decoded[struct {
		Name, Description string
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Runs struct {
			Using string
			Steps []step
		}
	}](t, read(t, filepath.Join(root, "docs", "action", "action.yml")))
	require.Equal(t, "composite", a.Runs.Using)
	for name := range with {
		require.Contains(t, a.Inputs, name)
	}
	for _, s := range a.Runs.Steps {
		require.Equal(t, "bash", s.Shell, "a step of an action names its shell")
		require.NotContains(t, s.Run, "${{", "what a user writes is no part of a script")
		for name, value := range s.Env {
			m := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) }}$`).FindStringSubmatch(value)
			require.NotNil(t, m, value)
			in, declared := a.Inputs[m[1]]
			require.True(t, declared, m[1])
			given, isGiven := with[m[1]]
			require.True(t, isGiven || !in.Required, m[1])
			if s.Env[name] = in.Default; isGiven {
				s.Env[name] = given
			}
		}
	}
	return a.Runs.Steps
}

// repositoryOf makes a repository with the files of an example. It is no Go module of ours.
func (g *guarded) repositoryOf(t *testing.T, folder string) {
	t.Helper()
	examples := filepath.Join(g.root, "docs", "examples", folder)
	if folder == "python" {
		withPython(t, examples)
	} else {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(examples)))
		t.Chdir(dir)
	}
	withCommands(t)
	for name, value := range map[string]string{
		"CI": "", "GITHUB_ACTIONS": "", "GITHUB_WORKSPACE": "", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GOWORK": "off",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
	} {
		t.Setenv(name, value)
	}
}

// TestGuardedRepositories follows two sections of docs/guarding.md as somebody with an optimiser of his own
// does: every command, hook and workflow as it stands there. With -update it writes what the red runs print.
func TestGuardedRepositories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	path := filepath.Join(root, "docs", "guarding.md")
	page := read(t, path)
	made := page
	for _, c := range []struct{ section, folder, tool, spec string }{
		{"Compiled programs", "go", "go", "kaczmarz.toml"}, {"Python", "python", "python3", "optimisers.toml"},
	} {
		t.Run(c.section, func(t *testing.T) {
			if _, err := exec.LookPath(c.tool); err != nil {
				t.Skipf("there is no %s here", c.tool)
			}
			if flag.Lookup("update").Value.String() != "true" && c.tool != "go" && os.Getenv("CI_FULL") == "" {
				t.Skip("starts hundreds of processes: with -update, and in .ci/full")
			}
			g := &guarded{root: root}
			g.repositoryOf(t, c.folder)
			_, section, found := strings.Cut(page, "\n## "+c.section+"\n")
			require.True(t, found)
			section, _, _ = strings.Cut(section, "\n## ")
			red := 0
			for _, f := range fences(section) {
				switch {
				case f.file == ".github/workflows/rates.yml":
					write(t, f.file, f.text)
					g.workflow = f.text
					out, summary, status := g.runsWorkflow(t)
					require.Zero(t, status, out)
					assert.Contains(t, summary, " same")
				case f.file == ".pre-commit-config.yaml":
					write(t, f.file, f.text)
					h := hook(t, f.text)
					assert.Regexp(t, h.Files, c.spec)
					g.runs(t, h.Entry)
				case f.file != "":
					write(t, f.file, f.text)
					require.NoError(t, os.Chmod(f.file, 0o755))
				case f.language == "sh":
					g.runs(t, f.text)
				case f.language == "text":
					red++
					assert.Contains(t, g.printed, "worse")
					made = strings.Replace(made, section, strings.Replace(section, "```text\n"+f.text+"```", "```text\n"+g.printed+"```", 1), 1)
					out, summary, status := g.runsWorkflow(t)
					assert.Equal(t, 1, status, out)
					assert.Contains(t, summary, "worse")
					assert.Contains(t, out, "::error file="+c.spec+",line=")
				default:
					t.Fatalf("what is this?\n%s", f.text)
				}
			}
			assert.Equal(t, 1, red, "a red run")
			if c.tool == "go" {
				endsOfAGuard(t, g)
			}
		})
	}
	goldentest.Equal(t, path, made)
}

// The container is built with the Go of go.mod.
func TestContainerfile(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, filepath.Join(root, "go.mod")))
	require.NotNil(t, version)
	assert.Contains(t, read(t, filepath.Join(root, "docs", "action", "Containerfile")), "/golang:"+version[1]+" AS build\n")
}

// endsOfAGuard holds a check to the statuses that the page lists, and annotations to the root of the repository.
func endsOfAGuard(t *testing.T, g *guarded) {
	const check = "repro check kaczmarz.toml --baseline accepted "
	require.NoError(t, os.Mkdir("inner", 0o755))
	o := shell(t, "cd inner && repro check ../kaczmarz.toml --allow-external --baseline ../accepted", "GITHUB_ACTIONS=true")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.errors, "::error file=kaczmarz.toml,line=15,")
	o = shell(t, check)
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.errors, "--allow-external allows them")
	require.NoError(t, os.Rename("kaczmarz", "elsewhere"))
	o = shell(t, check+"--allow-external")
	assert.Equal(t, 4, o.status)
	assert.Contains(t, o.out, "left out: mine/kaczmarz: program ")
}

// withPython moves the test into a copy of a folder with the package for Python, and puts a Python that has NumPy first in PATH.
func withPython(t *testing.T, folder string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder)))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "repro"), os.DirFS(filepath.Join("..", "..", "..", "docs", "python", "repro"))))
	withModule(t, "numpy")
	t.Chdir(dir)
}

// withModule puts a Python that has the module first in PATH. It skips without one.
func withModule(t *testing.T, module string) {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import "+module).Run() == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, "python3")))
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			return
		}
	}
	t.Skipf("no python3 here has the module %s; on Debian it is in python3-%[1]s", module)
}

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
		"pip":   "exit 0",
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

// The workflow of a module of one's own is valid YAML, and its check writes the page of the run.
func TestWorkflowOfAModule(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	workflow := read(t, filepath.Join(testdata, "..", "..", "..", "..", "docs", "examples", "module", ".github", "workflows", "check.yml"))
	workplace(t)
	write(t, "gate.toml", strings.Replace(read(t, filepath.Join(testdata, "gate.toml")), "faultable", "inverse", 1))
	for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
		t.Setenv(name, "")
	}
	require.Equal(t, int(exits.Incomplete), repro(t, "check", "gate.toml", "--baseline", "accepted").status)
	ok(t, "baseline", "accept", "gate.toml", "--baseline", "accepted", "--claim", "rate", "--claim", "better", "--claim", "features", "--reason", "the first", "--log", "log.tsv")
	withCommands(t)
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	t.Setenv("GITHUB_ACTIONS", "true")
	ran := 0
	for _, step := range steps(t, workflow) {
		if step.Run != "" && !strings.HasPrefix(step.Run, "go vet") { // of the whole module
			o := shell(t, strings.ReplaceAll(step.Run, "go run . check", "repro check gate.toml --baseline accepted"))
			require.Zero(t, o.status, "%s: %s%s", step.Run, o.out, o.errors)
			ran++
		}
	}
	assert.Equal(t, 2, ran)
	assert.Contains(t, read(t, "summary.md"), "✅ The check passes (exit status 0): nothing that fails it was found. 3 same")
	assert.FileExists(t, "check.xml")
}
