package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repro/results/files"
)

// A Cached is a folder of the cache: the files of the data sets that share it.
type Cached struct {
	Name     string   // of the folder
	DataSets []string // whose files it holds
	Files    int      // data files
	Bytes    int64    // of them, and of downloads that broke off
}

// usedName is a file that earlier versions kept in the folders of the cache.
const usedName = ".used"

// Uncache removes the files of a data set, named by itself or by its folder, from the cache, and what downloads that broke off left.
// The checksums of files for which none is published stay, so that a later download has to be the same file. It refuses files that
// nobody offers for download, folders that are not of a data set, and what another process downloads at the moment.
func (l *Library) Uncache(name string) (Cached, error) {
	c := Cached{Name: name}
	if s, ok := registry[name]; ok && !s.Generated() {
		c.Name = s.folder()
	}
	dir := filepath.Join(l.CacheDir, c.Name)
	entries, err := os.ReadDir(dir)
	if err != nil || c.Name != filepath.Base(c.Name) {
		return c, fmt.Errorf("%s has nothing of %q", l.CacheDir, name)
	}
	for _, set := range Names() {
		if s := registry[set]; !s.Generated() && s.folder() == c.Name {
			c.DataSets = append(c.DataSets, set)
			if s.Bring != "" {
				return c, fmt.Errorf("%s has files that nobody offers for download: remove it yourself, if you have them elsewhere", dir)
			}
		}
	}
	if c.DataSets == nil {
		return c, fmt.Errorf("%s is not a folder of a data set: remove it yourself, if it is of no use", dir)
	}
	locker := files.NewLocker()
	for _, f := range entries {
		kept := strings.HasSuffix(f.Name(), ".lock") || strings.HasSuffix(f.Name(), firstSightPath(""))
		if !f.Type().IsRegular() || kept {
			continue
		}
		path := filepath.Join(dir, f.Name())
		lock, err := locker.Take(strings.TrimSuffix(path, ".part") + ".lock")
		if err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		if info, err := f.Info(); err == nil && f.Name() != usedName {
			c.Files++
			c.Bytes += info.Size()
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
