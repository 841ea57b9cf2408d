package datasets

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/formats"
	"repro/datasets/memorytest"
	"repro/datasets/transforms"
)

// One index may not make a matrix that the file does not account for, or that memory does not have.
func TestSparseIndex(t *testing.T) {
	wide := "1 1:1\n-1 999999999:1\n1 2:1\n"
	for _, c := range []struct {
		name, text string
		o          Options
		memory     int64
		want       string // "" if it is accepted
	}{
		{"one index", wide, Options{}, 1 << 50,
			":2: index 999999999 would make a matrix of 3 rows × 999999999 columns, 24 GB, of a file of 27 bytes: correct the index, or state columns = 999999999 in [data] if it is right"},
		{"beyond memory", wide, Options{}, 16e9,
			":2: index 999999999: 2 rows of 999999999 inputs would take 16 GB, and data may take 8 GB of memory: use fewer rows or columns"},
		{"columns stated", wide, Options{Columns: 999999999}, 16e9, ": 2 rows of 999999999 inputs would take 16 GB, and data may take 8 GB of memory"},
		{"free", "1 1:1\n1 2000000:1\n1 2:1\n", Options{}, 1 << 30, ""},
		{"sparse", strings.Repeat("1 9000:1\n", 3000), Options{}, 1 << 30,
			":1: index 9000 would make a matrix of 3000 rows × 9000 columns, 216 MB, of a file of 27 kB"},
		{"64 MiB are free", strings.Repeat("1 8192:1\n", 1024), Options{}, 1 << 30, ""},
		{"sparse, few rows of it", strings.Repeat("1 9000:1\n", 3000), Options{TestRows: []int{1, 2900}, Test: 1}, 1 << 30, ""},
		{"sparse, packed", zipped(t, strings.Repeat("1 8400:1.0000000\n", 1000)), Options{}, 1 << 30, ""},
		{"sparse, columns stated", strings.Repeat("1 9000:1\n", 3000), Options{Columns: 9000}, 1 << 30, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "a.svm", c.text)
			if c.o.File = "a.svm"; c.o.TestRows == nil {
				c.o.TestRows = []int{1, 1}
			}
			var err error
			took := memorytest.Bytes(func() {
				_, err = (&Library{Memory: c.memory}).Open(t.Context(), c.o, "", 1, filepath.Dir(path))
			})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, formats.ErrFormat)
			assert.Contains(t, err.Error(), path+c.want)
			_, _, _, _, planned := (&Library{Memory: c.memory}).Measure(t.Context(), c.o, filepath.Dir(path))
			assert.EqualError(t, planned, err.Error(), "what open refuses, plan refuses")
			assert.Less(t, took, uint64(4<<20))
		})
	}
}

// Test rows are in memory, beside those of a training file that has no more than half of it. More training rows are read when they are used.
func TestBothFilesShareMemory(t *testing.T) {
	path := write(t, "a.csv", strings.Repeat("1,2,3\n", 3000)) // 48 kB
	open := func(memory int64) (*Set, error) {
		return (&Library{Memory: memory}).Open(t.Context(), Options{File: "a.csv", TestFile: "a.csv"}, "", 1, filepath.Dir(path))
	}
	_, err := open(40_000)
	assert.ErrorContains(t, err, "3000 rows of 2 inputs would take 4.8e-05 GB, and data may take 40 kB of memory")
	o := Options{File: "a.csv", TestFile: "a.csv", Train: 1500, Order: "file"}
	_, err = (&Library{Memory: 60_000}).Open(t.Context(), o, "", 1, filepath.Dir(path))
	assert.ErrorContains(t, err, "3000 rows of 2 inputs would take", "beside 24 kB of training rows")
	for memory, in := range map[int64]bool{60_000: false, 100_000: true} {
		s, err := open(memory)
		require.NoError(t, err)
		_, here := s.Train.(transforms.InMemory)
		assert.Equal(t, in, here)
	}
}

// Rows that are drawn are held to the memory, too.
func TestDrawnRowsAreHeldToMemory(t *testing.T) {
	for _, o := range []Options{{Train: 10_000, Test: 1, InMemory: true}, {Train: 1, Test: 10_000}} {
		o.Name = "dai2014-synthetic"
		_, err := (&Library{Memory: 159_999}).Open(t.Context(), o, "", 1, "")
		require.ErrorContains(t, err, "10000 rows of 2 inputs would take")
		s, err := (&Library{Memory: 160_000}).Open(t.Context(), o, "", 1, "")
		require.NoError(t, err)
		_, here := s.Train.(transforms.InMemory)
		assert.Equal(t, o.InMemory, here)
	}
}

// The memory is the least of what the limits say, of those that say something.
func TestMachineMemory(t *testing.T) {
	defer func(saved []func() (uint64, error)) { memoryLimits = saved }(memoryLimits)
	for _, c := range []struct {
		limits []uint64 // 0 if it is not known
		want   int64
	}{{[]uint64{5, 3}, 3}, {[]uint64{3, 5}, 3}, {[]uint64{0, 1 << 40}, 1 << 40}, {[]uint64{3, math.MaxUint64}, 3}, {[]uint64{0, 0}, 64 << 30}} {
		memoryLimits = nil
		for _, n := range c.limits {
			memoryLimits = append(memoryLimits, func() (uint64, error) { return n, nil })
		}
		bytes, known := MachineMemory()
		assert.Equal(t, c.want, bytes)
		assert.Equal(t, c.want != 64<<30, known)
	}
}

func TestDecompressionBombs(t *testing.T) {
	for kind, open := range compressors {
		t.Run(kind, func(t *testing.T) {
			path := write(t, "a.csv", compress(t, open, strings.Repeat("\n", 2<<20)))
			o := Options{File: "a.csv", TestRows: []int{1, 1}}
			l := &Library{Memory: 1 << 20}
			_, err := l.Open(t.Context(), o, "", 1, filepath.Dir(path))
			require.ErrorIs(t, err, formats.ErrLarge)
			assert.ErrorContains(t, err, "the uncompressed content has more than 1.05 MB, the bound for this file")

			s := &Source{Name: "src", Dims: 2, Rows: 10, Format: "csv"}
			files := s.sized("csv", []RemoteFile{{Name: "a.csv", Rows: 10, SHA256: sha("")}})
			require.ErrorIs(t, hashFile(t.Context(), path, &files[0]), formats.ErrLarge, "a source has a bound of its own")
			assert.Equal(t, int64(10*3*32+1<<20), (&Input{Remote: &files[0], memory: 1 << 40}).Bound())
		})
	}
}

// A folder is no file, and may be named like one.
func TestFolderNamedLikeItsFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "f"), 0o755))
	l := &Library{SearchPath: []string{dir}}
	s := &Source{Name: "f", Dims: 1, Rows: 2, Format: "libsvm", Files: []RemoteFile{{Name: "f", Rows: 2, SHA256: sha(tiny)}}}
	assert.Empty(t, l.locate(t.Context(), s)[0].Path)
	ok, why := l.Ready(Options{File: "f"}, dir)
	assert.False(t, ok)
	assert.Equal(t, "data.file: "+filepath.Join(dir, "f")+" is a folder, not a regular file", why)
}
