package records

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Path returns where the record of a cell lies below the output folder dir:
// dir/records/<experiment>/<cell>.jsonl.
func Path(dir, experiment, cell string) string {
	return File(dir, "records", experiment, cell+".jsonl")
}

// joined returns where Join puts the records of an experiment: dir/records/<experiment>.jsonl.
func joined(dir, experiment string) string {
	return filepath.Clean(File(dir, "records", experiment, "")) + ".jsonl"
}

// File returns where a file of an experiment lies below the output folder dir:
// dir/<part>/<experiment>/<name>. The experiment's id may be any path with slashes; the
// result never lies outside dir/<part>. Slashes in name are escaped.
func File(dir, part, experiment, name string) string {
	id := path.Clean("/" + filepath.ToSlash(experiment))
	name = strings.NewReplacer("%", "%25", "/", "%2F", `\`, "%5C").Replace(name)
	return filepath.Join(dir, part, filepath.FromSlash(id), name)
}

// WriteFile replaces the file at path by data in one step and makes the folders above it, so that no reader sees half a
// file.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cannotWrite(path, err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return cannotWrite(path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(cannotWrite(path, err), os.Remove(f.Name()))
	}
	return nil
}

func cannotWrite(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("cannot write %s: %w; make the folder writable or name another with --out", path, err)
}
