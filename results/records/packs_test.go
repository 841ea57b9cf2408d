package records_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

const packedExperiment = "paper1999/demo"

// free is a lock that nobody has.
func free(string) func() { return func() {} }

// packs returns the packs of the experiment in a folder.
func packs(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "records", packedExperiment, "packs", "*.jsonl"))
	require.NoError(t, err)
	return paths
}

// texts returns the bytes of all records of a folder by cell, which must have no fault.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := records.Texts(dir)
	require.NoError(t, err)
	all := map[string]string{}
	for _, r := range list {
		all[r.Header.Cell] = string(r.Bytes)
	}
	s, err := records.Open(dir)
	require.NoError(t, err)
	assert.Empty(t, s.Warnings)
	assert.Len(t, s.Records, len(all))
	return all
}

// filled writes n complete records and one of each kind that no pack takes.
func filled(t *testing.T, n int) (dir string) {
	dir = t.TempDir()
	for i := range n {
		r := recordstest.Record("a", uint64(i), 9, float64(i))
		r.Header.Settings = map[string]any{"seed": float64(i)}
		recordstest.Write(t, dir, r)
	}
	for i, s := range []records.Status{records.Partial, records.Failed, records.Skipped, records.Timeout} {
		recordstest.Write(t, dir, recordstest.Ended(recordstest.Record("b", uint64(i), 9), s))
	}
	return dir
}

func find(dir, cell string) records.Found { return records.Find(dir, packedExperiment, cell, nil) }

// Every record has in a pack the bytes that it had as a file, and all that reads records finds it there.
func TestPack(t *testing.T) {
	dir := filled(t, 20)
	before, elsewhere := texts(t, dir), t.TempDir()
	store, err := records.Open(dir)
	require.NoError(t, err)
	require.NoError(t, records.Pack(dir, packedExperiment, 21, free))
	require.Empty(t, packs(t, dir), "too few")
	require.NoError(t, records.Pack(dir, packedExperiment, 20, free))
	require.Len(t, packs(t, dir), 1)
	assert.Equal(t, before, texts(t, dir))
	again, err := records.Open(dir)
	require.NoError(t, err)
	assert.Equal(t, store.Records, again.Records, "in the same order")
	own, err := filepath.Glob(filepath.Join(dir, "records", packedExperiment, "*.jsonl"))
	require.NoError(t, err)
	assert.Len(t, own, 4, "those that are not complete")
	text, err := os.ReadFile(packs(t, dir)[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), before["a-7"])
	for cell := range before {
		f := find(dir, cell)
		require.NotNil(t, f.Record, cell)
		assert.Equal(t, strings.HasPrefix(cell, "a"), f.File == packs(t, dir)[0], cell)
		assert.Equal(t, strings.HasPrefix(cell, "a"), f.State == records.Settled, cell)
	}
	assert.Equal(t, records.ToDo, find(dir, "a-99").State)
	brief := find(dir, "a-7")
	require.Len(t, brief.Points, 1, "the last one")
	assert.Equal(t, brief.Whole().Points[1:], brief.Points)
	assert.Equal(t, brief.Whole().Header, brief.Header)
	assert.Equal(t, brief.Whole().End, brief.End)
	m, err := records.Merge([]string{dir}, elsewhere)
	require.NoError(t, err)
	assert.Equal(t, 24, m.Written)
	assert.Equal(t, before, texts(t, elsewhere))
	m, err = records.Merge([]string{elsewhere}, dir)
	require.NoError(t, err)
	assert.Equal(t, 20, m.Equal)
	assert.Equal(t, 24, m.Kept)
}

