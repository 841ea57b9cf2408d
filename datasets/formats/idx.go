package formats

import (
	"encoding/binary"
	"io"
)

// The idx format of the MNIST files: two zero bytes, the type of the elements, the number of
// dimensions, each dimension as a big-endian 32-bit number, the elements in C order.
const idxByte = 0x08 // elements are unsigned bytes

// ReadIdx reads an array of bytes that must have the given dimensions.
func ReadIdx(r io.Reader, path string, want ...int) ([]byte, error) {
	head := make([]byte, 4+4*len(want))
	if n, err := io.ReadFull(r, head); err != nil {
		return nil, Faultf(ErrFormat, "%s: the file ends inside its header, after %d of %d bytes: get it again", path, n, len(head))
	}
	if head[0] != 0 || head[1] != 0 || head[2] != idxByte || int(head[3]) != len(want) {
		return nil, Faultf(ErrFormat, "%s: this is not an idx file of bytes with %d dimensions: it begins with % x", path, len(want), head[:4])
	}
	size := 1
	for i, w := range want {
		if d := binary.BigEndian.Uint32(head[4+4*i:]); uint64(d) != uint64(w) {
			return nil, Faultf(ErrFormat, "%s: dimension %d is %d, %d expected", path, i+1, d, w)
		}
		size *= w
	}
	data, err := readN(r, nil, size)
	if err != nil {
		return nil, Faultf(ErrFormat, "%s: after %d of %d elements %w", path, len(data), size, Broken(err))
	}
	if _, err := io.ReadFull(r, head[:1]); err != io.EOF {
		return nil, Faultf(ErrFormat, "%s: there is data after the %d elements the header states", path, size)
	}
	return data, nil
}
