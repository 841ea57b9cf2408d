package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"repro/experiments"
	"repro/results/files"
)

// write writes one file of the cell's predictions. The end line of the record will hold its checksum.
//
// The cells of an experiment share files like truth.surface.csv, which are the same for all of them. If the method has data
// of its own, it may write others: then the record leaves them out.
func (x *log) write(name string, data []byte) error {
	if strings.HasPrefix(name, x.cell.Name+".") || x.cell.Method.Data == (experiments.MethodData{}) {
		sum := sha256.Sum256(data)
		x.files[name] = hex.EncodeToString(sum[:])
	}
	path := files.Path(x.Out, "predictions", x.cell.Experiment, name)
	if err := x.clear(path); err != nil {
		return err
	}
	return files.Write(x.Out, path, data)
}

// clear removes what is at the path of a file and no regular file, and warns of it.
func (x *log) clear(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	x.warn("%s was not a regular file; it is replaced", path)
	return removeIfThere(path) // another cell that writes it may have removed it
}

// clean removes what a killed run of the cell left: its temporary files, and the report of an earlier failure. The cell must
// be locked.
func (x *log) clean() error {
	for _, part := range []string{"checkpoints", "predictions", "failures"} {
		dir := files.Path(x.Out, part, x.cell.Experiment, "")
		left, err := files.Leftovers(dir, func(folder, name string) bool { return folder == dir && strings.HasPrefix(name, x.cell.Name+".") })
		for i := 0; i < len(left) && err == nil; i++ {
			err = removeIfThere(left[i])
		}
		if err != nil {
			return err
		}
	}
	return removeIfThere(x.failurePath())
}