// A cell that runs again is a file of its own, which counts before the pack. The next pack has it in place of the old record.
func TestPackOfARecordThatRanAgain(t *testing.T) {
	dir := filled(t, 8)
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	first := packs(t, dir)
	recordstest.Write(t, dir, recordstest.Ended(recordstest.Record("a", 3, 1), records.Partial))
	assert.Equal(t, "partial", find(dir, "a-3").Reason())
	assert.Len(t, texts(t, dir), 12)
	recordstest.Write(t, dir, recordstest.Record("a", 3, 1, 2, 3))
	before := texts(t, dir)
	assert.Len(t, find(dir, "a-3").Whole().Points, 3)
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	assert.Equal(t, before, texts(t, dir))
	assert.Len(t, find(dir, "a-3").Whole().Points, 3)
	require.Len(t, packs(t, dir), 1)
	assert.NotEqual(t, first, packs(t, dir), "a pack is never changed")

	path := records.Path(dir, packedExperiment, "a-3")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.Equal(t, records.Settled, find(dir, "a-3").State, "a file without a header is none")
	assert.Equal(t, before, texts(t, dir))
	require.NoError(t, find(dir, "a-3").Unpack(dir, packedExperiment, "a-3"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before["a-3"], string(text))
}

// A file stays if another process has the cell, or has changed it since it was read.
func TestPackLeavesWhatOthersWrite(t *testing.T) {
	dir := filled(t, 6)
	before := texts(t, dir)
	changed := recordstest.Record("a", 2, 7, 7, 7)
	require.NoError(t, records.Pack(dir, packedExperiment, 1, func(cell string) func() {
		switch cell {
		case "a-1":
			return nil
		case "a-2":
			recordstest.Write(t, dir, changed)
		}
		return func() {}
	}))
	assert.FileExists(t, records.Path(dir, packedExperiment, "a-1"))
	assert.NoFileExists(t, records.Path(dir, packedExperiment, "a-3"))
	assert.Len(t, find(dir, "a-2").Whole().Points, 3)
	after := texts(t, dir)
	delete(before, "a-2")
	delete(after, "a-2")
	assert.Equal(t, before, after)
}

// A file stays if the pack that has its record is damaged: a new pack takes its place.
func TestPackDoesNotTrustADamagedPack(t *testing.T) {
	dir := filled(t, 4)
	before := texts(t, dir)
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	path := packs(t, dir)[0]
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, files.Write(dir, records.Path(dir, packedExperiment, "a-2"), []byte(before["a-2"])))
	at := bytes.Index(text, []byte(before["a-2"]))
	text[at+len(before["a-2"])-80] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	assert.NoFileExists(t, path)
	assert.Equal(t, before, texts(t, dir))
}

// A damaged pack loses the damaged record, and the one beside it if no line parts them, and the fault names the file, the line and the cell.
func TestDamagedPack(t *testing.T) {
	dir := filled(t, 5)
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	path := packs(t, dir)[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n")) // of five records of four lines
	write := func(text []byte) *records.Store {
		require.NoError(t, os.WriteFile(path, text, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Duration(len(text))*time.Second))) // so that it has changed
		s, err := records.Open(dir)
		require.NoError(t, err)
		return s
	}
	random := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		k := random.IntN(20)
		text := bytes.Clone(whole)
		at := len(bytes.Join(lines[:k], nil)) + random.IntN(len(lines[k])-1)
		text[at] ^= 1 << random.IntN(7)
		s := write(text)
		require.NotEmpty(t, s.Warnings, "line %d, byte %d", k+1, at)
		got := map[string]bool{}
		for _, r := range s.Records {
			got[r.Header.Cell] = true
		}
		for i := range 5 { // a header or an end line that is none joins two records
			if i != k/4 && !(k%4 == 3 && i == k/4+1) && !(k%4 == 0 && i == k/4-1) {
				assert.True(t, got[fmt.Sprintf("a-%d", i)], "line %d, byte %d", k+1, at)
			}
		}
	}
	text := bytes.Replace(whole, []byte(`"seen":20`), []byte(`"seen":21`), 1)
	require.NotEqual(t, whole, text)
	s := write(text)
	require.Len(t, s.Warnings, 1)
	assert.ErrorContains(t, s.Warnings[0], path+":3: the checksum does not match")
	assert.ErrorContains(t, s.Warnings[0], `(the run is "a-0")`)
	require.ErrorIs(t, s.Warnings[0], records.ErrDamaged)
	for cut := len(whole) - 1; cut > 0; cut -= 1 + random.IntN(40) { // the tail is torn off
		s := write(whole[:cut])
		want := bytes.Count(whole[:cut], []byte("\n")) / 4 // records whose end lines are there
		if left := cut - len(bytes.Join(lines[:4*want], nil)); want > 0 && left > 0 && left < len(`{"line":"header"`) {
			want-- // what is left is no header
		}
		assert.Equal(t, want, len(s.Records)-4, "cut at %d", cut)
	}
}

