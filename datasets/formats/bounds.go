package formats

import (
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// ErrLarge says that a file holds, or states, more than its reader may take.
var ErrLarge = errors.New("too large")

// Broken says what to do about an error of reading a file: one that says that there is too much stays as it is.
func Broken(err error) error {
	switch {
	case errors.Is(err, ErrLarge):
		return err
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
