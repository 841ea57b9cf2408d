package programs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"repro/experiments"
	"repro/results/files"
)

// A Folder is where the programs of a run read and write: a folder of its own for each, and the files of rows that they share. It is
// made when the first program needs it. Its zero value is ready to use.
type Folder struct {
	mu   sync.Mutex
	dir  string
	lock files.Lock
	made int          // shared files so far
	rows []sharedFile // the latest last

	idle   []*Served              // programs that another cell may take, the latest last
	laws   sync.Map               // of what was found out about methods: a func() (promise, error) by *experiments.External
	slow   sync.Map               // methods of which the user knows that their program is slow to begin
	alive  sync.Map               // methods whose program has done something
	broken atomic.Pointer[string] // why a program ended before it did anything
}

// A sharedFile is a file of rows that is written once.
type sharedFile struct {
	key  string
	path string
	info fs.FileInfo // once it was written
}

// KeptRows is how many data sets have their files of rows kept for the next program that reads them.
const KeptRows = 8

// folderName begins the names of folders of runs, in the folder for temporary files.
const folderName = "repro-external-"

// place makes a folder for a program.
func (f *Folder) place() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		sweep()
		dir, err := files.MkdirTemp(folderName + "*")
		if err != nil {
			return "", err
		}
		f.dir = dir
		f.lock, _ = files.NewLocker().Take(filepath.Join(dir, "lock")) // without one, nobody removes the folder of a run that was killed
	}
	return os.MkdirTemp(f.dir, "cell-*")
}

// sweep removes the folders of runs that were killed: those that have lasted for a while and whose lock nobody holds.
func sweep() {
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), folderName+"*")) // the pattern is right
	for _, dir := range all {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, "lock")); err != nil {
			continue
		}
		if lock, err := files.NewLocker().Take(filepath.Join(dir, "lock")); err == nil {
			lock.Release() // Windows removes no file that is open
			os.RemoveAll(dir)
		}
	}
}

// share puts a file of rows at path, for reading only: a link to the one that was written for the same key before, if that is still
// as it was. An empty key has a file of its own.
func (f *Folder) share(key, path string, write func(path string) error) error {
	if key == "" {
		return write(path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := sharedFile{key: key}
	if i := slices.IndexFunc(f.rows, func(s sharedFile) bool { return s.key == key }); i >= 0 {
		s = f.rows[i]
		f.rows = slices.Delete(f.rows, i, i+1) // it is the latest now
		if now, err := os.Stat(s.path); err != nil || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
			return errors.Join(fmt.Errorf("%s: a program changed this file of rows, which others read, too; let it copy the file first", filepath.Base(path)), os.Remove(s.path))
		}
	} else if err := f.write(&s, write); err != nil {
		return err
	}
	f.rows = append(f.rows, s)
	if kinds := 3; len(f.rows) > kinds*KeptRows { // training, test, and training inputs
		os.Remove(f.rows[0].path) // who reads it has a link
		f.rows = f.rows[1:]
	}
	if os.Link(s.path, path) != nil { // not every file system has links
		return write(path)
	}
	return nil
}

// write writes a file that is to be shared.
func (f *Folder) write(s *sharedFile, write func(path string) error) (err error) {
	f.made++
	s.path = filepath.Join(f.dir, fmt.Sprintf("rows%d", f.made))
	if err = write(s.path); err == nil {
		err = os.Chmod(s.path, 0o444)
	}
	if err == nil {
		s.info, err = os.Stat(s.path)
	}
	if err != nil {
		os.Remove(s.path)
	}
	return err
}

// once returns what find returns for the first cell of a method.
func (f *Folder) once(method *experiments.External, find func() (promise, error)) (promise, error) {
	law, _ := f.laws.LoadOrStore(method, sync.OnceValues(find))
	return law.(func() (promise, error))()
}

// worked notes that the program of a method has done something.
func (f *Folder) worked(method *experiments.External) {
	if f != nil {
		f.alive.Store(method, true)
	}
}

// broke notes why a program ended before it did anything, unless it has done something in this run.
func (f *Folder) broke(method *experiments.External, why string) {
	if f == nil {
		return
	}
	if _, ok := f.alive.Load(method); !ok {
		f.broken.CompareAndSwap(nil, &why)
	}
}

// Broken returns why a program ended before it did anything, as one that cannot import a module does; empty if none did. Its other cells
// would end like that, too.
func (f *Folder) Broken() string {
	if why := f.broken.Load(); why != nil {
		return *why
	}
	return ""
}

// mostIdle is how many programs wait for another cell.
const mostIdle = 8

// keep keeps a program for other cells of its method.
func (f *Folder) keep(s *Served) error {
	f.mu.Lock()
	var first *Served
	if f.idle = append(f.idle, s); len(f.idle) > mostIdle {
		first, f.idle = f.idle[0], f.idle[1:]
	}
	f.mu.Unlock()
	if first != nil {
		return first.stop()
	}
	return nil
}

// take returns an idle session of a program's method with its command and environment, nil if there is none.
func (f *Folder) take(p *Program) *session {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.idle) - 1; i >= 0; i-- {
		s := f.idle[i]
		select {
		case <-s.ended: // it did not wait
			continue
		default:
		}
		if s.method == p.method && slices.Equal(s.serve, p.serve) && slices.Equal(s.env, p.env) && s.rows.longestReply() >= p.rows.longestReply() {
			f.idle = slices.Delete(f.idle, i, i+1)
			return s.session
		}
	}
	return nil
}

// empty removes what is in a folder.
func empty(dir string) error {
	all, err := os.ReadDir(dir)
	for _, e := range all {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// Close ends the idle programs and removes the folder.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range f.idle {
		wg.Go(func() { _ = s.stop() })
	}
	wg.Wait()
	f.idle = nil
	if f.dir == "" {
		return nil
	}
	if f.lock != nil {
		f.lock.Release()
	}
	err := os.RemoveAll(f.dir)
	f.dir, f.lock, f.rows = "", nil, nil
	return err
}
