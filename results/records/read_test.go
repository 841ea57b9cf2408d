package records_test

import (
	"math"
	"os"
	"path/filepath"
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
		{"broken JSON and a newline", l[0] + l[1] + "{\"line\":\"poi\n", 1, records.Partial},
		{"zeros left by a crash", l[0] + l[1] + "\x00\x00\x00\n", 1, records.Partial},
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
	tests := []struct{ name, data, want string }{
		{"broken in the middle", l[0] + "{\"line\":\n" + l[2], "r.jsonl:2: broken line"},
		{"no header", l[1] + l[2], "r.jsonl:1: line \"point\": a record has one header"},
		{"second header", l[0] + l[0] + l[1], "r.jsonl:2: line \"header\": a record has one header"},
		{"after the end", l[0] + l[3] + "\n" + l[1], "r.jsonl:3: a line after the end line"},
		{"cut after the end", l[0] + l[3] + "\n{", "r.jsonl:3: broken line"},
		{"wrong type", l[0] + "{\"line\":\"point\",\"step\":\"x\"}\n", "r.jsonl:2: json: cannot unmarshal string"},
		{"unknown line", l[0] + "{\"line\":\"pint\"}\n", "r.jsonl:2: unknown kind of line \"pint\""},
		{"backwards", l[0] + l[2] + l[1], "r.jsonl:3: step 1 after step 2: two runs wrote this record"},
		{"newer", "{\"line\":\"header\",\"schema\":2}\n", "r.jsonl:1: written by a newer repro: schema 2, this one reads 1; update repro"},
		{"no schema", "{\"line\":\"header\"}\n", "r.jsonl:1: schema 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o644))
			_, err := records.Read(path)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
