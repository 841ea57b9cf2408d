package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"repro/datasets/formats"
)

// A firstSight is what a download without a published checksum was when it came first. It lies beside the file in the
// cache, and every later file of that name must be the same.
type firstSight struct {
	URL    string `json:"url"`
	Date   string `json:"date"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of the file as it is
}

func firstSightPath(path string) string { return path + ".first" }

// checksummed reports whether a checksum of the file is known.
func (f *RemoteFile) checksummed() bool { return f.SHA256 != "" || f.MD5 != "" }

// trusted returns f with the checksum that the file at path of the cache had when it was first downloaded, if no checksum
// is published.
func (l *Library) trusted(path string, f RemoteFile) (RemoteFile, error) {
	if f.checksummed() {
		return f, nil
	}
	text, err := os.ReadFile(firstSightPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	var first firstSight
	if err == nil {
		err = json.Unmarshal(text, &first)
	}
	if err == nil && (len(first.SHA256) != 64 || first.Date == "") {
		err = errors.New("it has no checksum and date")
	}
	if err != nil {
		return f, formats.Faultf(formats.ErrFormat, "%s, which says what %s was when it was first downloaded, cannot be read: %w: remove it to trust the file as it is",
			firstSightPath(path), f.Name, err)
	}
	f.SHA256, f.Packed, f.since = first.SHA256, true, first.Date
	return f, nil
}

// remember writes down what the file from is, which is at path or will be. No checksum of it is known but its own.
func (l *Library) remember(from, path, url, sha string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(firstSight{URL: url, Date: l.clock().UTC().Format(time.DateOnly), Size: info.Size(), SHA256: sha}, "", "  ")
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh == nil {
		l.fresh = map[string]bool{}
	}
	l.fresh[path] = true
	part := firstSightPath(path) + ".part"
	if err := os.WriteFile(part, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, firstSightPath(path))
}

// isFresh reports whether this process was the first to see the file at path.
func (l *Library) isFresh(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fresh[path]
}

func (l *Library) clock() time.Time {
	if l.now != nil {
		return l.now()
	}
	return time.Now()
}

// Trust says in words how far the file is known to be the right one.
func (f Located) Trust() string {
	switch {
	case f.Path == "":
		return "not here"
	case f.Err != nil:
		return "wrong"
	case f.Verified:
		return "verified"
	case f.Since != "":
		return fmt.Sprintf("same as when first downloaded on %s", f.Since)
	}
	return "no published checksum: not verified"
}
