package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// MkdirTemp is os.MkdirTemp in the folder for temporary files, with an error that says how to choose another one.
func MkdirTemp(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err == nil {
		return dir, nil
	}
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	return "", fmt.Errorf("no temporary folder can be made in %s: %w; set %s to a folder that you can write to", os.TempDir(), err, variable)
}
