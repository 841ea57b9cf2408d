package records

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line that is read as the writer writes it holds what encoding/json finds in it, also after bytes of it were changed.
func TestPlainLinesAreJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	const bytesOfJSON = "{}[]\",:.-+eE019 \\unlt\x00\xff"
	plainLines, changed := 0, 0
	for _, data := range realRecords(t) {
		for line := range bytes.Lines(data) {
			require.True(t, likeJSON(t, line), "%s", line)
			plainLines++
			for range 300 {
				other := bytes.Clone(line)
				for range 1 + random.IntN(2) {
					at := random.IntN(len(other))
					switch c := bytesOfJSON[random.IntN(len(bytesOfJSON))]; random.IntN(3) {
					case 0:
						other[at] = c
					case 1:
						other = append(other[:at], other[at+1:]...)
					default:
						other = append(other[:at], append([]byte{c}, other[at:]...)...)
					}
				}
				if likeJSON(t, other) {
					changed++
				}
			}
		}
	}
	assert.Greater(t, plainLines, 100)
	assert.Greater(t, changed, 1000, "most changes are within a text or a number")
}

// likeJSON compares a line with what encoding/json says of it, and reports whether it is plain.
func likeJSON(t *testing.T, line []byte) bool {
	t.Helper()
	l, plain := (&Record{}).plain(line)
	if !plain {
		return false
	}
	r := &Record{}
	require.NoError(t, r.decode(l.kind, line), "%s", line)
	switch l.kind {
	case "header":
		require.Equal(t, r.Header, l.header, "%s", line)
	case "point":
		require.Equal(t, r.Points[0], l.point, "%s", line)
	default:
		require.Equal(t, r.End, l.end, "%s", line)
	}
	return true
}

// A key twice, an escape or a number that JSON has not is left to encoding/json.
func TestOtherLinesAreNotPlain(t *testing.T) {
	const usual = `{"line":"point","step":1,"seen":8,"epoch":0.25,"counters":{"kernel_evals":0,"feature_evals":64,"flops":384,"bytes":640,"memory":64},"values":{"µ":1},"timing":{"setup_seconds":1,"train_seconds":2},"sum":"0"}` + "\n"
	assert.True(t, likeJSON(t, []byte(usual)))
	for was, is := range map[string]string{`"µ":1`: `"a":1,"a":2`, "µ": `\u0041`, `"step":1`: `"step":01`, `"setup_seconds":1`: `"setup_seconds":1.`, `,"sum"`: `,"line":"end","sum"`} {
		_, plain := (&Record{}).plain([]byte(strings.Replace(usual, was, is, 1)))
		assert.False(t, plain, is)
	}
}