// Two packs may hold a record twice, but not two records of a cell.
func TestTwoPacks(t *testing.T) {
	dir, other := filled(t, 4), t.TempDir()
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	before := texts(t, dir)
	put := func(r *records.Record) string {
		path := recordstest.Write(t, other, r)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	second := filepath.Join(filepath.Dir(packs(t, dir)[0]), "second.jsonl")
	require.NoError(t, os.WriteFile(second, []byte(before["a-1"]+put(recordstest.Record("c", 1, 5))), 0o600))
	assert.Len(t, texts(t, dir), 9)
	assert.Equal(t, records.Settled, find(dir, "a-1").State)
	require.NoError(t, os.WriteFile(second, []byte(before["a-1"][:500]), 0o600))
	assert.Equal(t, records.Settled, find(dir, "a-1").State, "a damaged one counts for nothing beside it")
	require.NoError(t, os.Remove(second))
	second = strings.Replace(second, "second", "third", 1)
	require.NoError(t, os.WriteFile(second, []byte(put(recordstest.Record("a", 1, 5))), 0o600))
	s, err := records.Open(dir)
	require.NoError(t, err)
	require.Len(t, s.Warnings, 1)
	require.ErrorContains(t, s.Warnings[0], "holds the same run as")
	f := find(dir, "a-1")
	assert.True(t, f.Unread())
	require.ErrorContains(t, f.Err, second)
	_, err = records.Merge([]string{dir}, other)
	require.ErrorContains(t, err, "holds the same run as")
}

// Whoever reads a folder while others pack it finds every record.
func TestReadWhileOthersPack(t *testing.T) {
	dir := filled(t, 60)
	before := texts(t, dir)
	defer files.Through(files.Unsynced)()
	var readers sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				all, err := records.Texts(dir)
				if assert.NoError(t, err) {
					assert.Len(t, all, 64)
				}
				for i := range 60 {
					assert.Equal(t, records.Settled, find(dir, fmt.Sprintf("a-%d", i)).State)
				}
			}
		})
	}
	for i := range 20 { // some become files again, as those of cells that run again
		assert.NoError(t, records.Pack(dir, packedExperiment, 1, free))
		for k := i; k < 60; k += 7 {
			cell := fmt.Sprintf("a-%d", k)
			text := before[cell]
			if i%2 == 0 {
				text = again(t, uint64(k))
			}
			assert.NoError(t, files.Write(dir, records.Path(dir, packedExperiment, cell), []byte(text)))
		}
	}
	close(over)
	readers.Wait()
}

// again returns the text of a cell that ran again, with another time.
func again(t *testing.T, seed uint64) string {
	r := recordstest.Record("a", seed, 9, float64(seed))
	r.End.Timing.Wall = 5
	text, err := os.ReadFile(recordstest.Write(t, t.TempDir(), r))
	assert.NoError(t, err)
	return string(text)
}

// A pack of many records is several files.
func TestPacksAreNotLarge(t *testing.T) {
	defer files.Through(files.Unsynced)()
	dir := t.TempDir()
	for i := range 2100 {
		recordstest.Write(t, dir, recordstest.Record("a", uint64(i), 1))
	}
	require.NoError(t, records.Pack(dir, packedExperiment, 1, free))
	assert.Len(t, packs(t, dir), 3)
	assert.Len(t, texts(t, dir), 2100)
}
