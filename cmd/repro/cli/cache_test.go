package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/datasets"
	"repro/datasets/locks"
)

// The cache is listed with sizes and last use, and only what can be downloaded again is removed from it.
func TestCache(t *testing.T) {
	workplace(t)
	assert.Regexp(t, `cache: 0 B in 0 folders`, ok(t, "cache").out)
	var brought string
	for _, name := range datasets.Names() {
		if datasets.Brought(name) {
			brought = name
		}
	}
	write(t, "cache/a9a/a9a", "+1 1:1\n")
	write(t, "cache/a9a/a9a.t.part", "half")
	write(t, "cache/a9a/a9a.first", "{}")
	write(t, "cache/mine/notes", "mine")
	write(t, "cache/"+brought+"/x.npy", "brought")
	write(t, "cache/speeds.json", "{}")
	var all []struct {
		Folder   string
		DataSets []string `json:"data_sets"`
		Files    int
		Bytes    int64
		Partial  int64  `json:"partial_bytes"`
		LastUsed string `json:"last_used"`
	}
	list := func() map[string]int {
		all = nil
		require.NoError(t, json.Unmarshal([]byte(ok(t, "cache", "list", "--json").out), &all))
		at := map[string]int{}
		for i, c := range all {
			at[c.Folder] = i
		}
		return at
	}
	at := list()
	require.Len(t, at, 3)
	c := all[at["a9a"]]
	assert.Equal(t, []any{1, int64(7), int64(4), ""}, []any{c.Files, c.Bytes, c.Partial, c.LastUsed})
	assert.Contains(t, c.DataSets, "a9a")

	lib := &datasets.Library{CacheDir: "cache"}
	_, err := lib.Open(t.Context(), datasets.Options{Name: "a9a"}, "", 1, "")
	require.Error(t, err, "the file is not the real one")
	write(t, "cache/a9a/a9a.t", "-1 1:1\n")
	_, _ = lib.Open(t.Context(), datasets.Options{Name: "a9a"}, "", 1, "")
	at = list()
	used, err := time.Parse(time.RFC3339, all[at["a9a"]].LastUsed)
	require.NoError(t, err, "it was opened")
	assert.WithinDuration(t, time.Now(), used, time.Minute)
	assert.Equal(t, len(all)-1, at["a9a"], "the longest unused first")

	for name, want := range map[string]string{"mine": "is not a folder of a data set", brought: "nobody offers for download", "../tiny.toml": "has nothing of", "speeds.json": "has nothing of"} {
		o := repro(t, "cache", "remove", name)
		assert.Equal(t, int(exits.Mistake), o.status, name)
		assert.Contains(t, o.errors, want, name)
	}
	lock, err := locks.New().Take(filepath.Join("cache", "a9a", "a9a.lock"))
	require.NoError(t, err)
	o := repro(t, "cache", "remove", "a9a")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "locked by")
	lock.Release()
	assert.Regexp(t, `a9a removed: 2 files, .* of a9a`, ok(t, "cache", "remove", "a9a").out)
	assert.NoFileExists(t, "cache/a9a/a9a")
	assert.NoFileExists(t, "cache/a9a/a9a.t.part")
	assert.FileExists(t, "cache/a9a/a9a.first", "what the file was when it came first")
	assert.FileExists(t, "cache/mine/notes")
	assert.NotContains(t, list(), "a9a")
	_, err = os.Stat("tiny.toml")
	assert.NoError(t, err)
}
