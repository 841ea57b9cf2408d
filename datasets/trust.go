package datasets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"repro/datasets/formats"
	"repro/results/files"
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
	if err := files.Keep(filepath.Dir(path), firstSightPath(path), append(text, '\n')); err != nil {
		what, _, _ := strings.Cut(err.Error(), "; ") // the advice is on output folders
		return fmt.Errorf("%s; make the folder writable, or name another with REPRO_CACHE", what)
	}
	return nil
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

// verifyContent compares the digests of a file that was read to its end with those of f. Its error wraps ErrChecksum.
func verifyContent(c *formats.Content, f *RemoteFile) error {
	of, what := c.Inside, "uncompressed content"
	if f.Packed {
		of, what = c.AsIs, "file as downloaded"
	}
	sha, md := of.Hex()
	for _, d := range []struct{ kind, got, want string }{{"sha256", sha, f.SHA256}, {"md5", md, f.MD5}} {
		if d.want != "" && d.got != d.want {
			return formats.Faultf(ErrChecksum, "%s is not %s: %s of its %s is %s, want %s",
				c.Path, f.is(), d.kind, what, d.got, d.want)
		}
	}
	return nil
}

// hashFile reads the whole of path and compares it with f. Compressed data that cannot be read has
// a wrong checksum.
func hashFile(ctx context.Context, path string, f *RemoteFile) error {
	c, err := drain(ctx, path, f)
	if err != nil {
		return err
	}
	return verifyContent(c, f)
}

// hashAsIs returns the sha256 of the file at path as it is, which must be readable to its end.
func hashAsIs(ctx context.Context, path string, f *RemoteFile) (string, error) {
	c, err := drain(ctx, path, f)
	if err != nil {
		return "", err
	}
	sha, _ := c.AsIs.Hex()
	return sha, nil
}

// drain reads the whole of path, for its digests.
func drain(ctx context.Context, path string, f *RemoteFile) (*formats.Content, error) {
	c, err := formats.Open(ctx, path, f.bound())
	if errors.Is(err, formats.ErrFormat) {
		return nil, unreadable(path, f, err)
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err = c.Drain(); err != nil && ctx.Err() == nil {
		return nil, unreadable(path, f, err)
	}
	return c, ctx.Err()
}

func unreadable(path string, f *RemoteFile, err error) error {
	return formats.Faultf(ErrChecksum, "%s is not %s: it cannot be read to its end: %w", path, f.is(), err)
}

// is says which file a checksum is of.
func (f *RemoteFile) is() string {
	if f.since != "" {
		return "the " + f.Name + " first downloaded on " + f.since
	}
	return "the canonical " + f.Name
}

// headBytes of a file say whether it is data.
const headBytes = 512

// checkHead returns an error if a file that begins with head is a page, as of a server that asks to sign in.
func (f *RemoteFile) checkHead(head []byte) error {
	text := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	if len(head) == 0 || len(text) > 0 && text[0] == '<' {
		return formats.Faultf(ErrChecksum, "%s is an HTML page or nothing, not data", f.Name)
	}
	return nil
}

// mostUnknown bounds downloads of which nothing is known.
const mostUnknown = 64 << 30

// sizes returns how many bytes a download may have: exactly those stated, or at most what the rows and columns of the source
// take as text or numbers, and at least an eighth of a bit for each number, or two bytes for each row if it is not packed.
func (s *Source) sizes(f *RemoteFile) (least, most int64) {
	if f.Bytes > 0 {
		return f.Bytes, f.Bytes
	}
	most = s.sized(s.Format, []RemoteFile{*f})[0].content
	if most == 0 {
		most = mostUnknown
	}
	least = 2 * int64(f.Rows)
	if trimCompression(f.Name) != f.Name || strings.HasSuffix(f.Name, ".mat") {
		least = int64(f.Rows) * int64(s.Dims+1) / 64
	}
	return least, most
}

// firstRows is how many rows of a download without a checksum are read before it is taken.
const firstRows = 100

// checkRows reads the first rows of a file of the source.
func (s *Source) checkRows(ctx context.Context, path string, f *RemoteFile) error {
	in := s.input(path, s.Format, f, machineMemory())
	if s.Copies != nil {
		train, test, err := s.Load(ctx, []*Input{in}, Options{})
		if err == nil && train.Y.Rows+test.Y.Rows != f.Rows {
			err = fmt.Errorf("%d rows, %d expected", train.Y.Rows+test.Y.Rows, f.Rows)
		}
		return err
	}
	c, err := formats.Open(ctx, path, in.Bound())
	if err != nil {
		return err
	}
	defer c.Close()
	if !isRowFormat(s.Format) {
		return nil
	}
	in.label = s.Label
	n := 0
	err = in.visit(c, func(r formats.Rows, _ float64) error {
		if w := r.Width(); w > s.Dims || w < s.Dims && s.Format != "libsvm" {
			return r.Errorf("the row has %d inputs, %d expected", w, s.Dims)
		}
		if n++; n == firstRows {
			return io.EOF
		}
		return nil
	}, nil)
	if err == nil && n < min(firstRows, f.Rows) {
		err = fmt.Errorf("%d rows, %d expected", n, f.Rows)
	}
	if err == io.EOF {
		err = nil
	}
	return err
}
