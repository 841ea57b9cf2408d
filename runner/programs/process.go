package programs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

// A process is a program that goes on while its lines are read.
type process struct {
	of      *Program // nil if nobody is told of it
	argv    []string
	cmd     *exec.Cmd
	group   *group
	stdin   io.WriteCloser
	output  *os.File
	lines   chan string   // closed at the end of its output
	drop    chan struct{} // closed when nobody reads on
	dropped sync.Once
	unread  error // why lines was closed before that
	spoke   bool  // a line was read
	ended   chan struct{}
	err     error       // how it ended; for those who know that it has
	held    atomic.Bool // processes that it had started held its output after it had ended; the same
	stderr  speech
}

// open starts a command in dir and reads lines of at most so many bytes from it.
func (p *Program) open(dir string, command []string, longest int) (*process, error) {
	q := &process{of: p, argv: command, stderr: speech{log: p.Log}, lines: make(chan string), drop: make(chan struct{}), ended: make(chan struct{})}
	var err error
	if q.cmd, q.group, err = p.prepare(context.Background(), dir, command); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	q.cmd.Stdout, q.cmd.Stderr = w, &q.stderr
	if q.stdin, err = q.cmd.StdinPipe(); err == nil {
		err = q.cmd.Start()
	}
	w.Close()
	if err != nil {
		r.Close()
		q.group.close()
		return nil, p.failed(command, err, &speech{}, false)
	}
	added := q.group.add()
	q.output = r
	go func() {
		err := q.cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) { // it ended well
			q.held.Store(true)
			err = nil
		}
		q.err = errors.Join(added, err)
		q.group.close()                                         // what it left running in its group holds its output no longer
		_ = q.output.SetReadDeadline(time.Now().Add(lastWords)) // else all that holds it is in the group
		close(q.ended)
	}()
	go q.read(longest)
	return q, nil
}

// lastWords is how long to wait for lines of processes that a program which has ended left running.
const lastWords = 300 * time.Millisecond

// A drain is the output of a program. After the program has ended it has an end, though other processes hold it: where nothing more is
// in the pipe, or after as many bytes as a pipe holds.
type drain struct {
	*process
	left int
}

const pipeBytes = 1 << 16

// Read implements io.Reader.
func (d *drain) Read(b []byte) (int, error) {
	n, err := d.output.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	d.held.Store(true)
	if d.left > 0 { // whoever takes the lines may have been slow
		_ = d.output.SetReadDeadline(time.Now().Add(lastWords))
		if n, err = d.output.Read(b[:min(len(b), d.left)]); err == nil {
			d.left -= n
			_ = d.output.SetReadDeadline(time.Now())
			return n, nil
		}
	}
	return 0, io.EOF
}

// byteOrderMark is what some programs write before UTF-8.
const byteOrderMark = "\ufeff"

