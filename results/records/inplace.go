package records

import (
	"fmt"
	"os"
)

// InPlace returns an error unless the path of the record still names the file that the writer writes, with all its bytes.
func (w *Writer) InPlace() error {
	open, err := w.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(w.path)
	if err != nil || !os.SameFile(open, named) || named.Size() != w.offset {
		return fmt.Errorf("another program removed, replaced or changed %s while the cell ran; run the same command again", w.path)
	}
	return nil
}
