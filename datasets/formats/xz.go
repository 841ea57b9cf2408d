package formats

import (
	"bufio"
	"errors"
	"io"
)

// An xzGuard hands on an xz file and reads the headers of its blocks before the decoder does, which takes the memory for
// the dictionary that a block states, up to 4 GiB for each. The guard refuses a dictionary of more than most bytes, and
// dictionaries of more than most + 1024 bytes for each byte of the file in all.
type xzGuard struct {
	r     *bufio.Reader
	most  int64
	pass  int64 // bytes to hand on before the next structure
	state func(*xzGuard) error
	done  int64 // bytes handed on
	dicts int64 // bytes of all dictionaries
	check int64 // bytes of the check after a block
	body  int64 // bytes of the block's data so far
	index int64 // bytes of the index so far
	left  uint64
}

func (g *xzGuard) Read(p []byte) (int, error) {
	for g.pass == 0 {
		if g.state == nil {
			g.state = (*xzGuard).stream
		}
		if err := g.state(g); err != nil {
			return 0, err
		}
	}
	n, err := g.r.Read(p[:min(int64(len(p)), g.pass)])
	g.pass -= int64(n)
	g.done += int64(n)
	return n, err
}

// peek returns the next n bytes, or those up to the end of the file.
func (g *xzGuard) peek(n int) ([]byte, error) {
	b, err := g.r.Peek(n)
	if len(b) == 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	if err == io.EOF && len(b) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// stream is before the header of a stream, or padding between streams.
func (g *xzGuard) stream() error {
	const header = 12
	b, err := g.peek(4)
	if err != nil {
		return err
	}
	if b[0] == 0 {
		g.pass = 4
		return nil
	}
	if b, err = g.peek(header); err != nil {
		return err
	}
	if b[7] > 15 {
		return errXZ
	}
	g.check = []int64{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[b[7]]
	g.pass, g.state = header, (*xzGuard).block
	return nil
}

var errXZ = errors.New("xz: the structure of the file is damaged")

// block is before the header of a block, or before the index.
func (g *xzGuard) block() error {
	b, err := g.peek(1)
	if err != nil {
		return err
	}
	if b[0] == 0 {
		g.pass, g.index, g.state = 1, 1, (*xzGuard).records
		return nil
	}
	size := (int(b[0]) + 1) * 4
	if b, err = g.peek(size); err != nil {
		return err
	}
	dict, err := dictionary(b)
	if err != nil {
		return err
	}
	g.dicts += dict
	if dict > g.most {
		return Faultf(ErrLarge, "xz: the dictionary has %s, more than the %s allowed: compress the file with xz -9 or less", Size(dict), Size(g.most))
	}
	if g.dicts > g.most+1024*g.done {
		return Faultf(ErrLarge, "xz: the dictionaries of %s of the file have %s, more than their data needs: compress the file again", Size(g.done), Size(g.dicts))
	}
	g.pass, g.body, g.state = int64(size), 0, (*xzGuard).chunk
	return nil
}

// dictionary returns the bytes of the dictionary that the header of a block states.
func dictionary(b []byte) (int64, error) {
	flags, at := b[1], b[2:]
	for _, present := range []byte{0x40, 0x80} { // sizes of the block
		if flags&present != 0 {
			_, n := uvarint(at)
			if n == 0 {
				return 0, errXZ
			}
			at = at[n:]
		}
	}
	// The decoder takes blocks with one filter, LZMA2: id, one byte of properties, and that byte.
	if flags&0x03 != 0 || len(at) < 3 || at[0] != 0x21 || at[1] != 1 || at[2] > 40 {
		return 0, errors.New("xz: filters other than LZMA2 are not supported: compress the file with xz")
	}
	if at[2] == 40 {
		return 1<<32 - 1, nil
	}
	return (2 | int64(at[2]&1)) << (at[2]/2 + 11), nil
}

// chunk is before a chunk of LZMA2, or before the end of a block [Linux xz_dec_lzma2.c].
func (g *xzGuard) chunk() error {
	b, err := g.peek(1)
	if err != nil {
		return err
	}
	control := b[0]
	switch {
	case control == 0:
		g.body++
		padding := (4 - g.body%4) % 4
		g.pass, g.state = 1+padding+g.check, (*xzGuard).block
		return nil
	case control >= 0x80:
		if b, err = g.peek(5); err != nil {
			return err
		}
		g.pass = 5 + int64(b[3])<<8 + int64(b[4]) + 1
		if control >= 0xc0 {
			g.pass++ // new properties
		}
	case control <= 2:
		if b, err = g.peek(3); err != nil {
			return err
		}
		g.pass = 3 + int64(b[1])<<8 + int64(b[2]) + 1
	default:
		return errXZ
	}
	g.body += g.pass
	return nil
}

// records is before the number of blocks in the index.
func (g *xzGuard) records() error {
	v, n, err := g.number()
	if err != nil {
		return err
	}
	g.left, g.pass, g.state = 2*min(v, 1<<62), int64(n), (*xzGuard).record
	g.index += int64(n)
	return nil
}

// record is before one of the two numbers of a block in the index, or after the last.
func (g *xzGuard) record() error {
	if g.left == 0 {
		const sum, footer = 4, 12
		g.pass, g.state = (4-g.index%4)%4+sum+footer, (*xzGuard).stream
		return nil
	}
	_, n, err := g.number()
	if err != nil {
		return err
	}
	g.left--
	g.pass = int64(n)
	g.index += int64(n)
	return nil
}

// number looks at the number that follows, of n bytes.
func (g *xzGuard) number() (v uint64, n int, err error) {
	b, err := g.r.Peek(9)
	if v, n = uvarint(b); n > 0 {
		return v, n, nil
	}
	if err == nil || err == io.EOF {
		err = errXZ
	}
	return 0, 0, err
}

// uvarint returns the number at the start of b and its bytes, none if it is not complete.
func uvarint(b []byte) (v uint64, n int) {
	for n < min(len(b), 9) {
		v |= uint64(b[n]&0x7f) << (7 * n)
		n++
		if b[n-1] < 0x80 {
			return v, n
		}
	}
	return 0, 0
}
