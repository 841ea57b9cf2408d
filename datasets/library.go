package datasets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"repro/datasets/formats"
	"repro/results/files"
	"repro/results/printed"
)

// A Library finds, fetches and opens data. Its methods may be called concurrently; its fields may
// not change meanwhile. The zero value has no search path, no cache folder and a silent log.
type Library struct {
	CacheDir   string   // where downloads are kept
	Mirror     string   // address or folder, arranged like a cache folder, that is asked for files before their own addresses; may be empty
	SearchPath []string // folders with data that is already here, looked at first
	Offline    bool     // download nothing
	Memory     int64    // bytes that a data set may take, 0 for what this machine or its container has

	// Log receives what a user may want to know, such as a retried download; nil discards it.
	Log func(format string, args ...any)

	client *client       // nil for the default
	pause  time.Duration // before the first retry of a download, 0 for the default
	window time.Duration // that the rate of a download is the mean over, 0 for the default
	now    func() time.Time

	mu       sync.Mutex
	verified map[string]stamp // by path: files whose checksum was found right
	loading  []*loaded        // by options: sets in memory, or on their way there, the most recently used last
	fresh    map[string]bool  // by path: downloads without a checksum that this process saw first
	fetching sync.Mutex
	locks    *files.Locker // of files of the cache, nil before the first
}

// A stamp distinguishes a file from a later one of the same name.
type stamp struct {
	size int64
	time time.Time
}

// NewLibrary returns a library whose search path is the environment variable REPRO_DATA, a list of folders. Its cache is the
// folder REPRO_CACHE, or else the folder repro/datasets of the user's cache folder; its mirror is REPRO_MIRROR.
func NewLibrary() *Library {
	l := &Library{CacheDir: os.Getenv("REPRO_CACHE"), Mirror: os.Getenv("REPRO_MIRROR")}
	if dir, err := os.UserCacheDir(); l.CacheDir == "" && err == nil {
		if runtime.GOOS == "windows" {
			dir = filepath.Join(dir, "cache")
		}
		l.CacheDir = filepath.Join(dir, "repro", "datasets")
	}
	for _, dir := range filepath.SplitList(os.Getenv("REPRO_DATA")) {
		if dir != "" {
			l.SearchPath = append(l.SearchPath, dir)
		}
	}
	return l
}

func (l *Library) logf(format string, args ...any) {
	if l.Log != nil {
		l.Log(format, args...)
	}
}

// A Located is a file of a source and where it was found.
type Located struct {
	RemoteFile
	Path     string // "" if it is not on this machine
	Cached   bool   // it lies in the cache folder, not on the search path
	Verified bool   // its published checksum is right
	Since    string // the day of the first download that it is the same as, if no checksum is published and this process did not see it first
	Err      error  // what is wrong with it, nil if it is absent
}

// Locate looks for the files of a source and verifies the checksums of those it finds. A generated
// source has none.
func (l *Library) Locate(ctx context.Context, name string) ([]Located, error) {
	s, err := lookup(name)
	if err != nil {
		return nil, err
	}
	found := l.locate(ctx, s)
	return found, ctx.Err()
}

func (l *Library) locate(ctx context.Context, s *Source) []Located {
	_, found := l.look(s)
	for i := range found {
		l.judge(ctx, &found[i])
	}
	return found
}

// judge verifies the checksum of a file that was found.
func (l *Library) judge(ctx context.Context, f *Located) {
	if f.Path == "" {
		return
	}
	known, err := l.known(f)
	if err == nil {
		err = l.verify(ctx, f.Path, &known)
	}
	f.Err, f.Verified = err, err == nil && f.checksummed()
	if err == nil && !l.isFresh(f.Path) {
		f.Since = known.since
	}
}

// known returns a file with all that is known of it.
func (l *Library) known(f *Located) (RemoteFile, error) {
	if !f.Cached {
		return f.RemoteFile, nil
	}
	return l.trusted(f.Path, f.RemoteFile)
}

// look returns the first form of a source whose files are all on this machine, or whose training rows are, and where its files
// are; the canonical form if there is none. It verifies nothing.
func (l *Library) look(s *Source) (Form, []Located) {
	absent := func(f Located) bool { return f.Path == "" }
	forms, part := s.forms(), -1 // the first form of which the training rows are here
	all := make([][]Located, len(forms))
	for i, f := range forms {
		for _, file := range f.Files {
			all[i] = append(all[i], l.find(s, file))
		}
		if !slices.ContainsFunc(all[i], absent) {
			return f, all[i]
		}
		if part < 0 && !slices.ContainsFunc(all[i][:len(f.trains())], absent) {
			part = i
		}
	}
	part = max(part, 0)
	return forms[part], all[part]
}

// find returns where a source's file is. On the search path it may lie in a folder named like the source or beside it, and be
// compressed or not.
func (l *Library) find(s *Source, file RemoteFile) Located {
	stem := trimCompression(file.Name)
	names := []string{file.Name, stem}
	for _, ext := range compressions {
		names = append(names, stem+ext)
	}
	for _, root := range l.SearchPath {
		for _, dir := range []string{filepath.Join(root, s.folder()), root} {
			for _, name := range names {
				if p := filepath.Join(dir, name); exists(p) {
					return Located{RemoteFile: file, Path: p}
				}
			}
		}
	}
	if p := l.cachePath(s.folder(), file.Name); l.CacheDir != "" && exists(p) {
		return Located{RemoteFile: file, Path: p, Cached: true}
	}
	return Located{RemoteFile: file}
}

func (l *Library) cachePath(source, file string) string {
	return filepath.Join(l.CacheDir, source, file)
}