// read hands on one line after another.
func (q *process) read(longest int) {
	defer close(q.lines)
	s := bufio.NewScanner(&drain{q, pipeBytes})
	s.Buffer(make([]byte, 0, min(longest, 1<<16)), longest)
	for first := true; s.Scan(); first = false {
		text := s.Text()
		if first && (strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")) {
			q.unread = errors.New("its output is UTF-16; let it print UTF-8")
			return
		}
		if first {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		select {
		case q.lines <- text:
		case <-q.drop:
			return
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		q.unread = fmt.Errorf("a line of its output has more than %d bytes", longest)
	}
}

// What next returns at the end of the output and after its limit.
var (
	errEnd    = errors.New("its output ended before it replied")
	errClosed = errors.New("the program went on and was killed")
	errLate   = errors.New("took too long")
)

// ErrCancelled is the error of a program that was killed because the run was cancelled.
var ErrCancelled = errors.New("cancelled")

// grace is how long a program may take to end what it does after Ctrl-C, so that its state can be saved.
const grace = 300 * time.Millisecond

// slow is how long a program may print nothing before the user learns of it.
const slow = 10 * time.Second

// silence is what may be wrong with a program that prints nothing.
const silence = "it is slow to begin, as an import of 30 s makes it, or what it prints waits in a buffer: flush after each line, in Python by print(…, flush=True) or python3 -u"

// next returns the next line. It waits no longer than the limit, and not long if ctx is done.
func (q *process) next(ctx context.Context, limit time.Duration) (string, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	done, cancelled, silent := ctx.Done(), (<-chan time.Time)(nil), (<-chan time.Time)(nil)
	if q.of != nil && !q.spoke {
		timer := time.NewTimer(slow)
		defer timer.Stop()
		silent = timer.C
	}
	for {
		select {
		case line, ok := <-q.lines:
			switch {
			case ok:
				if q.spoke = true; q.of != nil {
					q.of.rows.Folder.worked(q.of.method)
				}
				return line, nil
			case q.unread != nil:
				return "", q.unread
			}
			return "", errEnd
		case <-silent:
			if _, told := q.of.rows.Folder.slow.LoadOrStore(q.of.method, true); !told {
				q.of.note(fmt.Sprintf("%s has printed nothing for %v: %s", filepath.Base(q.argv[0]), slow, silence))
			}
		case <-timeout.C:
			return "", errLate
		case <-done:
			done, cancelled = nil, time.After(grace)
		case <-cancelled:
			return "", ErrCancelled
		}
	}
}

// kill ends the process with all that it started, and waits until it has.
func (q *process) kill() {
	q.dropped.Do(func() {
		select {
		case <-q.ended: // another process may have its number now
		default:
			_ = q.group.kill() // it may be ending
		}
		close(q.drop)
		q.output.Close()
	})
	<-q.ended
}

// end waits for the process, which has closed its output, and returns how it ended. It kills one that goes on, and returns errClosed.
func (q *process) end() error {
	select {
	case <-q.ended:
		q.kill()
		return q.err
	case <-time.After(drainTime):
		q.kill()
		return errClosed
	}
}

// failure kills the process and returns why, with its exit status if it ended by itself and with its last words.
func (q *process) failure(why error) error {
	dead := errors.Is(why, errEnd)
	if dead {
		if err := q.end(); err != nil {
			why = fmt.Errorf("%w: %w", why, err)
		}
	}
	q.kill()
	return q.of.failed(q.argv, why, &q.stderr, dead && !q.spoke)
}

// drainTime is how long to wait for the output of a program that has ended or was killed.
const drainTime = 2 * time.Second

// An output holds the end of what a program wrote to each stream.
type output struct{ stdout, stderr speech }

// command runs one command in dir and returns what it wrote. If ctx ends, it kills the program and all processes that it
// started. If the program ends, it kills the processes that it left running. The error holds the last lines that the
// program wrote, or is ctx's.
func (p *Program) command(ctx context.Context, dir string, command []string) (*output, error) {
	out := &output{stdout: speech{log: p.Log}, stderr: speech{log: p.Log}}
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
		p.rows.Folder.worked(p.method)
		return out, nil
	case ctx.Err() != nil:
		return out, ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay): // it ended well
		p.note(leftRunning)
		return out, nil
	}
	return out, p.failed(command, err, out.last(), true)
}

// leftRunning is the note on a program that ended well, but for what it had started.
const leftRunning = "the program ended, and processes that it had started still held its output; they were killed, unless they have a session of their own; let it wait for them"

// note tells of something that the user should know, if somebody listens.
func (p *Program) note(text string) {
	if p.Note != nil {
		p.Note(text)
	}
}

// failed returns an error of a command with the last that the program said, if it said anything: of a traceback in Python, what was raised.
// dead says that the program ended before it did anything.
func (p *Program) failed(command []string, err error, said *speech, dead bool) error {
	name := filepath.Base(command[0])
	if dead && p != nil {
		p.rows.Folder.broke(p.method, fmt.Sprintf("%s: %v: %s%s", name, err, cmp.Or(said.words(false), "it printed nothing"), p.Log.where()))
	}
	words := said.words(true)
	if words != "" {
		words = ": " + words
	}
	return fmt.Errorf("%s: %w%s", name, err, words)
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

// last returns what was said on stderr, or on stdout if stderr is empty.
func (o *output) last() *speech {
	if o.stderr.words(false) != "" {
		return &o.stderr
	}
	return &o.stdout
}

// A speech keeps the end of what a program writes, and passes all of it on to a log.
type speech struct {
	mu sync.Mutex
	tail
	log *Log // nil if there is none
}

// Write implements io.Writer.
func (s *speech) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.write(b)
	return s.tail.Write(b)
}

// turn begins anew, with another log.
func (s *speech) turn(log *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail, s.log = tail{}, log
}

func (s *speech) words(raised bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tail.words(raised)
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

// words returns the tail on one line, with bars between its lines and without control characters; if raised, only what follows the frames
// of a traceback in Python.
func (t *tail) words(raised bool) string {
	var lines []string
	text, cut := strings.ToValidUTF8(string(t.b), ""), t.cut
	if at := strings.LastIndex(text, "\n  File \""); raised && at >= 0 {
		_, frames, _ := strings.Cut(text[at:], "\n")
		if end := afterFrames.FindStringIndex(frames); end != nil {
			text, cut = frames[end[0]:], false
		}
	}
	for line := range strings.Lines(text) {
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
	if cut && s != "" {
		s = "… " + s
	}
	return s
}

// afterFrames matches the beginning of the line after the frames of a traceback, which are indented.
var afterFrames = regexp.MustCompile(`(?m)^\S`)

// oneLine returns the end of a text of a program without control characters.
func oneLine(s string) string {
	var t tail
	_, _ = t.Write([]byte(s))
	return t.words(false)
}
