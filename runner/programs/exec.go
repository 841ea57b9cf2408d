package programs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// drainTime is how long to wait for the output of a program that has ended or was killed.
const drainTime = 2 * time.Second

// An output holds the end of what a program wrote to each stream.
type output struct{ stdout, stderr tail }

// command runs one command in dir and returns what it wrote. If ctx ends, it kills the program and all processes that it
// started. If the program ends, it kills the processes that it left running. The error holds the last lines that the
// program wrote, or is ctx's.
func (p *Program) command(ctx context.Context, dir string, command []string) (*output, error) {
	out := &output{}
	cmd, g, err := p.prepare(ctx, dir, command)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = &out.stdout, &out.stderr
	if err = cmd.Start(); err == nil {
		err = errors.Join(g.add(), cmd.Wait())
	}
	g.close()
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return out, ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay):
		err = errors.New("ended, but processes that it started still held its output and were killed; let it wait for them")
	}
	return out, failed(command, err, out.words())
}

// failed returns an error of a command with the last words of the program, if there are any.
func failed(command []string, err error, words string) error {
	if words != "" {
		words = ": " + words
	}
	return fmt.Errorf("%s: %w%s", filepath.Base(command[0]), err, words)
}

// prepare returns a command that has not started, in its folder and with its environment, and the group that it is to run as.
func (p *Program) prepare(ctx context.Context, dir string, command []string) (*exec.Cmd, *group, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + dir, "USERPROFILE=" + dir, "TMPDIR=" + dir, "TEMP=" + dir, "TMP=" + dir}, p.env...)
	cmd.WaitDelay = drainTime
	g, err := newGroup(cmd)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Base(command[0]), err)
	}
	cmd.Cancel = g.kill
	return cmd, g, nil
}

// words returns the end of stderr on one line, or the end of stdout if stderr is empty.
func (o *output) words() string {
	if s := o.stderr.words(); s != "" {
		return s
	}
	return o.stdout.words()
}

// A tail holds the end of what is written to it.
type tail struct {
	b   []byte
	cut bool
}

// maxTail is the length in bytes of a tail.
const maxTail = 1000

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if len(b) > maxTail {
		b, t.cut = b[len(b)-maxTail:], true
	}
	t.b = append(t.b, b...)
	if extra := len(t.b) - maxTail; extra > 0 {
		t.b, t.cut = append(t.b[:0], t.b[extra:]...), true
	}
	return n, nil
}

// words returns the tail on one line, with bars between its lines and without control characters.
func (t *tail) words() string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.b), "")) {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			switch {
			case r == '\t':
				return ' '
			case !unicode.IsPrint(r):
				return -1
			}
			return r
		}, line))
		if line != "" {
			lines = append(lines, line)
		}
	}
	s := strings.Join(lines, " | ")
	if t.cut && s != "" {
		s = "… " + s
	}
	return s
}

// oneLine returns the end of a text of a program without control characters.
func oneLine(s string) string {
	var t tail
	_, _ = t.Write([]byte(s))
	return t.words()
}
