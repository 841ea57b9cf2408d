package files

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// ours begins the names of temporary files. What follows is the name of the file that they become, a hyphen and digits.
const ours = ".repro-"

// abandoned is the age from which a temporary file counts as left behind: a file is written in seconds.
const abandoned = 10 * time.Minute

// Temporary reports whether a name is one of a temporary file.
func Temporary(name string) bool { return strings.HasPrefix(name, ours) }

// Abandoned reports whether a file is older than what a living process writes.
func Abandoned(info fs.FileInfo) bool { return time.Since(info.ModTime()) > abandoned }

// Leftovers lists the temporary files below a folder that no living process writes: what killed commands left. Those are the old
// ones, and those whose folder and later name are mine. mine may be nil.
func Leftovers(dir string, mine func(folder, name string) bool) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // gone meanwhile, or not ours
		}
		if err != nil {
			return err
		}
		name, temporary := strings.CutPrefix(f.Name(), ours)
		if !temporary || !f.Type().IsRegular() {
			return nil
		}
		info, err := f.Info()
		if err == nil && (Abandoned(info) || mine != nil && mine(filepath.Dir(path), name)) {
			paths = append(paths, path)
		}
		return nil // also if it has gone meanwhile
	})
	return paths, err
}
