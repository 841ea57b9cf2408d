package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
)

// An Op is what a Change does.
type Op string

// The operations. What a program has written is on the disk after OpSync of the file, and its name after OpSyncFolder of its folder.
const (
	OpCreate     Op = "create" // opens a file for writing, which is made if there is none
	OpWrite      Op = "write"
	OpTruncate   Op = "truncate"
	OpSync       Op = "sync"
	OpRename     Op = "rename"
	OpRemove     Op = "remove"
	OpMakeFolder Op = "make folder"
	OpSyncFolder Op = "sync folder"
)

// A Change is one operation on the disk. All that this package changes, it changes by Changes.
type Change struct {
	Op     Op
	Path   string // of the file or folder
	To     string // the new path, of OpRename
	Offset int64  // of OpWrite; the new length, of OpTruncate
	Data   []byte // of OpWrite
}

// disk makes a change: do asks the operating system for it.
var disk = func(_ Change, do func() error) error { return do() }

// settled holds the folders whose names are on the disk, and those of the folders above, by absolute path.
var settled = &sync.Map{}

// Through lets another function make all changes of this process until restore is called. Tests record changes, leave some out or let them
// fail. Nothing else of the process may use the package while Through or restore is called.
func Through(d func(c Change, do func() error) error) (restore func()) {
	was, known := disk, settled
	disk, settled = d, &sync.Map{}
	return func() { disk, settled = was, known }
}

// Unsynced is a disk for Through that leaves out syncs: for tests that write many files, which no loss of power must survive.
func Unsynced(c Change, do func() error) error {
	if c.Op == OpSync || c.Op == OpSyncFolder {
		return nil
	}
	return do()
}

// A File is a file that is open for writing.
type File struct {
	f    *os.File
	path string
	at   int64 // of the next Write
}

// Write writes at the place after the last Write or Seek.
func (f *File) Write(b []byte) (n int, err error) {
	err = disk(Change{Op: OpWrite, Path: f.path, Offset: f.at, Data: b}, func() error {
		n, err = f.f.Write(b)
		return err
	})
	f.at += int64(n)
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (n int, err error) {
	err = disk(Change{Op: OpWrite, Path: f.path, Offset: at, Data: b}, func() error {
		n, err = f.f.WriteAt(b, at)
		return err
	})
	return n, err
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (at int64, err error) {
	f.at, err = f.f.Seek(offset, whence)
	return f.at, err
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(b []byte, at int64) (int, error) { return f.f.ReadAt(b, at) }

// Truncate sets the length of the file.
func (f *File) Truncate(n int64) error {
	return disk(Change{Op: OpTruncate, Path: f.path, Offset: n}, func() error { return f.f.Truncate(n) })
}

// Sync puts what was written on the disk. The name of a new file may not be there yet: Settle puts it there.
func (f *File) Sync() error { return syncOpen(Change{Op: OpSync, Path: f.path}, f.f) }

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// A page has no disk, and Windows no sync of folders.
const (
	syncs        = runtime.GOOS != "js"
	syncsFolders = syncs && runtime.GOOS != "windows"
)

// syncOpen syncs an open file or folder. A file system that knows no sync has no promise to keep.
func syncOpen(c Change, f *os.File) error {
	if !syncs {
		return nil
	}
	return disk(c, func() error {
		if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
		return nil
	})
}

// Settle puts files below the output folder dir on the disk: their content, their names, and those of the folders on the way. Files
// that are not there are left out.
func Settle(dir string, paths ...string) error {
	if !syncs {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" { // syncs files only that may be written
		flag = os.O_RDWR
	}
	return settle(root, paths, func(name string) error {
		f, err := root.OpenFile(name, flag|nonblocking, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(syncOpen(Change{Op: OpSync, Path: filepath.Join(dir, name)}, f), f.Close())
	})
}

// settle puts the names of files below a root on the disk, after it has called first for each of them with its path below the root.
func settle(root *os.Root, paths []string, first func(name string) error) error {
	var folders, above []string
	for _, path := range paths {
		name, err := filepath.Rel(root.Name(), path)
		if err == nil {
			err = first(name)
		}
		if err != nil {
			return CannotWrite(path, err)
		}
		if folder := filepath.Dir(name); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if !syncsFolders {
		return nil
	}
	top, err := filepath.Abs(root.Name())
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := syncFolder(root, folder); err != nil {
			return err
		}
		path := filepath.Join(top, folder)
		for ; folder != "." && !isSettled(path); folder, path = filepath.Dir(folder), filepath.Dir(path) {
			if err := syncFolder(root, filepath.Dir(folder)); err != nil {
				return err
			}
			above = append(above, path)
		}
		for ; path != filepath.Dir(path) && !isSettled(path); path = filepath.Dir(path) {
			if err := syncAbove(filepath.Dir(path)); err != nil {
				return err
			}
			above = append(above, path)
		}
		for _, path := range above {
			settled.Store(path, true)
		}
	}
	return nil
}

func isSettled(path string) bool {
	_, ok := settled.Load(path)
	return ok
}

// syncFolder puts the names in a folder below a root on the disk.
func syncFolder(root *os.Root, name string) error {
	path := filepath.Join(root.Name(), name)
	f, err := root.Open(name)
	if err == nil {
		err = errors.Join(syncOpen(Change{Op: OpSyncFolder, Path: path}, f), f.Close())
	}
	if err != nil {
		return CannotWrite(path, err)
	}
	return nil
}

// syncAbove is syncFolder for a folder above an output folder, of which the user may not be allowed to see the names.
func syncAbove(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return syncOpen(Change{Op: OpSyncFolder, Path: path}, f)
}

// makeFolders makes the folder called name and those above it. prefix is the path of what name is relative to.
func makeFolders(prefix, name string, stat func(string) (fs.FileInfo, error), mkdir func(string, fs.FileMode) error) error {
	info, err := stat(name)
	if err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(name); err != nil && parent != name {
		if err := makeFolders(prefix, parent, stat, mkdir); err != nil {
			return err
		}
	}
	path := filepath.Join(prefix, name)
	err = disk(Change{Op: OpMakeFolder, Path: path}, func() error { return mkdir(name, 0o777) })
	if errors.Is(err, fs.ErrExist) { // of another process, or a file, or a link that leads elsewhere
		if info, err = stat(name); err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
		}
		return err
	}
	if abs, e := filepath.Abs(path); e == nil {
		settled.Delete(abs)
	}
	return err
}
