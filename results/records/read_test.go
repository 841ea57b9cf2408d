package records_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestReadRecordReturnsWhatWasWritten(t *testing.T) {
	r := recordstest.Record("a", 1, 0.5, 0.25, math.NaN())
	got, err := records.Read(recordstest.Write(t, t.TempDir(), r))
	require.NoError(t, err)
	assert.Equal(t, r, got)
	assert.Equal(t, records.Budget, got.Status())
}

// lines returns a header, two points and an end.
func lines(t *testing.T) []string {
	data, err := os.ReadFile(recordstest.Write(t, t.TempDir(), recordstest.Record("a", 1, 4, 3)))
	require.NoError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestReadRecordToleratesACutLastLine(t *testing.T) {
	l := lines(t)
	tests := []struct {
		name, data string
		points     int
		status     records.Status
	}{
		{"no end line", l[0] + l[1] + l[2], 2, records.Partial},
		{"header only", l[0], 0, records.Partial},
		{"cut inside a line", l[0] + l[1] + l[2][:20], 1, records.Partial},
		{"cut before the newline", l[0] + l[1] + strings.TrimSpace(l[2]), 1, records.Partial},
		{"zeros left by a crash", l[0] + l[1] + "\x00\x00\x00", 1, records.Partial},
		{"end line without newline", l[0] + l[1] + l[2] + l[3], 2, records.Partial},
		{"whole", l[0] + l[1] + l[2] + l[3] + "\n", 2, records.Budget},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o644))
			r, err := records.Read(path)
			require.NoError(t, err)
			assert.Len(t, r.Points, test.points)
			assert.Equal(t, test.status, r.Status())
		})
	}
}

func TestReadRecordNamesFileAndLine(t *testing.T) {
	l := lines(t)
	const mismatch = "the checksum does not match: this line or one before it was changed, removed or added after it was written"
	tests := []struct{ name, data, want string }{
		{"digit edited in the header", strings.Replace(l[0], `"seed":1`, `"seed":2`, 1) + l[1], "r.jsonl:1: " + mismatch},
		{"digit edited in a point", l[0] + strings.Replace(l[1], `"error":4`, `"error":3`, 1) + l[2], "r.jsonl:2: " + mismatch},
		{"digit edited in the timing", l[0] + strings.Replace(l[1], `"setup_seconds":1`, `"setup_seconds":2`, 1), "r.jsonl:2: " + mismatch},
		{"digit edited in the checksum", l[0] + strings.Replace(l[1], `"sum":"`, `"sum":"0`, 1), "r.jsonl:2: " + mismatch},
		{"line deleted", l[0] + l[2] + l[3] + "\n", "r.jsonl:2: " + mismatch},
		{"line doubled", l[0] + l[1] + l[1] + l[2], "r.jsonl:3: " + mismatch},
		{"lines swapped", l[0] + l[2] + l[1], "r.jsonl:2: " + mismatch},
		{"second header", l[0] + l[0] + l[1], "r.jsonl:2: " + mismatch},
		{"broken in the middle", l[0] + "{\"line\":\n" + l[2], "r.jsonl:2: the line has no checksum"},
		{"broken at the end", l[0] + l[1] + "{\"line\":\"poi\n", "r.jsonl:3: the line has no checksum"},
		{"schema lowered", strings.Replace(l[0], `"schema":2`, `"schema":1`, 1) + l[1], "r.jsonl:1: schema 1: not a record of repro"},
		{"the last newline changed", l[0] + l[1] + strings.TrimSuffix(l[2], "\n") + "x", "r.jsonl:3: the checksum does not match"},
		{"no header", l[1] + l[2], "r.jsonl:1: line \"point\": a record has one header"},
		{"after the end", strings.Join(l, "") + "\n" + l[1], "r.jsonl:5: a line after the end line"},
		{"cut after the end", strings.Join(l, "") + "\n{", "r.jsonl:5: a line after the end line"},
		{"no schema", "{\"line\":\"header\"}\n", "r.jsonl:1: schema 0"},
		{"wrong type", resealed(l[0], "{\"line\":\"point\",\"step\":\"x\"}\n"), "r.jsonl:2: json: cannot unmarshal string"},
		{"unknown line", resealed(l[0], "{\"line\":\"pint\"}\n"), "r.jsonl:2: unknown kind of line \"pint\""},
		{"backwards", resealed(l[0], l[2], l[1]), "r.jsonl:3: step 1 after step 2: two runs wrote this record"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o644))
			_, err := records.Read(path)
			require.ErrorIs(t, err, records.ErrDamaged)
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, "run it again, or restore the file from a copy")
		})
	}
}

// resealed returns lines of a record with the checksums that they would have in this order.
func resealed(lines ...string) string {
	return recordstest.Sealed(regexp.MustCompile(`,"sum":"[0-9a-f]*"}`).ReplaceAllString(strings.Join(lines, ""), "}"))
}

func TestReadRecordOfANewerVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"line\":\"header\",\"schema\":3}\n"), 0o644))
	_, err := records.Read(path)
	require.ErrorIs(t, err, records.ErrNewer)
	require.NotErrorIs(t, err, records.ErrDamaged)
	assert.ErrorContains(t, err, "r.jsonl:1: written by a newer repro: schema 3, this one reads 2; update repro")
}
