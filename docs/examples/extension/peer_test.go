package smoothing

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell runs a command in a folder and returns its status and what it printed.
func shell(t *testing.T, dir, name string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if failed := (&exec.ExitError{}); err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// edit replaces a part of a file, which must be there.
func edit(t *testing.T, file, old, replacement string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte(old), []byte(replacement)), 0o644))
}

// TestPeer is the life of a module in a git repository of its own, as its author lives it: build, accept, check, ship, break the step,
// and hand a bundle to somebody else, who takes the wrong program first.
func TestPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds three programs")
	}
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "GOFLAGS"} {
		t.Setenv(name, "")
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	top := t.TempDir()
	module := filepath.Join(top, "go") // not at the top of the repository
	require.NoError(t, os.CopyFS(module, os.DirFS(here)))
	require.NoError(t, os.RemoveAll(filepath.Join(module, "baseline", "ci")))
	edit(t, filepath.Join(module, "go.mod"), "=> ../../..", "=> "+filepath.ToSlash(filepath.Join(here, "..", "..", "..")))
	do := func(want int, dir, name string, args ...string) string {
		t.Helper()
		status, said := shell(t, dir, name, args...)
		require.Equal(t, want, status, "%s %v: %s", name, args, said)
		return said
	}
	commit := func(subject string) string {
		do(0, top, "git", "add", "-A")
		do(0, top, "git", "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", subject)
		return do(0, top, "git", "rev-parse", "HEAD")[:40]
	}
	do(0, top, "git", "init", "-q")
	first := commit("first")
	bin := filepath.Join(t.TempDir(), "myrepro")
	build := func() { do(0, module, "go", "build", "-o", bin, "./cmd/myrepro") }
	build()
	all := ""
	my := func(want int, args ...string) string {
		said := do(want, module, bin, args...)
		all += said
		return said
	}

	// Commands without arguments are about the module, which has accepted nothing yet.
	assert.Contains(t, my(0, "--version"), "myrepro devel (example.org/smoothing, commit "+first)
	assert.Regexp(t, `3\s+experiments`, my(0, "list"))
	assert.Contains(t, my(0, "list", "*/*"), "dai2014/ridge")
	assert.NotContains(t, my(0, "plan", "--profile", "smoke"), "dai2014")
	assert.Contains(t, my(4, "check", "--seeds", "10"), "compared with "+filepath.Join("baseline", "ci")+": 1 not comparable")
	my(0, "baseline", "accept", "--claim", "theorem", "--reason", "the first: equal seeds draw equal numbers")
	for _, file := range []string{"baseline/ci/smoothing/optimiser.json", "docs/data/results-log.tsv"} {
		assert.FileExists(t, filepath.Join(module, file))
	}
	assert.Contains(t, my(0, "check"), ": 1 same")
	assert.Contains(t, do(0, filepath.Join(module, "specs"), bin, "check", "smoothing/optimiser", "--out", filepath.Join(top, "out")), "compared with "+filepath.Join("..", "baseline", "ci"))
	assert.Contains(t, do(4, t.TempDir(), bin, "check"), "nothing of your own to check: this folder is in no checkout of example.org/smoothing")

	// What it ships works without a checkout: accepted numbers, and verdicts. At profile quick the experiment has the size of its claims.
	my(0, "run", "smoothing/last-doubling")
	assert.Contains(t, my(0, "baseline", "ship", "smoothing/last-doubling"), "written: "+filepath.Join("baseline", "paper", "smoothing.json"))
	my(2, "baseline", "ship", "dai2014/ridge")
	assert.NotContains(t, my(0, "list", "smoothing/last-doubling"), "1 of 1", "of the build before")
	commit("accepted")
	build()
	elsewhere := t.TempDir()
	for _, args := range [][]string{{"list"}, {"show", "smoothing/last-doubling"}, {"score"}} {
		assert.Regexp(t, `last-doubling +1 of 1|proved: 1 reproduced|last-doubling +proved +1`, do(0, elsewhere, bin, args...), "%v", args)
	}
	assert.Contains(t, do(0, elsewhere, bin, "check", "smoothing/optimiser"), "compared with the baseline that comes with example.org/smoothing at commit "+first)
	assert.Contains(t, my(0, "compare", "baseline", "out/check"), ": 1 same")

	// A bundle names its program, to those who have another.
	my(0, "run", "smoothing/optimiser", "--profile", "smoke")
	my(0, "judge", "--report")
	report, err := os.ReadFile(filepath.Join(module, "out", "report.html"))
	require.NoError(t, err)
	assert.Contains(t, string(report), "<dd>myrepro devel (example.org/smoothing, commit ")
	my(0, "bundle", "b.zip")
	assert.Contains(t, my(0, "judge", "b.zip"), "made by myrepro devel (example.org/smoothing, commit ")
	assert.Contains(t, my(0, "audit", "b.zip", "--sample", "2"), "2 with the same bits")
	other := filepath.Join(t.TempDir(), "repro")
	root := filepath.Join(here, "..", "..", "..")
	do(0, root, "go", "build", "-o", other, "./cmd/repro")
	path := strings.TrimSpace(do(0, root, "go", "list", "-m"))
	wrong := "it was made by myrepro of module example.org/smoothing, and this is repro of module " + path + ": use myrepro"
	assert.Contains(t, do(2, module, other, "audit", "b.zip"), wrong)
	assert.Contains(t, do(4, module, other, "check"), "nothing of your own to check: this folder is in no checkout of "+path+";")
	edit(t, filepath.Join(module, "baseline", "ci", "smoothing", "optimiser.json"), `"schema"`, `"scheme"`)
	assert.Contains(t, my(2, "check", "smoothing/optimiser"), filepath.Join("baseline", "ci", "smoothing", "optimiser.json"))
	do(0, top, "git", "checkout", "-q", ".")

	// A mistake in the step is found, at the line of the claim as the repository names it.
	edit(t, filepath.Join(module, "optimiser.go"), "Step.Gamma(f.T+1)", "Step.Gamma(int(math.Sqrt(float64(f.T+1))))")
	build()
	said := my(1, "check", "smoothing/optimiser", "--github")
	assert.Contains(t, said, "theorem: the slope moved from -")
	assert.Regexp(t, `::error file=go/specs/smoothing/optimiser\.toml,line=3\d`, said)

	assert.NotRegexp(t, regexp.MustCompile(`(^|[^\w./-])repro([^\w/.-]|$)`), regexp.MustCompile(`with repro devel|an example of repro`).ReplaceAllString(all, ""))
}
