package records

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// Numbers that JSON has not become strings, everywhere but within strings.
func TestLenient(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":NaN,"b":-Infinity}`:                    `{"a":"NaN","b":"-Infinity"}`,
		`[nan,inf,-inf,+Inf,Infinity, NaN ]`:         `["nan","inf","-inf","+Inf","Infinity", "NaN" ]`,
		`{"NaN":1,"a":"x, NaN, [Infinity]"}`:         `{"NaN":1,"a":"x, NaN, [Infinity]"}`,
		`{"a":"\", NaN","b\\":NaN,"c":"\\","d":NaN}`: `{"a":"\", NaN","b\\":"NaN","c":"\\","d":"NaN"}`,
		`{"a":1e5,"b":null,"c":true,"d":nana}`:       `{"a":1e5,"b":null,"c":true,"d":nana}`,
		`{"a":"unclosed, NaN`:                        `{"a":"unclosed, "NaN"`,
		"":                                           "",
	} {
		assert.Equal(t, want, string(Lenient([]byte(text))))
		if json.Valid([]byte(text)) {
			assert.Equal(t, text, string(Lenient([]byte(text))), "what JSON has stays")
		}
	}
}

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]int32, n)
		Parallel(n, func(i int) { atomic.AddInt32(&calls[i], 1) })
		for i, c := range calls {
			require.Equal(t, int32(1), c, "call %d of %d", i, n)
		}
	}
}

// Two packs with other records of a cell are warned of, but for one that has been replaced by the other meanwhile.
func TestReplacedPacksAreNotWarnedOf(t *testing.T) {
	folder := filepath.Join(t.TempDir(), packsFolder)
	require.NoError(t, os.Mkdir(folder, 0o700))
	before, now := filepath.Join(folder, "before.jsonl"), filepath.Join(folder, "now.jsonl")
	warnings := func() (n int) {
		w := walked{visit: func(*part) error { return nil }, warn: func(error) { n++ }, seen: map[[3]string]place{}}
		r := &Record{Header: Header{Experiment: "p/x", Cell: "a-1"}}
		for i, path := range []string{before, now} {
			p := part{path: path, cell: "a-1", record: r}
			p.sum[0] = byte(i)
			require.NoError(t, w.take(&p))
		}
		return n
	}
	for _, path := range []string{before, now} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	assert.Equal(t, 1, warnings())
	require.NoError(t, os.Remove(before))
	assert.Zero(t, warnings())
}