// exists reports whether there is something other than a folder: a data set's folder may be named like its file.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// notFile says why the path leads to no file, "" if it leads to one.
func notFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "there is no file " + path
	}
	if err := files.CheckRegular(path, info); err != nil {
		return err.Error()
	}
	return ""
}

// verify hashes the file at path and compares it with f, once per process unless it changes. A file
// whose checksum nobody knows is taken as it is.
func (l *Library) verify(ctx context.Context, path string, f *RemoteFile) error {
	if why := notFile(path); why != "" {
		return formats.Faultf(formats.ErrFormat, "%s: remove it, or give another folder in REPRO_DATA", why)
	}
	if !f.checksummed() {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	now := stamp{info.Size(), info.ModTime()}
	l.mu.Lock()
	known := l.verified[path] == now
	l.mu.Unlock()
	if known {
		return nil
	}
	if err := hashFile(ctx, path, f); err != nil {
		return wrongFile(err)
	}
	l.setVerified(path, now)
	return nil
}

// wrongFile adds to a checksum error what to do.
func wrongFile(err error) error {
	return fmt.Errorf("%w; remove the file and run %s", err, printed.Command("fetch"))
}

func (l *Library) setVerified(path string, s stamp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.verified == nil {
		l.verified = map[string]stamp{}
	}
	l.verified[path] = s
}

// Available reports whether the named source can be opened without a download, and why. It looks for the files but does not
// read them.
func (l *Library) Available(name string) (ok bool, reason string) {
	return l.Ready(Options{Name: name}, "")
}

// Absent returns the files of a registered data set that are not on this machine, and how many files it has. It verifies
// none.
func (l *Library) Absent(name string) (absent []RemoteFile, all int) {
	s, err := lookup(name)
	if err != nil {
		return nil, 0
	}
	_, files := l.look(s)
	for _, f := range files {
		if f.Path == "" {
			absent = append(absent, f.RemoteFile)
		}
	}
	return absent, len(files)
}

// Ready is Available for the data that o describes, which may be the user's own files; a test file that o does not use may
// be missing. Paths in o are relative to specDir.
func (l *Library) Ready(o Options, specDir string) (ok bool, reason string) {
	if o.Name == "" && o.File == "" {
		return true, "there is none"
	}
	if o.Name == "" {
		for _, f := range o.ownFiles() {
			if why := notFile(resolve(specDir, f.path)); why != "" {
				return false, fmt.Sprintf("data.%s: %s", f.key, why)
			}
		}
		return true, "your own file"
	}
	s, err := lookup(o.Name)
	if err != nil {
		return false, err.Error()
	}
	if s.Generated() {
		return true, "generated"
	}
	var dirs, absent []string
	for _, f := range o.filesOf(l.look(s)) {
		if f.Path == "" {
			absent = append(absent, f.Name)
		} else if why := notFile(f.Path); why != "" {
			return false, why
		} else if dir := filepath.Dir(f.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(absent) > 0 && s.Bring != "" {
		return false, fmt.Sprintf("%s not found: %s", strings.Join(absent, ", "), l.bring(s))
	}
	if len(absent) > 0 {
		return false, fmt.Sprintf("%s not found: run %s", strings.Join(absent, ", "), printed.Command("fetch "+s.Name))
	}
	return true, "in " + strings.Join(dirs, ", ")
}

// missing is the error for a source's file that is not on this machine.
func (l *Library) missing(s *Source, f *RemoteFile) error {
	if s.Bring != "" {
		return formats.Faultf(ErrMissing, "%s: %s is not on this machine and nobody offers it: %s", s.Name, f.Name, l.bring(s))
	}
	return formats.Faultf(ErrMissing, "%s: %s is not on this machine: run %s; %s", s.Name, f.Name, printed.Command("fetch "+s.Name), l.byHand(s, f))
}

// byHand says how to provide a file without a download.
func (l *Library) byHand(s *Source, f *RemoteFile) string {
	return fmt.Sprintf("or put %s into %s, or set REPRO_DATA to a folder that holds %s",
		f.URLs[0], l.cachePath(s.folder(), f.Name), filepath.Join(s.folder(), f.Name))
}

// bring says what a user has to put where.
func (l *Library) bring(s *Source) string {
	return fmt.Sprintf("put %s into %s, or into the folder %s of a folder named by REPRO_DATA", s.Bring, filepath.Join(l.CacheDir, s.folder()), s.folder())
}

// keepSets is how many loaded sets stay in memory when nobody uses them.
const keepSets = 4

// loaded is a set in memory, or on its way there.
type loaded struct {
	key  string
	turn chan struct{} // of one, who loads the set or looks for it
	set  *Set          // nil if it is not loaded
}

// shared returns the set load makes, which it calls once for equal options however many ask. A failure is not kept: the next who
// asks, or has waited, tries again.
func (l *Library) shared(ctx context.Context, o Options, dir string, load func() (*Set, error)) (*Set, error) {
	e := l.entry(fmt.Sprintf("%q %#v", dir, o))
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.turn }()
	if e.set == nil {
		set, err := load()
		if err != nil {
			return nil, err
		}
		e.set = set
	}
	set := *e.set
	return &set, nil
}

// entry returns the entry of key, which becomes the most recently used one.
func (l *Library) entry(key string) *loaded {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &loaded{key: key, turn: make(chan struct{}, 1)}
	if i := slices.IndexFunc(l.loading, func(e *loaded) bool { return e.key == key }); i >= 0 {
		e = l.loading[i]
		l.loading = slices.Delete(l.loading, i, i+1)
	}
	l.loading = append(l.loading, e)
	if len(l.loading) > keepSets {
		l.loading = slices.Delete(l.loading, 0, 1)
	}
	return e
}
