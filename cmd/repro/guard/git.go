package guard

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A checkout is a folder of a git working tree.
type checkout struct{ dir string }

// A revision is a commit.
type revision struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the committer, as in 2026-11-22
	Subject string `json:"subject"`
}

// short returns the first characters of the commit's hash.
func (r revision) short() string { return r.Commit[:min(len(r.Commit), 9)] }

// git runs a git command in the folder and returns its standard output.
func (c checkout) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	out, err := output(cmd)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed; history and bisect need it")
	case err != nil && strings.Contains(err.Error(), "not a git repository"):
		return "", fmt.Errorf("%s is not in a git repository; history and bisect read its commits", c.dir)
	case err != nil:
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// output runs a command and returns its standard output. Its error ends with what it wrote to standard error.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// lastLine returns the last line of an error.
func lastLine(err error) string { return err.Error()[strings.LastIndexByte(err.Error(), '\n')+1:] }

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

// log lists the commits that git log lists with the given arguments.
func (c checkout) log(ctx context.Context, args ...string) ([]revision, error) {
	out, err := c.git(ctx, append([]string{"log", "--format=%H%x09%cs%x09%s"}, args...)...)
	var all []revision
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			all = append(all, revision{f[0], f[1], f[2]})
		}
	}
	return all, err
}
