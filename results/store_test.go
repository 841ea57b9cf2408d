package results

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write puts a record on disk and returns its path.
func write(t *testing.T, dir string, r *Record) string {
	t.Helper()
	path := Path(dir, r.Header.Experiment, r.Header.Cell)
	w, err := Create(path, r.Header)
	require.NoError(t, err)
	for _, p := range r.Points {
		require.NoError(t, w.Point(p))
	}
	if r.End != nil {
		require.NoError(t, w.End(*r.End))
	}
	require.NoError(t, w.Close())
	return path
}

func TestWriterGivesTheGoldenRecord(t *testing.T) {
	r := record("a", 1, 0.5, 0.25, math.NaN())
	r.Points[0].Values["other"] = Value(1e-7)
	r.Header.Settings = map[string]any{"z": 1, "a": map[string]any{"y": "<&>", "b": 0.1}}
	path := write(t, t.TempDir(), r)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	golden(t, "records/paper1999/demo/a-1.jsonl", got)
}

func TestReadRecordReturnsWhatWasWritten(t *testing.T) {
	r := record("a", 1, 0.5, 0.25, math.NaN())
	got, err := ReadRecord(write(t, t.TempDir(), r))
	require.NoError(t, err)
	assert.Equal(t, r, got)
	assert.Equal(t, Budget, got.Status())
}

func TestWriterTurnsNonFiniteValuesIntoNull(t *testing.T) {
	inf := math.Inf(1)
	p := point(1, 1)
	p.Values["error"] = &inf
	r := record("a", 1)
	r.Points = []Point{p}
	got, err := ReadRecord(write(t, t.TempDir(), r))
	require.NoError(t, err)
	assert.Nil(t, got.Points[0].Values["error"])
	assert.Equal(t, &inf, p.Values["error"], "the caller's point is left alone")
}

func TestResumeGoesOnWithTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	r := record("a", 1, 4, 3, 2)
	whole, err := os.ReadFile(write(t, dir, r))
	require.NoError(t, err)

	path := filepath.Join(dir, "resumed.jsonl")
	w, err := Create(path, r.Header)
	require.NoError(t, err)
	require.NoError(t, w.Point(r.Points[0]))
	offset := w.Offset()
	require.NoError(t, w.Point(point(2, 77))) // after the checkpoint, lost
	require.NoError(t, w.Close())

	w, err = Resume(path, offset)
	require.NoError(t, err)
	assert.Equal(t, offset, w.Offset())
	for _, p := range r.Points[1:] {
		require.NoError(t, w.Point(p))
	}
	require.NoError(t, w.End(*r.End))
	require.NoError(t, w.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(got))
	assert.Equal(t, int64(len(whole)), w.Offset())
}

func TestResumeRefusesAStaleOffset(t *testing.T) {
	path := write(t, t.TempDir(), record("a", 1, 4))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, offset := range []int64{-1, 0, 5, int64(len(before)) + 10} {
		_, err := Resume(path, offset)
		assert.ErrorContains(t, err, "--fresh", "offset %d", offset)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "a refused record is left alone")
	_, err = Resume(path+"x", 10)
	assert.ErrorContains(t, err, "--fresh")
}

func TestCreateNamesThePathAndTheFlag(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	path := filepath.Join(blocked, "a.jsonl")
	_, err := Create(path, Header{})
	assert.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, "--out")
}

func TestEndRefusesPartial(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "a.jsonl"), Header{})
	require.NoError(t, err)
	defer w.Close()
	assert.Panics(t, func() { _ = w.End(End{Status: Partial}) })
}

// lines returns a header, two points and an end.
func lines(t *testing.T) []string {
	data, err := os.ReadFile(write(t, t.TempDir(), record("a", 1, 4, 3)))
	require.NoError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestReadRecordToleratesACutLastLine(t *testing.T) {
	l := lines(t)
	tests := []struct {
		name, data string
		points     int
		status     Status
	}{
		{"no end line", l[0] + l[1] + l[2], 2, Partial},
		{"header only", l[0], 0, Partial},
		{"cut inside a line", l[0] + l[1] + l[2][:20], 1, Partial},
		{"cut before the newline", l[0] + l[1] + strings.TrimSpace(l[2]), 1, Partial},
		{"broken JSON and a newline", l[0] + l[1] + "{\"line\":\"poi\n", 1, Partial},
		{"zeros left by a crash", l[0] + l[1] + "\x00\x00\x00\n", 1, Partial},
		{"end line without newline", l[0] + l[1] + l[2] + l[3], 2, Partial},
		{"whole", l[0] + l[1] + l[2] + l[3] + "\n", 2, Budget},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o644))
			r, err := ReadRecord(path)
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
			_, err := ReadRecord(path)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestReadRecordWithoutHeader(t *testing.T) {
	for _, data := range []string{"", lines(t)[0][:30]} {
		_, err := parseRecord("r.jsonl", []byte(data))
		assert.ErrorIs(t, err, ErrNoHeader)
	}
}

func TestOpenSortsAndWarns(t *testing.T) {
	dir := t.TempDir()
	for _, r := range []*Record{record("b", 1, 1), record("a", 10, 1), record("a", 2, 1)} {
		write(t, dir, r)
	}
	other := record("a", 1, 1)
	other.Header.Experiment, other.Header.Profile = "my/own/spec", "quick"
	write(t, dir, other)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "records", "bad.jsonl"), []byte("x\ny\n"), 0o644))
	copied, err := os.ReadFile(Path(dir, "paper1999/demo", "b-1"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(Path(dir, "paper1999/demo", "copy"), copied, 0o644))

	s, err := Open(dir)
	require.NoError(t, err)
	var cells []string
	for _, r := range s.Of("paper1999/demo") {
		cells = append(cells, r.Header.Cell)
	}
	assert.Equal(t, []string{"a-2", "a-10", "b-1"}, cells)
	assert.Equal(t, []string{"my/own/spec", "paper1999/demo"}, s.Experiments())
	assert.Len(t, s.Of("my/own/spec"), 1)
	assert.Empty(t, Experiment{ID: "my/own/spec", Profile: "paper"}.Records(s.Records))
	require.Len(t, s.Warnings, 2)
	text := errors.Join(s.Warnings...).Error()
	assert.Contains(t, text, "bad.jsonl:1: broken line")
	assert.Contains(t, text, "copy.jsonl: left out: the same cell as")
}

