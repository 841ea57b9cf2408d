package datasets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"repro/datasets/formats"
	"repro/results/files"
)

// A Progress is called with the number of bytes of a file that have been downloaded; total is 0 if unknown.
type Progress func(file string, done, total int64)

// Fetch makes sure that the files of a source are on this machine and have the right checksums. Files that are neither on
// the search path nor in the cache folder are downloaded into the cache folder; a download that broke off is continued. A
// file with a wrong checksum is removed if it lies in the cache; on the search path it is the user's, and Fetch returns an
// error that wraps ErrChecksum. Of several processes that fetch a file into one cache, one downloads it. If a file cannot be downloaded, the error wraps ErrMissing and says how to provide it by
// hand. progress may be nil.
func (l *Library) Fetch(ctx context.Context, name string, progress Progress) error {
	s, err := lookup(name)
	if err != nil {
		return err
	}
	return l.fetch(ctx, s, progress)
}

func (l *Library) fetch(ctx context.Context, s *Source, progress Progress) error {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	l.fetching.Lock()
	defer l.fetching.Unlock()
	_, files := l.look(s)
	for _, f := range files {
		if err := l.provide(ctx, s, f, progress); err != nil {
			return err
		}
	}
	return nil
}

// provide fetches one file of a source, unless it is here. Of several processes with one cache, the one that has the lock of
// the file changes it; the others wait and then look again.
func (l *Library) provide(ctx context.Context, s *Source, here Located, progress Progress) error {
	file := here.RemoteFile
	l.judge(ctx, &here)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case here.Path == "":
		if err := l.obtainable(s, &file); err != nil {
			return err
		}
	case !here.Cached, here.Err == nil && !l.adoptable(&here):
		return here.Err
	}
	path := l.cachePath(s.folder(), file.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if l.locks == nil {
		l.locks = files.NewLocker()
	}
	lock, err := l.locks.Wait(ctx, path+".lock", func(by string) {
		l.logf("%s is being fetched by %s; waiting for it", file.Name, by)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w; make its folder writable, or set REPRO_CACHE to another one", path, err)
	}
	defer lock.Release()
	here = l.find(s, file)
	l.judge(ctx, &here)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case here.Path != "" && here.Err == nil:
		return l.adopt(ctx, &here)
	case here.Path != "" && (!errors.Is(here.Err, ErrChecksum) || l.Offline):
		return here.Err
	case here.Path != "":
		l.logf("%v; fetching it again", here.Err)
		if err := os.Remove(here.Path); err != nil {
			return err
		}
	}
	return l.download(ctx, s, &file, lock, progress)
}

// adoptable reports whether a file is a cached one without a checksum that an earlier version of this program downloaded.
func (l *Library) adoptable(f *Located) bool {
	return f.Cached && !f.checksummed() && f.Since == "" && !l.isFresh(f.Path)
}

// adopt remembers what an adoptable file is.
func (l *Library) adopt(ctx context.Context, f *Located) error {
	if !l.adoptable(f) {
		return nil
	}
	sha, err := hashAsIs(ctx, f.Path, &f.RemoteFile)
	if err != nil {
		return err
	}
	return l.remember(f.Path, f.Path, "", sha)
}

// obtainable returns an error that says how to provide a file by hand if it cannot be downloaded.
func (l *Library) obtainable(s *Source, f *RemoteFile) error {
	switch {
	case s.Bring != "":
		return l.missing(s, f)
	case l.Offline:
		return formats.Faultf(ErrMissing, "%s: %s is not on this machine and downloads are switched off: switch them on, %s", s.Name, f.Name, l.byHand(s, f))
	case l.CacheDir == "":
		return formats.Faultf(ErrMissing, "%s: there is no cache folder to download %s to: set REPRO_DATA to a folder that holds it", s.Name, f.Name)
	}
	return nil
}
