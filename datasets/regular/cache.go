package regular

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// A Cache holds what was read from files, as long as these stay as they are.
type Cache[T any] struct {
	versions sync.Map // of paths to a version[T]
}

// A version is a file as it was when it was read.
type version[T any] struct {
	info  fs.FileInfo
	value T
}

// settled is the age from which no change of a file goes unnoticed: a file system may note times of change in steps of 2 s.
const settled = 2 * time.Second

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
	if after, err := os.Stat(path); err == nil && same(before, after) && time.Since(after.ModTime()) > settled {
		c.versions.Store(path, version[T]{after, value})
	}
	return value, nil
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
