package programs

import (
	"os"
	"sync"

	"repro/results/files"
)

// A Log is the file of what the programs of a cell print besides numbers. The first byte makes it.
type Log struct {
	Dir, Path string // Path lies below Dir

	mu   sync.Mutex
	size int
}

// mostLog is the size in bytes that a log ends at.
const mostLog = 16 << 20

// write adds what a program printed. A log that cannot be written is no reason to stop a program.
func (l *Log) write(b []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size >= mostLog {
		return
	}
	if l.size += len(b); l.size >= mostLog {
		b = append(b[:len(b):len(b)], "\n… and more, which the log leaves out\n"...)
	}
	f, err := files.OpenForWriting(l.Dir, l.Path, os.O_CREATE|os.O_APPEND)
	if err == nil {
		_, _ = f.Write(b)
		f.Close()
	}
}

// where says where the log is, if there is something in it.
func (l *Log) where() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size == 0 {
		return ""
	}
	return "; all that it printed is in " + l.Path
}
