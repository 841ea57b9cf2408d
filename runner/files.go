package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repro/experiments"
	"repro/results/records"
)

// predictionsPath returns the path predictions/<experiment>/<name> below an output folder.
func predictionsPath(out, experiment, name string) string {
	return records.File(out, "predictions", experiment, name)
}

// write writes one file of the cell's predictions. The end line of the record will hold its checksum.
//
// The cells of an experiment share files like truth.surface.csv, which are the same for all of them. If the method has data
// of its own, it may write others: then the record leaves them out.
func (x *log) write(name string, data []byte) error {
	if strings.HasPrefix(name, x.cell.Name+".") || x.cell.Method.Data == (experiments.MethodData{}) {
		sum := sha256.Sum256(data)
		x.files[name] = hex.EncodeToString(sum[:])
	}
	path := predictionsPath(x.Out, x.cell.Experiment, name)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // another cell that writes it may have removed it
			return err
		}
		x.warn("%s was no regular file; it is replaced", path)
	}
	return records.WriteFile(x.Out, path, data)
}

// abandonedAfter is the age at which a temporary file of another cell counts as left behind. Writing one takes seconds.
const abandonedAfter = time.Hour

// clean removes what a killed run of the cell left: its temporary files, and the report of an earlier failure. The cell must
// be locked.
func (x *log) clean() error {
	own := []string{x.checkpointPath(x.cell), x.failurePath()}
	for _, kind := range []string{".csv", ".surface.csv", ".function.csv"} {
		own = append(own, predictionsPath(x.Out, x.cell.Experiment, x.cell.Name+kind))
	}
	for _, path := range own {
		dir, base := filepath.Split(path)
		err := removeTemporaries(dir, func(name string, age time.Duration) bool {
			return strings.HasPrefix(name, "."+base+"-") || age > abandonedAfter
		})
		if err != nil {
			return err
		}
	}
	return removeIfThere(x.failurePath())
}

// temporary reports whether a file has a name as os.CreateTemp and records.WriteFile make them: a dot, a word, a hyphen and digits.
func temporary(f fs.DirEntry) bool {
	name := f.Name()
	k := strings.LastIndexByte(name, '-')
	return f.Type().IsRegular() && k > 1 && name[0] == '.' && k < len(name)-1 && strings.Trim(name[k+1:], "0123456789") == ""
}

// removeTemporaries removes the temporary files in dir that match.
func removeTemporaries(dir string, match func(name string, age time.Duration) bool) error {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		if !temporary(f) {
			continue
		}
		info, err := f.Info()
		if err == nil && match(f.Name(), time.Since(info.ModTime())) {
			err = removeIfThere(filepath.Join(dir, f.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Leftovers lists the temporary files in what repro writes below an output folder that are so old that no living process writes
// them: what killed commands left. A file is written in seconds.
func Leftovers(out string) (paths []string, err error) {
	err = filepath.WalkDir(out, func(path string, f fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		name, errName := filepath.Rel(out, path)
		if err = errors.Join(err, errName); err != nil || name == "." {
			return err
		}
		top := !strings.ContainsRune(name, filepath.Separator)
		if f.IsDir() && top && !slices.Contains(written.folders, name) {
			return fs.SkipDir
		}
		if !temporary(f) || top && !slices.ContainsFunc(written.files, func(of string) bool { return strings.HasPrefix(name, "."+of+"-") }) {
			return nil
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > leftAfter {
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// written are the folders and files that commands write in an output folder. Nothing else in it is theirs to remove.
var written = struct{ folders, files []string }{
	[]string{"records", "checkpoints", "predictions", "failures", "figures", "tables", "shards"},
	[]string{"report.html", "verdicts.json", "records.csv"},
}

// leftAfter is the age at which a temporary file of any command counts as left behind.
const leftAfter = time.Minute
