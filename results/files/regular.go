package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"
)

// ErrNotRegular matches, with errors.Is, the error of a path that leads to a folder, a pipe, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// ErrLarge matches, with errors.Is, the error of a file with more bytes than were asked for.
var ErrLarge = errors.New("too large")

// OpenRegular opens a file that other people and programs wrote. It refuses what is not a regular file: to open a pipe is to wait for
// whoever writes to it, and a device may have no end.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := CheckRegular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	return opened(path, f)
}

// opened returns f, or closes it if something else than a regular file took the place of the file at path before it was
// opened.
func opened(path string, f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil {
		err = CheckRegular(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Sum returns the SHA-256 of the file at path in hexadecimal.
func Sum(path string) (string, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// ReadRegular reads the file at path, which may have at most that many bytes.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
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

// CheckRegular returns an ErrNotRegular that says what the file at path is, if it is no regular one.
func CheckRegular(path string, info fs.FileInfo) error {
	if what := Kind(info.Mode()); what != "" {
		return fmt.Errorf("%s is %s, %w", path, what, ErrNotRegular)
	}
	return nil
}

// Kind says what a file is, "" for a regular file.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "of an unknown kind"
}

// A Cache holds what was read from files, as long as these stay as they are.
type Cache[T any] struct {
	Replaced bool     // the files are replaced by others and never changed, so that one that is new is as it stays
	versions sync.Map // of paths to a version[T]
}

// A version is a file as it was when it was read.
type version[T any] struct {
	info  fs.FileInfo
	value T
}

// longAgo is the age from which no change of a file goes unnoticed: a file system may note times of change in steps of 2 s.
const longAgo = 2 * time.Second

// Of returns what read returns for the file at path. It calls read once for a version of the file, unless that is an error, or
// the file has changed only just now.
func (c *Cache[T]) Of(path string, read func(path string) (T, error)) (T, error) {
	before, err := os.Stat(path)
	if err != nil {
		var none T
		return none, err
	}
	if v, ok := c.versions.Load(path); ok && same(v.(version[T]).info, before) {
		return v.(version[T]).value, nil
	}
	value, err := read(path)
	if err != nil {
		return value, err
	}
	if after, err := os.Stat(path); err == nil && same(before, after) && (c.Replaced || time.Since(after.ModTime()) > longAgo) {
		c.versions.Store(path, version[T]{after, value})
	}
	return value, nil
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// MkdirTemp is os.MkdirTemp in the folder for temporary files, with an error that says how to choose another one.
func MkdirTemp(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err == nil {
		return dir, nil
	}
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	return "", fmt.Errorf("no temporary folder can be made in %s: %w; set %s to a folder that you can write to", os.TempDir(), err, variable)
}
