package formats

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"math/bits"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"

	"repro/results/files"
)

// A Content is a file opened for reading, uncompressed if its first bytes say that it is compressed, and hashed while it
// is read. Reading it ends with the context's error once that is done.
type Content struct {
	io.Reader
	Path   string
	Size   int64 // of the file as it is
	Bound  int64 // bytes that the uncompressed content of a compressed file may have
	Packed bool  // it is compressed
	file   io.Closer
	packed *bufio.Reader // the file as it is, hashed
	inside *bounded      // the uncompressed content
	close  func()
	AsIs   Digest // of the file as it is
	Inside Digest // of the uncompressed content
}

// Most returns the most bytes that c can have: those of the file, or the bound if it is compressed.
func (c *Content) Most() int64 {
	if c.Packed {
		return c.Bound
	}
	return c.Size
}

// A Digest computes both checksums in use.
type Digest struct{ sha256, md5 hash.Hash }

func newDigest() Digest { return Digest{sha256.New(), md5.New()} }

func (d Digest) tee(r io.Reader) io.Reader {
	return io.TeeReader(r, io.MultiWriter(d.sha256, d.md5))
}

// Hex returns the checksums in hexadecimal.
func (d Digest) Hex() (sha, md string) {
	return hex.EncodeToString(d.sha256.Sum(nil)), hex.EncodeToString(d.md5.Sum(nil))
}

// Open opens the file at path. Reading fails with ErrLarge if it is compressed and has more than bound bytes uncompressed.
// The caller closes it.
func Open(ctx context.Context, path string, bound int64) (*Content, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	c, err := newContent(ctx, f, path, info.Size(), bound)
	if err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

// OpenRegular opens a file for reading, unless it is something else than a file.
func OpenRegular(path string) (*os.File, error) {
	f, err := files.OpenRegular(path)
	if errors.Is(err, files.ErrNotRegular) {
		return nil, Faultf(ErrFormat, "%w: give the path of a file with data in it", err)
	}
	return f, err
}

// newContent reads what r has, size bytes, as the file at path.
func newContent(ctx context.Context, r io.ReadCloser, path string, size, bound int64) (*Content, error) {
	c := &Content{Path: path, Size: size, Bound: bound, file: r, close: func() {}, AsIs: newDigest(), Inside: newDigest()}
	c.packed = bufio.NewReaderSize(c.AsIs.tee(cancelled{ctx, r}), 1<<16)
	inside, err := c.unpack()
	if err != nil {
		return nil, Faultf(ErrFormat, "%s: %w", path, Broken(err))
	}
	most := int64(math.MaxInt64)
	if c.Packed {
		most, inside = bound, cancelled{ctx, inside}
	}
	c.inside = &bounded{r: inside, left: most, bound: most}
	if !c.Packed {
		c.Reader, c.Inside = c.inside, c.AsIs // the same bytes are hashed once
		return c, nil
	}
	c.Reader = c.Inside.tee(c.inside)
	return c, nil
}

// Passed returns how many bytes of the uncompressed content were read.
func (c *Content) Passed() int64 { return c.inside.bound - c.inside.left }

// cancelled reads from r until ctx is done.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelled) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

func (c *Content) unpack() (io.Reader, error) {
	head, err := c.packed.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	c.Packed = true
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(c.packed)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(c.packed), nil
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return xz.NewReader(c.packed, maxDictionary)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), len(head) > 3 && head[0]>>4 == 5 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // or a frame to skip first, as pzstd writes
		z, err := zstd.NewReader(c.packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow(c.Size)))
		if err != nil {
			return nil, err
		}
		c.close = z.Close
		return z, nil
	}
	c.Packed = false
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

// ErrLarge says that a file holds, or states, more than its reader may take.
var ErrLarge = errors.New("too large")

// Broken says what to do about an error of reading a file: one that says that there is too much stays as it is.
func Broken(err error) error {
	switch {
	case errors.Is(err, ErrLarge):
		return err
	case errors.Is(err, xz.ErrMemlimit):
		return Faultf(ErrLarge, "xz: the dictionary has more than the %s allowed: compress the file with xz -9 or less", Size(maxDictionary))
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return Faultf(ErrLarge, "zstd: the window is larger than %s, or larger than the data can be: compress the file again without --long", Size(mostWindow))
	}
	return fmt.Errorf("the data ends early or is damaged: %w; get the file again", err)
}

// bounded reads at most bound bytes of r, and fails if there are more.
type bounded struct {
	r           io.Reader
	left, bound int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, Faultf(ErrLarge, "the uncompressed content has more than %s, the bound for this file: "+
			"if it should be that long, uncompress the file and use that", Size(b.bound))
	}
	b.left -= int64(n)
	return n, err
}

// readN reads n bytes into the memory of b. What that lacks grows as the bytes come, so that a file takes no memory for
// what it only states.
func readN(r io.Reader, b []byte, n int) ([]byte, error) {
	b = b[:0]
	for len(b) < n {
		if len(b) == cap(b) {
			more := make([]byte, len(b), min(n, max(1<<12, 2*len(b))))
			copy(more, b)
			b = more
		}
		part := b[len(b):min(n, cap(b))]
		k, err := io.ReadFull(r, part)
		b = b[:len(b)+k]
		if err == io.EOF && len(b) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// Product multiplies sizes; ok is false if one is negative or the product is not an int64.
func Product(sizes ...int) (n int64, ok bool) {
	p := uint64(1)
	for _, s := range sizes {
		hi, lo := bits.Mul64(p, uint64(s))
		if s < 0 || hi > 0 || lo > 1<<63-1 {
			return 0, false
		}
		p = lo
	}
	return int64(p), true
}

// Size writes a number of bytes.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	v, unit := float64(n), 0
	for v >= 999.5 && unit < 6 {
		v, unit = v/1000, unit+1
	}
	return fmt.Sprintf("%.3g %cB", v, " kMGTPE"[unit])
}

// The memory that decompressors take is what a file states, within these bounds.
const (
	maxDictionary = 64 << 20  // of xz: that of xz -9, the largest preset
	mostWindow    = 128 << 20 // of zstd: that of zstd --ultra -22
	leastWindow   = 8 << 20   // of zstd: what every decoder supports [RFC 8878, 3.1.1.1.2]
)

// maxWindow bounds the window of zstd for a compressed file of the given size, which has at most 32,768 times as many
// bytes: four bytes are at least a block, and a block has at most 128 KiB.
func maxWindow(size int64) uint64 {
	return uint64(min(mostWindow, max(leastWindow, min(size, mostWindow)<<15)))
}
