package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets/memorytest"
	"repro/results/files"
)

// damages are files that are no checkpoint, made from one.
func damages(whole []byte) map[string][]byte {
	flipped := bytes.Clone(whole)
	flipped[len(whole)-9] ^= 1
	old := whole[checkpointHead:]
	newer := bytes.Replace(whole, []byte("checkpoint 4"), []byte("checkpoint 5"), 1)
	return map[string][]byte{
		"a flipped bit": flipped, "cut": whole[:len(whole)-1], "cut in its head": whole[:40], "empty": {},
		"more bytes": append(bytes.Clone(whole), 0), "of the format before": old, "of a newer format": newer,
		"text": []byte("not a checkpoint"),
	}
}

func TestADamagedCheckpointStartsTheCellAgain(t *testing.T) {
	s := spec(t, hazardous)
	whole := ran(t, s, Options{})
	want := canonical(t, whole, s)
	start := t.TempDir()
	interrupt(t, s, start, "b", 7)
	path := files.Path(start, "checkpoints", s.ID, "b-seed1.gob")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	damage := map[string]struct {
		data []byte
		want string
	}{"of another build": {ofBuild(t, path, "commit 0123456789ab, go1.0"), "it was written by another build (commit 0123456789ab, go1.0), this one is " + thisBuild()}}
	for name, data := range damages(good) {
		damage[name] = struct {
			data []byte
			want string
		}{data, "checkpoint: it is damaged"}
	}
	for name, c := range damage {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			require.NoError(t, os.CopyFS(out, os.DirFS(start)))
			require.NoError(t, os.WriteFile(files.Path(out, "checkpoints", s.ID, "b-seed1.gob"), c.data, 0o600))
			_, w, err := watch(t, context.Background(), s, Options{Out: out, Threads: 1})
			require.NoError(t, err)
			warnings := w.reasons(Warned)
			require.Len(t, warnings, 1)
			assert.Contains(t, warnings[0], "b-seed1: cannot continue from its checkpoint, so it starts again: "+c.want)
			assert.Equal(t, want, canonical(t, out, s))
			assert.Empty(t, filesBelow(t, out, "checkpoints"))
		})
	}
	t.Run("undamaged", func(t *testing.T) {
		_, w, err := watch(t, context.Background(), s, Options{Out: start, Threads: 1})
		require.NoError(t, err)
		assert.Empty(t, w.reasons(Warned))
		assert.Equal(t, want, canonical(t, start, s))
	})
}

func TestACheckpointOfOtherSettingsIsNoWarning(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	interrupt(t, s, out, "b", 7)
	other := spec(t, hazardous, "budget.steps=15")
	_, w, err := watch(t, context.Background(), other, Options{Out: out, Threads: 1})
	require.NoError(t, err)
	assert.Empty(t, w.reasons(Warned))
	whole := ran(t, other, Options{})
	assert.Equal(t, canonical(t, whole, other), canonical(t, out, other), "and the cell starts anew")
}

// ofBuild returns a checkpoint as another build would have written it.
func ofBuild(t *testing.T, path, build string) []byte {
	c, err := openCheckpoint(path)
	require.NoError(t, err)
	require.NoError(t, c.file.Close())
	require.Equal(t, thisBuild(), c.Build)
	c.state, c.Build = &struct{ None bool }{}, build
	other := filepath.Join(t.TempDir(), "other.gob")
	require.NoError(t, files.Replace(filepath.Dir(other), other, c.write))
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	return text
}

// Every single byte of a checkpoint is under its checksum, and so is its length.
func TestEveryDamageOfACheckpointIsNoticed(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	interrupt(t, s, out, "b", 7)
	good, err := os.ReadFile(files.Path(out, "checkpoints", s.ID, "b-seed1.gob"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "c.gob")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << r.IntN(8)
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		_, err := openCheckpoint(path)
		require.ErrorIs(t, err, errCheckpoint, "byte %d", i)
		require.NoError(t, os.WriteFile(path, good[:i], 0o600))
		_, err = openCheckpoint(path)
		require.ErrorIs(t, err, errCheckpoint, "%d bytes", i)
	}
	t.Logf("%d flips and %d cuts", len(good), len(good))
}

// A gob may claim a length of a gigabyte, for which gob allocates. Without the right checksum it is not decoded.
func TestADamagedCheckpointAllocatesNothing(t *testing.T) {
	var claim bytes.Buffer
	claim.Write([]byte{0xfc}) // a length of four bytes follows
	require.NoError(t, binary.Write(&claim, binary.BigEndian, uint32(1<<30-1)))
	claim.Write(make([]byte, 100))
	path := filepath.Join(t.TempDir(), "c.gob")
	wrong := sha256.Sum256(nil)
	require.NoError(t, os.WriteFile(path, append([]byte(checkpointMagic+hex.EncodeToString(wrong[:])+"\n"), claim.Bytes()...), 0o600))
	// io.Copy's buffer of 32 KiB and the hash; 1 MiB leaves room for what other goroutines allocate.
	var err error
	assert.LessOrEqual(t, memorytest.Bytes(func() { _, err = openCheckpoint(path) }), uint64(1<<20))
	require.ErrorIs(t, err, errCheckpoint)
}

// A saved is a state for FuzzCheckpoint.
type saved struct {
	Kinds []int
	Alpha []float64
	Parts []saved
	Names map[string]string
}

// FuzzCheckpoint reads any bytes as a checkpoint, as they are and behind a head with their checksum. Neither may panic, and
// the first must not allocate.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte("not a checkpoint"))
	f.Add([]byte(checkpointMagic))
	path := filepath.Join(f.TempDir(), "seed.gob")
	if err := files.Replace(filepath.Dir(path), path, (&checkpoint{Digest: "d", Build: "b", state: &saved{Kinds: []int{1, 2, 3}, Alpha: []float64{0.5}}}).write); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[checkpointHead:])
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		if c, err := openCheckpoint(path); err == nil {
			c.file.Close()
			sum := sha256.Sum256(data[checkpointHead:])
			require.Contains(t, string(data[:checkpointHead]), hex.EncodeToString(sum[:]))
		}
		sum := sha256.Sum256(data)
		require.NoError(t, os.WriteFile(path, append([]byte(checkpointMagic+hex.EncodeToString(sum[:])+"\n"), data...), 0o600))
		if c, err := openCheckpoint(path); err == nil {
			defer c.file.Close()
			var s saved
			if err := algos.RestoreState(c.rest, c.bytes, &s); err != nil {
				return
			}
			c.state = &s
			require.NoError(t, files.Replace(filepath.Dir(path), path, c.write))
		}
	})
}

// Checkpoints that take long are written less often, so that they take at most a twentieth of a cell's time.
func TestLongCheckpointsAreRare(t *testing.T) {
	c := clock{saved: time.Now().Add(-time.Minute), saving: 2 * time.Second}
	assert.True(t, c.checkpointDue(0))
	c.saving = 4 * time.Second
	assert.False(t, c.checkpointDue(0))
	assert.True(t, c.checkpointDue(time.Second))
	c = clock{saved: time.Now().Add(-4 * time.Second)}
	assert.False(t, c.checkpointDue(0), "nor do short ones come all the time")
}
