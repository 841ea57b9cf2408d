// Package files reads and writes the files of an output folder, and of the cache; it also opens files of others and takes locks. No reader
// sees half a file. Nothing is written outside the folder: a file or a folder below it that is a symbolic link out of it is refused,
// and so is, for reading too, what is not a regular file.
//
// What Keep, KeepAll, New, Replace and Rename did survives a loss of power as soon as they return, and what Settle names does. What Write
// writes may be lost: the files that a command can make again, such as a report. All changes go through one function (disk.go), which
// tests replace.
package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"repro/results/printed"
)

// Path returns where a file of an experiment lies below the output folder dir:
// dir/<part>/<experiment>/<name>. The experiment's id may be any path with slashes; the
// result never lies outside dir/<part>. Slashes in name and control characters are escaped.
func Path(dir, part, experiment, name string) string {
	id := path.Clean("/" + filepath.ToSlash(experiment))
	name = escapeName.Replace(name)
	return filepath.Join(dir, part, filepath.FromSlash(escapeControls(id)), escapeControls(name))
}

var escapeName = strings.NewReplacer("%", "%25", "/", "%2F", `\`, "%5C")

// escapeControls replaces characters that would act on a terminal by their bytes, as in a URL.
func escapeControls(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		if printed.Harmful(r) || r == '\n' || r == '\t' || r == utf8.RuneError && n == 1 {
			for _, c := range []byte(name[:n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[:n])
		}
		name = name[n:]
	}
	return b.String()
}

// Open opens the file at path for reading. It refuses what is not a regular file, such as a pipe, without waiting for it.
func Open(path string) (*os.File, error) {
	f, err := OpenRegular(path)
	return f, inTheWay(err)
}

// Read reads the file at path, as Open opens it.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() < 1<<30 { // it may grow meanwhile
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// inTheWay says what to do about a file that is no regular one.
func inTheWay(err error) error {
	if errors.Is(err, ErrNotRegular) {
		return fmt.Errorf("%w: remove it, or name another folder with --out", err)
	}
	return err
}

// MakeFolder makes the folders above the file at path, which lies below the output folder dir. It refuses a symbolic link
// that leads out of dir.
func MakeFolder(dir, path string) error {
	root, _, err := inside(dir, path)
	if err != nil {
		return err
	}
	return root.Close()
}

// inside makes the folders above the file at path, which lies below the output folder dir, and returns the folder with the
// file's path in it. Through that root nobody can write outside the folder: a symbolic link that leads out of it is refused.
func inside(dir, path string) (*os.Root, string, error) {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, "", CannotWrite(path, err)
	}
	if err := makeFolders("", filepath.Clean(dir), os.Stat, os.Mkdir); err != nil {
		return nil, "", CannotWrite(path, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", CannotWrite(path, err)
	}
	// A process that ends removes the empty folders of locks, perhaps one that was just made here.
	if err := anew(func() error { return makeFolders(dir, filepath.Dir(name), root.Stat, root.Mkdir) }); err != nil {
		return nil, "", errors.Join(CannotWrite(path, err), root.Close())
	}
	return root, name, nil
}

// OpenForWriting opens the file at path, which lies below the output folder dir, to be written in place, and makes the folders
// above it. It refuses what is not a regular file, and a symbolic link that leads out of dir.
func OpenForWriting(dir, path string, flag int) (*File, error) {
	root, name, err := replaceable(dir, path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return open(root, name, path, os.O_RDWR|flag, 0o666)
}

// open opens a file below a root for writing.
func open(root *os.Root, name, path string, flag int, perm fs.FileMode) (f *File, err error) {
	op := Change{Op: OpCreate, Path: filepath.Join(root.Name(), name)}
	f = &File{path: op.Path}
	do := func() error {
		f.f, err = root.OpenFile(name, flag|nonblocking, perm)
		return err
	}
	if flag&os.O_CREATE != 0 {
		err = disk(op, do)
	} else {
		err = do()
	}
	if err != nil {
		return nil, CannotWrite(path, err)
	}
	f.f, err = opened(path, f.f)
	return f, inTheWay(err)
}

// replaceable is inside for a path that is free, or has a regular file.
func replaceable(dir, path string) (*os.Root, string, error) {
	root, name, err := inside(dir, path)
	if err != nil {
		return nil, "", err
	}
	if info, err := root.Lstat(name); err == nil {
		if err := CheckRegular(path, info); err != nil {
			return nil, "", errors.Join(CannotWrite(path, inTheWay(err)), root.Close())
		}
	}
	return root, name, nil
}

// Write replaces the file at path, which lies below the output folder dir, by data in one step, so that no reader sees half a file,
// and makes the folders above it. It does not touch a file that holds the data, nor follow symbolic links out of dir.
func Write(dir, path string, data []byte) error {
	if holds(path, data) {
		return nil
	}
	return replace(dir, path, func(f *File) error {
		_, err := f.Write(data)
		return err
	})
}

// WriteBy is Write for what write writes, which is not kept in memory. write is called a second time if the file does not hold it.
func WriteBy(dir, path string, write func(io.Writer) error) error {
	if old, err := Open(path); err == nil {
		c := comparison{bufio.NewReader(old)}
		err = write(c)
		_, more := c.ReadByte()
		if old.Close(); err == nil && more == io.EOF {
			return nil
		}
	}
	return replace(dir, path, func(f *File) error {
		b := bufio.NewWriterSize(f, 1<<20)
		return errors.Join(write(b), b.Flush())
	})
}

// A comparison compares what is written to it with a file.
type comparison struct{ *bufio.Reader }

var errDiffers = errors.New("the file has other bytes")

func (c comparison) Write(b []byte) (int, error) {
	for n := range b {
		if old, err := c.ReadByte(); err != nil || old != b[n] {
			return n, errDiffers
		}
	}
	return len(b), nil
}

func holds(path string, data []byte) bool {
	old, err := Read(path)
	return err == nil && bytes.Equal(old, data)
}

// Keep is Write for what must not be lost. It returns when the file is on the disk.
func Keep(dir, path string, data []byte) error { return KeepAll(dir, map[string][]byte{path: data}) }

// KeepAll is Keep for several files, by path. It writes them in the order of their paths, and syncs each of their folders once.
func KeepAll(dir string, contents map[string][]byte) error {
	if len(contents) == 0 {
		return nil
	}
	paths := slices.Sorted(maps.Keys(contents))
	var there []string // perhaps not on the disk yet
	for _, path := range paths {
		if holds(path, contents[path]) {
			there = append(there, path)
			continue
		}
		err := replace(dir, path, func(f *File) error {
			_, err := f.Write(contents[path])
			return errors.Join(err, f.Sync())
		})
		if err != nil {
			return err
		}
	}
	if err := Settle(dir, there...); err != nil {
		return err
	}
	return named(dir, paths...)
}

// Replace replaces the file at path, which lies below the output folder dir, as Keep does, by what write writes.
func Replace(dir, path string, write func(*File) error) error {
	err := replace(dir, path, func(f *File) error { return errors.Join(write(f), f.Sync()) })
	if err != nil {
		return err
	}
	return named(dir, path)
}

// New writes a file that must not be there yet, in a folder that is there. It returns when the file is on the disk.
func New(path string, data []byte, perm fs.FileMode) error {
	dir := filepath.Dir(path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := open(root, filepath.Base(path), path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", path)
	}
	if err != nil {
		return errors.New(strings.TrimSuffix(err.Error(), elsewhere)) // the user named the file itself
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close(), named(dir, path))
}

// replace replaces a file by what write writes, in one step. What write has not synced, and the name, may be lost.
func replace(dir, path string, write func(*File) error) error {
	root, name, err := replaceable(dir, path)
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := filepath.Join(filepath.Dir(name), fmt.Sprintf("%s%s-%d", ours, filepath.Base(name), rand.Uint32()))
	f, err := open(root, temporary, path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = rename(root, temporary, name)
	}
	if err != nil {
		return errors.Join(CannotWrite(path, err), remove(root, temporary))
	}
	return nil
}

// named puts the names of files on the disk.
func named(dir string, paths ...string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return settle(root, paths, func(string) error { return nil })
}

// Rename renames a file below the output folder dir. It returns when the new name is on the disk.
func Rename(dir, from, to string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	old, err := filepath.Rel(dir, from)
	name, err2 := filepath.Rel(dir, to)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if err := rename(root, old, name); err != nil {
		return err
	}
	return settle(root, []string{from, to}, func(string) error { return nil })
}

func rename(root *os.Root, from, to string) error {
	c := Change{Op: OpRename, Path: filepath.Join(root.Name(), from), To: filepath.Join(root.Name(), to)}
	return disk(c, func() error { return root.Rename(from, to) })
}

// Remove removes the file at path, which lies below the output folder dir, if it is there. After a loss of power it may be there again.
func Remove(dir, path string) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		err = remove(root, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func remove(root *os.Root, name string) error {
	return disk(Change{Op: OpRemove, Path: filepath.Join(root.Name(), name)}, func() error { return root.Remove(name) })
}

// elsewhere says how another output folder is named.
const elsewhere = " with --out"

// CannotWrite returns the error that the file at path, in the output folder, cannot be written, with what to do.
func CannotWrite(path string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	advice := "make the folder writable, or name another" + elsewhere
	switch {
	case errors.Is(err, ErrNotRegular):
		return fmt.Errorf("cannot write %w", err)
	case noSpace(err):
		advice = "free some space, or name another folder" + elsewhere
	case strings.Contains(err.Error(), "path escapes from parent"): // as os.Root says it
		advice = "a symbolic link on the way leads out of the output folder: remove it, or name the folder that it leads to with --out"
	}
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	return fmt.Errorf("cannot write %s: %w; %s", path, err, advice)
}

// Writable checks that files can be made in a folder or, if it does not exist, in the closest folder above it.
func Writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, not a folder", dir)
		}
		if err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return err
		}
		dir = parent
	}
	f, err := os.CreateTemp(dir, ".repro-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// ours begins the names of temporary files. What follows is the name of the file that they become, a hyphen and digits.
const ours = ".repro-"

// abandoned is the age from which a temporary file counts as left behind: a file is written in seconds.
const abandoned = 10 * time.Minute

// Temporary reports whether a name is one of a temporary file.
func Temporary(name string) bool { return strings.HasPrefix(name, ours) }

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
		if err == nil && (time.Since(info.ModTime()) > abandoned || mine != nil && mine(filepath.Dir(path), name)) {
			paths = append(paths, path)
		}
		return nil // also if it has gone meanwhile
	})
	return paths, err
}
