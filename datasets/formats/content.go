package formats

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A Content is a file opened for reading, uncompressed if its first bytes say that it is compressed, and hashed while it
// is read.
type Content struct {
	io.Reader
	Path   string
	file   *os.File
	packed *bufio.Reader // the file as it is, hashed
	close  func()
	AsIs   Digest // of the file as it is
	Inside Digest // of the uncompressed content
}

// A Digest computes both checksums in use.
type Digest struct{ sha256, md5 hash.Hash }

func newDigest() Digest { return Digest{sha256.New(), md5.New()} }

func (d Digest) tee(r io.Reader) io.Reader {
	if d.sha256 == nil {
		return r
	}
	return io.TeeReader(r, io.MultiWriter(d.sha256, d.md5))
}

// Hex returns the checksums in hexadecimal.
func (d Digest) Hex() (sha, md string) {
	return hex.EncodeToString(d.sha256.Sum(nil)), hex.EncodeToString(d.md5.Sum(nil))
}

// Open opens the file at path. The caller closes it.
func Open(path string) (*Content, error) { return open(path, newDigest) }

// OpenUnhashed is Open of a file whose checksums nobody asks for.
func OpenUnhashed(path string) (*Content, error) {
	return open(path, func() Digest { return Digest{} })
}

func open(path string, digest func() Digest) (*Content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, Faultf(ErrFormat, "%s is not a file with data in it", path)
	}
	c := &Content{Path: path, file: f, close: func() {}, AsIs: digest(), Inside: digest()}
	c.packed = bufio.NewReaderSize(c.AsIs.tee(f), 1<<16)
	r, err := c.unpack()
	if err != nil {
		f.Close()
		return nil, Faultf(ErrFormat, "%s: the compressed data cannot be read: %w; get the file again", path, err)
	}
	c.Reader = c.Inside.tee(r)
	return c, nil
}

func (c *Content) unpack() (io.Reader, error) {
	head, err := c.packed.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(c.packed)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(c.packed), nil
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return xz.NewReader(c.packed)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(c.packed, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		c.close = z.Close
		return z, nil
	}
	return c.packed, nil
}

// Drain reads what is left, so that the digests are those of the whole file.
func (c *Content) Drain() error {
	_, err := io.Copy(io.Discard, c.Reader)
	if _, e := io.Copy(io.Discard, c.packed); err == nil {
		err = e
	}
	return err
}

func (c *Content) Close() error {
	c.close()
	return c.file.Close()
}
