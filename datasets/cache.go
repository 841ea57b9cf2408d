package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repro/results/files"
)

// A Cached is a folder of the cache: the files of the data sets that share it.
type Cached struct {
	Name     string    // of the folder
	DataSets []string  // whose files it holds; none if the folder is not repro's
	Files    int       // data files
	Bytes    int64     // of them
	Partial  int64     // bytes of downloads that broke off
	Used     time.Time // when a set was last opened from here; the zero time if none was since this is noted
	Brought  bool      // the user put files here that nobody offers for download
}

// usedName is the file of a cache folder whose time says when a set was last opened from it.
const usedName = ".used"

// noteUse notes that a file of the cache was opened. A cache that cannot be written keeps no note.
func noteUse(path string) {
	used := filepath.Join(filepath.Dir(path), usedName)
	if f, err := os.OpenFile(used, os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
		f.Close()
		now := time.Now()
		os.Chtimes(used, now, now)
	}
}

// Cached lists the folders of the cache with files, the longest unused first.
func (l *Library) Cached() ([]Cached, error) {
	folders, err := os.ReadDir(l.CacheDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Cached
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		c := Cached{Name: d.Name()}
		for _, name := range Names() {
			if s := registry[name]; !s.Generated() && s.folder() == c.Name {
				c.DataSets = append(c.DataSets, name)
				c.Brought = c.Brought || s.Bring != ""
			}
		}
		files, err := os.ReadDir(filepath.Join(l.CacheDir, c.Name))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			info, err := f.Info()
			switch {
			case err != nil || !info.Mode().IsRegular():
			case f.Name() == usedName:
				c.Used = info.ModTime()
			case strings.HasSuffix(f.Name(), ".part"):
				c.Partial += info.Size()
			case !aside(f.Name()):
				c.Files++
				c.Bytes += info.Size()
			}
		}
		if c.Files > 0 || c.Partial > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Cached) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Name, b.Name)) })
	return all, nil
}

// aside reports whether a file of a cache folder is no data: a lock, or what a file was when it was first downloaded.
func aside(name string) bool {
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, firstSightPath("")) || name == usedName
}

// Uncache removes the data files of a folder of the cache, named like it or like one of its data sets, and what downloads left. It keeps the
// notes of what files without a published checksum were, so that they cannot come back as others. Files that nobody offers for download,
// and a folder that is not repro's, are refused; so is a file that another process fetches.
func (l *Library) Uncache(name string) (Cached, error) {
	all, err := l.Cached()
	if err != nil {
		return Cached{}, err
	}
	i := slices.IndexFunc(all, func(c Cached) bool { return c.Name == name || slices.Contains(c.DataSets, name) })
	if i < 0 {
		return Cached{}, fmt.Errorf("%s has nothing of %q", l.CacheDir, name)
	}
	c := all[i]
	dir := filepath.Join(l.CacheDir, c.Name)
	switch {
	case c.DataSets == nil:
		return c, fmt.Errorf("%s is not a folder of a data set: remove it yourself, if it is of no use", dir)
	case c.Brought:
		return c, fmt.Errorf("%s has files that nobody offers for download: remove it yourself, if you have them elsewhere", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, err
	}
	locker := files.NewLocker()
	for _, f := range entries {
		if !f.Type().IsRegular() || aside(f.Name()) && f.Name() != usedName {
			continue
		}
		path := filepath.Join(dir, f.Name())
		lock, err := locker.Take(strings.TrimSuffix(path, ".part") + ".lock")
		if err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		err = os.Remove(path)
		lock.Release()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	os.Remove(dir) // unless something is left in it
	return c, nil
}
