package datasets

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/transforms"
)

// Text of more rows than memory may have is read once and its rows are read when they are used: they are those that are in memory if
// there is room, scaled alike to the last bit.
func TestRowsBeyondMemory(t *testing.T) {
	const n, d = 30_000, 90 // 21.6 MB as numbers
	r := rand.New(rand.NewPCG(1, 2))
	var csv, svm strings.Builder
	for i := range n {
		fmt.Fprint(&svm, i%2)
		for j := range d {
			v := float64(r.IntN(2000)-1000) / 100
			fmt.Fprintf(&csv, "%v,", v)
			if (i+j)%3 > 0 {
				fmt.Fprintf(&svm, " %d:%v", j+1, v)
			}
		}
		fmt.Fprintf(&csv, "%d\n", i%2)
		fmt.Fprintln(&svm)
	}
	for name, text := range map[string]string{"a.csv": csv.String(), "a.svm": svm.String()} {
		dir := filepath.Dir(write(t, name, text))
		o := Options{File: name, TestRows: []int{1, 1000}, Scale: Scale{Rule: "zscore"}, PCA: 3}
		open := func(o Options, memory int64) *Set {
			packs.recent = nil
			set, err := (&Library{Memory: memory, CacheDir: dir}).Open(t.Context(), o, taskRegression, 1, dir)
			require.NoError(t, err)
			return set
		}
		here, beyond := open(o, 1<<30), open(o, 12<<20)
		require.IsType(t, transforms.InMemory{}, here.Train)
		_, inMemory := beyond.Train.(transforms.InMemory)
		require.False(t, inMemory)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "the rows are in a file without a name")
		assert.Equal(t, here.TestX, beyond.TestX)
		assert.Equal(t, here.Files, beyond.Files)
		rows := transforms.Span(0, here.Train.Len())
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		x, y := transforms.Gather(here.Train, rows)
		gotX, gotY := transforms.Gather(beyond.Train, rows)
		assert.True(t, assert.ObjectsAreEqual(x, gotX) && assert.ObjectsAreEqual(y, gotY), name)
	}
}

// A store is read back whatever part of it is in its file.
func TestStore(t *testing.T) {
	for _, dir := range []string{t.TempDir(), ""} {
		s := store{dir: dir}
		piece := make([]byte, 1<<20)
		for i := range 40 {
			piece[0], piece[len(piece)-1] = byte(i), byte(100+i)
			require.NoError(t, s.add(piece))
		}
		require.NoError(t, s.close())
		require.NotNil(t, s.file)
		for i := range 40 {
			require.NoError(t, s.readAt(piece, int64(i)<<20))
			assert.Equal(t, []byte{byte(i), byte(100 + i)}, []byte{piece[0], piece[len(piece)-1]})
		}
		require.Error(t, s.readAt(piece, 40<<20))
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "none"))
	}
	s := store{most: 20 << 20}
	require.NoError(t, s.add(make([]byte, 18<<20)), "there is room in memory")
	require.ErrorContains(t, s.add(make([]byte, 3<<20)), "rows of more than 21 MB are kept in a file: ")
}
