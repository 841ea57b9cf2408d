// Package regular opens files that other people and programs wrote, and refuses what is no regular file: to open a pipe is
// to wait for whoever writes to it, and a device may have no end.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNot matches, with errors.Is, the error of a path that leads to a folder, a pipe, a device or a socket.
var ErrNot = errors.New("not a regular file")

// ErrLarge matches, with errors.Is, the error of a file with more bytes than were asked for.
var ErrLarge = errors.New("too large")

// Open opens the file at path for reading, without waiting.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := Check(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	// Something else may have taken the file's place meanwhile.
	if info, err = f.Stat(); err == nil {
		err = Check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads the file at path, which may have at most that many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: %w: it has more than %d bytes", path, ErrLarge, most)
	}
	return data, err
}

// Check returns an ErrNot that says what the file at path is, if it is no regular one.
func Check(path string, info fs.FileInfo) error {
	what := "of an unknown kind"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%s is %s, %w", path, what, ErrNot)
}
