package guard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"repro/results/changes"
	"repro/results/printed"
)

// A past is the history of a claim in `history --json`.
type past struct {
	Claim        string        `json:"claim"`            // experiment#claim
	Source       string        `json:"source,omitempty"` // runSource, empty for what was accepted
	Versions     []pastVersion `json:"versions"`
	ChangePoints []pastChange  `json:"change_points"`
	Gone         *revision     `json:"gone,omitempty"` // the commit that removed the claim
}

// runSource is the source of a history of runs.
const runSource = "runs"

// name names the claim, and the source if it is not the accepted baseline.
func (p *past) name() string {
	if p.Source != "" {
		return p.Claim + " (" + p.Source + ")"
	}
	return p.Claim
}

// changed returns the versions that differ from the one before, and the first.
func (p *past) changed() (all []pastVersion) {
	for i, v := range p.Versions {
		if i == 0 || len(v.Changed) > 0 {
			all = append(all, v)
		}
	}
	return all
}

// still reports whether nothing ever changed.
func (p *past) still() bool { return len(p.changed()) == 1 && p.Gone == nil }

// A pastVersion is an accepted state with the commit that made it the accepted one, or what a run of a commit measured.
type pastVersion struct {
	revision
	Dirty bool `json:"dirty,omitempty"` // the files of the run differed from the commit
	changes.Version
}

// mark names the commit, with a + for files that differed from it.
func (v pastVersion) mark() string { return marked(v.revision, v.Dirty) }

func marked(r revision, dirty bool) string {
	if dirty {
		return r.short() + "+"
	}
	return r.short()
}

// A pastChange is a commit from which on the level of a claim's number is another.
type pastChange struct {
	revision
	Dirty  bool    `json:"dirty,omitempty"`
	Before float64 `json:"before"` // means of the versions from the change point before, and up to the next one
	After  float64 `json:"after"`
	P      float64 `json:"p"`

	ratio bool // changes are ratios
}

// String says in one line what changed where.
func (c pastChange) String() string {
	return fmt.Sprintf("%s %s: %s", marked(c.revision, c.Dirty), c.Subject, c.words())
}

// words says what changed.
func (c pastChange) words() string {
	by := ""
	if c.ratio {
		by = " (×" + printed.Digits(c.After/c.Before, 3) + ")"
	}
	return fmt.Sprintf("from %s to %s%s, p ≤ %s", printed.Number(c.Before), printed.Number(c.After), by, printed.Digits(c.P, 2))
}

// latest returns the number of the last version.
func (p *past) latest() pastVersion { return p.Versions[len(p.Versions)-1] }

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// bars draws numbers as bars, from a low number to a high one, with · for NaN.
func bars(values []float64, low, high float64) string {
	line := make([]rune, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			line[i] = '·'
		case low == high:
			line[i] = sparks[0]
		default:
			line[i] = sparks[int(math.Round((v-low)/(high-low)*float64(len(sparks)-1)))]
		}
	}
	return string(line)
}

// sparklines draws two curves on one scale, logarithmic if all values are positive. A curve that is nil is empty.
func sparklines(before, after *changes.Curve) (b, a string) {
	curves := make([][]float64, 2)
	for i, c := range []*changes.Curve{before, after} {
		if c != nil {
			curves[i] = slices.Clone(c.Y)
		}
	}
	all := slices.Concat(curves...)
	if len(all) == 0 {
		return "", ""
	}
	low, high := slices.Min(all), slices.Max(all)
	if low > 0 {
		low, high = math.Log(low), math.Log(high)
		for _, c := range curves {
			for i, v := range c {
				c[i] = math.Log(v)
			}
		}
	}
	return bars(curves[0], low, high), bars(curves[1], low, high)
}

// A checkout is a folder of a git working tree.
type checkout struct{ dir string }

// A revision is a commit.
type revision struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the committer, as in 2026-11-22
	Subject string `json:"subject"`

	time string // of the committer, RFC 3339
}

// newRevision returns a commit with its time, RFC 3339.
func newRevision(commit, time, subject string) revision {
	date, _, _ := strings.Cut(time, "T")
	return revision{commit, date, subject, time}
}

// short returns the first characters of the commit's hash.
func (r revision) short() string { return r.Commit[:min(len(r.Commit), 9)] }

// git runs a git command in the folder and returns its standard output.
func (c checkout) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed; history, bisect and check --append need it")
	case err != nil && strings.Contains(said.String(), "not a git repository"):
		return "", fmt.Errorf("%s is not in a git repository; history, bisect and check --append read its commits", c.dir)
	case err != nil:
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out.String(), nil
}

// commit returns the full hash of a commit that a user named.
func (c checkout) commit(ctx context.Context, name string) (string, error) {
	out, err := c.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if _, outside := c.git(ctx, "rev-parse", "--git-dir"); outside != nil {
		return "", outside
	}
	if err != nil {
		return "", fmt.Errorf("%s: no such commit in %s", name, c.dir)
	}
	return strings.TrimSpace(out), nil
}

// worktree checks a commit out into a new folder. It returns the folder there that stands for the checkout's, and what removes the tree.
func (c checkout) worktree(ctx context.Context, tree, commit string) (work string, remove func() error, err error) {
	below, err := c.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", nil, err
	}
	if _, err := c.git(ctx, "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
		return "", nil, err
	}
	return filepath.Join(tree, filepath.FromSlash(strings.TrimSpace(below))), func() error {
		_, err := c.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", tree)
		return err
	}, nil
}

// programIn returns the path of a program that is built into a folder.
func programIn(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "program.exe")
	}
	return filepath.Join(dir, "program")
}

// compile runs a command that builds, in a folder.
func compile(ctx context.Context, dir string, command ...string) error {
	build := exec.CommandContext(ctx, command[0], command[1:]...)
	build.Dir = dir
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("it does not build: %s", cmp.Or(lastLine(string(said)), err.Error()))
	}
	return nil
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// revisions lists the commits that changed files below paths, the oldest first. Of a merge it lists the merge, not the commits
// that it brought, so that the list is one line of versions.
func (c checkout) revisions(ctx context.Context, paths ...string) ([]revision, error) {
	return c.log(ctx, append([]string{"--first-parent", "--reverse", "--"}, paths...)...)
}

// log lists the commits that git log lists with the given arguments.
func (c checkout) log(ctx context.Context, args ...string) ([]revision, error) {
	out, err := c.git(ctx, append([]string{"log", "--format=%H%x09%cI%x09%s"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []revision
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			all = append(all, newRevision(f[0], f[1], f[2]))
		}
	}
	return all, nil
}

// A blob is a file of a commit: its path below the folder and the hash of its content.
type blob struct{ path, hash string }

// blobs lists the files of the folder at a commit.
func (c checkout) blobs(ctx context.Context, commit string) ([]blob, error) {
	out, err := c.git(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	var all []blob
	for _, entry := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 {
			all = append(all, blob{path, f[2]})
		}
	}
	return all, nil
}