func TestOpenWithoutRecords(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "there are no records in "+dir+": run an experiment first, or name the folder of its records with --out")
}

func TestPathStaysInside(t *testing.T) {
	tests := []struct{ experiment, cell, want string }{
		{"dai2014/ridge", "dsg-1", "out/records/dai2014/ridge/dsg-1.jsonl"},
		{"../../etc/x", "a", "out/records/etc/x/a.jsonl"},
		{"/home/me/spec", "a", "out/records/home/me/spec/a.jsonl"},
		{"p/n", "../a/b", "out/records/p/n/..%2Fa%2Fb.jsonl"},
		{"p/n", "a%2Fb", "out/records/p/n/a%252Fb.jsonl"},
	}
	for _, test := range tests {
		assert.Equal(t, filepath.FromSlash(test.want), Path("out", test.experiment, test.cell))
	}
	assert.Equal(t, filepath.FromSlash("out/predictions/etc/a%2Fb.csv"), File("out", "predictions", "../../etc", "a/b.csv"))
}

func TestCanonicalDropsTimingAlone(t *testing.T) {
	assert.Equal(t, `{"a":{"timing":1},"line":"point"}`, string(Canonical([]byte(`{"timing":{"x":2},"line":"point","a":{ "timing": 1}}`+"\n"))))
	assert.Equal(t, `{"v":1.50e-3}`, string(Canonical([]byte(`{"v":1.50e-3}`))), "numbers keep their text")
	assert.Equal(t, "[1]", string(Canonical([]byte("[1]"))))
	assert.Equal(t, "null", string(Canonical([]byte("null"))))
}

func TestCanonicalRecordIgnoresTheClock(t *testing.T) {
	slow := record("a", 1, 4, 3)
	slow.Header.Timing.Started = "2026-01-01T00:00:00Z"
	slow.Points[1].Timing.Train = 99
	slow.End.Timing.Wall = 1000
	a, err := CanonicalRecord(write(t, t.TempDir(), record("a", 1, 4, 3)))
	require.NoError(t, err)
	b, err := CanonicalRecord(write(t, t.TempDir(), slow))
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
	assert.Equal(t, 4, strings.Count(string(a), "\n"))
	c, err := CanonicalRecord(write(t, t.TempDir(), record("a", 1, 4, 3.5)))
	require.NoError(t, err)
	assert.NotEqual(t, string(a), string(c))
}

func FuzzReadRecord(f *testing.F) {
	data, err := os.ReadFile("testdata/records/paper1999/demo/a-1.jsonl")
	require.NoError(f, err)
	f.Add(data, 40)
	f.Add([]byte("{}\n"), 1)
	f.Add([]byte(`{"line":"header","schema":1}`+"\n"+`{"line":"point","values":{"x":null}}`+"\n"), 30)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		const path = "r.jsonl"
		r, err := parseRecord(path, data) // all of ReadRecord but reading the file
		if err != nil {
			require.ErrorContains(t, err, path+":")
			return
		}
		require.Equal(t, "header", r.Header.Line)
		for i := 1; i < len(r.Points); i++ {
			require.GreaterOrEqual(t, r.Points[i].Step, r.Points[i-1].Step)
		}
		// However a good record is cut, what is left can be read.
		if cut < 0 || cut > len(data) {
			return
		}
		part, err := parseRecord(path, data[:cut])
		if err != nil {
			require.ErrorIs(t, err, ErrNoHeader)
			return
		}
		require.LessOrEqual(t, len(part.Points), len(r.Points))
		require.NotPanics(t, func() { CurveOf([]*Record{part, r}, "error", "step") })
	})
}
