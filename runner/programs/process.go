package programs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A process is a program that goes on while its lines are read.
type process struct {
	argv    []string
	cmd     *exec.Cmd
	group   *group
	stdin   io.WriteCloser
	output  *os.File
	lines   chan string   // closed at the end of its output
	drop    chan struct{} // closed when nobody reads on
	dropped sync.Once
	long    error // why lines was closed before that
	ended   chan struct{}
	err     error // how it ended; for those who know that it has
	stderr  tail  // the same
}

// open starts a command in dir and reads lines of at most so many bytes from it.
func (p *Program) open(dir string, command []string, longest int) (*process, error) {
	q := &process{argv: command, lines: make(chan string), drop: make(chan struct{}), ended: make(chan struct{})}
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
		return nil, failed(command, err, "")
	}
	added := q.group.add()
	go func() {
		q.err = errors.Join(added, q.cmd.Wait())
		q.group.close() // what it left running holds its output no longer
		close(q.ended)
	}()
	q.output = r
	go q.read(longest)
	return q, nil
}

// read hands on one line after another.
func (q *process) read(longest int) {
	defer close(q.lines)
	s := bufio.NewScanner(q.output)
	s.Buffer(make([]byte, 0, min(longest, 1<<16)), longest)
	for s.Scan() {
		select {
		case q.lines <- s.Text():
		case <-q.drop:
			return
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		q.long = fmt.Errorf("a line of its output has more than %d bytes", longest)
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

// next returns the next line. It waits no longer than the limit, and not long if ctx is done.
func (q *process) next(ctx context.Context, limit time.Duration) (string, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	done, cancelled := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case line, ok := <-q.lines:
			switch {
			case ok:
				return line, nil
			case q.long != nil:
				return "", q.long
			}
			return "", errEnd
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
	if errors.Is(why, errEnd) {
		if err := q.end(); err != nil {
			why = fmt.Errorf("%w: %w", why, err)
		}
	}
	q.kill()
	return failed(q.argv, why, q.stderr.words())
}
