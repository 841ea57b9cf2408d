package datasets

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"repro/datasets/formats"
)

// magics are the first bytes of files, by the endings of their names.
var magics = []struct{ ending, what, first string }{
	{".gz", "gzip", "\x1f\x8b"},
	{".bz2", "bzip2", "BZh"},
	{".xz", "xz", "\xfd7zXZ\x00"},
	{".zst", "zstd", "\x28\xb5\x2f\xfd"},
	{".mat", "a MAT-file", "MATLAB 5.0 MAT-file"},
	{".npy", "an array of NumPy", "\x93NUMPY"},
	{".zip", "a zip archive", "PK\x03\x04"},
	{".pdf", "a PDF document", "%PDF"},
}

// headBytes of a file say what it is.
const headBytes = 512

// checkHead returns an error if a file that begins with head is not what its name says.
func (f *RemoteFile) checkHead(head []byte) error {
	for _, m := range magics {
		if strings.HasSuffix(f.Name, m.ending) && !bytes.HasPrefix(head, []byte(m.first)) {
			return formats.Faultf(ErrChecksum, "%s is %s, not %s", f.Name, whatBegins(head), m.what)
		}
	}
	switch what := whatBegins(head); what {
	case "nothing", "an HTML page", "an XML document", "a zip archive", "a PDF document":
		return formats.Faultf(ErrChecksum, "%s is %s, not data", f.Name, what)
	}
	return nil
}

// whatBegins says what a file is that begins with head.
func whatBegins(head []byte) string {
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	switch {
	case len(head) == 0:
		return "nothing"
	case bytes.HasPrefix(text, []byte("<!doctype html")), bytes.HasPrefix(text, []byte("<")) && bytes.Contains(text, []byte("<html")):
		return "an HTML page"
	case bytes.HasPrefix(text, []byte("<?xml")):
		return "an XML document"
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.first)) {
			return m.what
		}
	}
	shown := head[:min(len(head), 24)]
	for !utf8.Valid(shown) && len(shown) > 20 { // a character may have been cut
		shown = shown[:len(shown)-1]
	}
	if utf8.Valid(shown) && bytes.IndexFunc(shown, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) < 0 {
		return fmt.Sprintf("text that begins with %q", shown)
	}
	return fmt.Sprintf("a file that begins with the bytes % x", head[:min(len(head), 8)])
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

// checkArrived returns an error that wraps ErrChecksum if the download at path is not the file. A file with a checksum is
// what that says; of another, the size, the first rows and, to its end, the compression must be right.
func (t *transfer) checkArrived(ctx context.Context, path string) error {
	head, err := headOf(path)
	if err != nil {
		return err
	}
	if err := t.file.checkHead(head); err != nil {
		return err
	}
	if t.file.checksummed() {
		return hashFile(ctx, path, t.file)
	}
	least, most := t.source.sizes(t.file)
	if n := partSize(path); n < least || n > most {
		return formats.Faultf(ErrChecksum, "%s has %s, and %d rows of %d numbers take %s to %s", t.file.Name, formats.Size(n),
			t.file.Rows, t.source.Dims+1, formats.Size(least), formats.Size(most))
	}
	if err := t.source.checkRows(ctx, path, t.file); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return formats.Faultf(ErrChecksum, "%s does not hold what it should: %w", t.file.Name, err)
	}
	t.sha, err = hashAsIs(ctx, path, t.file)
	return err
}

func headOf(path string) ([]byte, error) {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
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
