package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// Varying lists the keys of a line in which two runs of one cell may differ: the clock and the machine, and the checksum,
// which covers them.
var Varying = []string{"timing", "sum"}

// sumKey begins the last key of every line.
const sumKey = `,"sum":"`

// closing follows the digits of a checksum.
const closing = "\"}\n"

// A chain computes the checksums of a record: a running SHA-256 of its bytes. The checksum of a line covers every byte of
// the record before its own key "sum", so a change of any line changes the checksums of all lines after it.
type chain struct{ hash.Hash }

func newChain() chain { return chain{sha256.New()} }

// digits returns how many hexadecimal digits of the hash a line keeps: all of them in the end line.
func digits(line []byte) int {
	if bytes.HasPrefix(line, []byte(`{"line":"end"`)) {
		return 2 * sha256.Size
	}
	return 16
}

// seal returns a line, a JSON object and a newline, with its checksum as the last key, and covers the result.
func (c chain) seal(line []byte) []byte {
	body := bytes.TrimSuffix(line, []byte("}\n"))
	c.Write(body)
	sealed := make([]byte, 0, len(body)+len(sumKey)+2*sha256.Size+len(closing))
	sealed = append(append(sealed, body...), sumKey...)
	sealed = append(hex.AppendEncode(sealed, c.Sum(nil))[:len(body)+len(sumKey)+digits(line)], closing...)
	c.Write(sealed[len(body):])
	return sealed
}

// check returns an error if a line does not end with its checksum, and covers it.
func (c chain) check(line []byte) error {
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return errors.New("the line has no checksum")
	}
	c.Write(line[:at])
	sum := hex.AppendEncode(nil, c.Sum(nil))[:digits(line)]
	if string(line[at+len(sumKey):]) != string(sum)+closing {
		return errors.New("the checksum does not match: this line or one before it was changed, removed or added after it was written")
	}
	c.Write(line[at:])
	return nil
}

// beyondSum returns how many bytes follow the checksum of a line: negative if it is cut, or if there is no checksum.
func beyondSum(line []byte) int {
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return -1
	}
	return len(line) - at - len(sumKey) - digits(line) - len(closing)
}
