package datasets

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// content is a file opened for reading, uncompressed if its first bytes say that it is compressed,
// and hashed on the way.
type content struct {
	io.Reader
	path   string
	file   *os.File
	packed *bufio.Reader // the file as it is, hashed
	close  func()
	asIs   digest // of the file as it is
	inside digest // of the uncompressed content
}

// digest computes both checksums in use.
type digest struct{ sha256, md5 hash.Hash }

func newDigest() digest { return digest{sha256.New(), md5.New()} }

func (d digest) tee(r io.Reader) io.Reader {
	return io.TeeReader(r, io.MultiWriter(d.sha256, d.md5))
}

func (d digest) hex() (sha, md string) {
	return hex.EncodeToString(d.sha256.Sum(nil)), hex.EncodeToString(d.md5.Sum(nil))
}

// openContent opens the file at path. The caller closes it.
func openContent(path string) (*content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, faultf(ErrFormat, "%s is not a file with data in it", path)
	}
	c := &content{path: path, file: f, close: func() {}, asIs: newDigest(), inside: newDigest()}
	c.packed = bufio.NewReaderSize(c.asIs.tee(f), 1<<16)
	r, err := c.unpack()
	if err != nil {
		f.Close()
		return nil, faultf(ErrFormat, "%s: the compressed data cannot be read: %w; get the file again", path, err)
	}
	c.Reader = c.inside.tee(r)
	return c, nil
}

func (c *content) unpack() (io.Reader, error) {
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

// drain reads what is left, so that the digests are those of the whole file.
func (c *content) drain() error {
	_, err := io.Copy(io.Discard, c.Reader)
	if _, e := io.Copy(io.Discard, c.packed); err == nil {
		err = e
	}
	return err
}

func (c *content) Close() error {
	c.close()
	return c.file.Close()
}

// verify compares the digests of a drained file with those of f. Its error wraps ErrChecksum.
func (c *content) verify(f *RemoteFile) error {
	of, what := c.inside, "uncompressed content"
	if f.Packed {
		of, what = c.asIs, "file as downloaded"
	}
	sha, md := of.hex()
	for _, d := range []struct{ kind, got, want string }{{"sha256", sha, f.SHA256}, {"md5", md, f.MD5}} {
		if d.want != "" && d.got != d.want {
			return faultf(ErrChecksum, "%s is not the canonical %s: %s of its %s is %s, want %s",
				c.path, f.Name, d.kind, what, d.got, d.want)
		}
	}
	return nil
}

// hashFile reads the whole of path and compares it with f. Compressed data that cannot be read has
// a wrong checksum.
func hashFile(path string, f *RemoteFile) error {
	c, err := openContent(path)
	if errors.Is(err, ErrFormat) {
		return unreadable(path, f, err)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.drain(); err != nil {
		return unreadable(path, f, err)
	}
	return c.verify(f)
}

func unreadable(path string, f *RemoteFile, err error) error {
	return faultf(ErrChecksum, "%s is not the canonical %s: it cannot be read to its end: %w", path, f.Name, err)
}
