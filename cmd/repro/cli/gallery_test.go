package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/plots/site"
	"repro/results/bundles"
	"repro/results/records"
)

// Bundles of three instruction sets hang side by side, with what was audited and how far the machines agree; a forged bundle is named.
func TestGallery(t *testing.T) {
	workplace(t)
	require.NoError(t, os.Mkdir("in", 0o777))
	self, err := os.Executable()
	require.NoError(t, err)
	var sets []string
	for _, isa := range []string{"generic", "avx2", "avx512"} {
		run := func(args ...string) {
			cmd := exec.Command(self, append(args, "--out", isa)...)
			cmd.Env = append(os.Environ(), asCommand+"=1", "REPRO_CPU="+isa)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		run("run", "tiny.toml")
		store, err := records.Open(isa)
		require.NoError(t, err)
		if store.Records[0].Header.Timing.ISA != isa {
			t.Logf("this machine has no %s", isa)
			continue
		}
		sets = append(sets, isa)
		run("bundle", "in/"+isa+".zip", "tiny.toml")
	}
	ok(t, "audit", "in/generic.zip", "--sample", "2")
	b, err := bundles.Read("in/generic.zip")
	require.NoError(t, err)
	for i := range b.Records { // a forger who writes the records with their checksums, and the manifest with them
		path := filepath.FromSlash("generic/" + bundles.RecordPath(b.Records[i].Header))
		r, err := records.Read(path)
		require.NoError(t, err)
		for k := range r.Points {
			r.Points[k].Values["test-mse"] = records.Value(*r.Points[k].Values["test-mse"] / 2)
		}
		rewrite(t, path, r)
		b.Records[i].Bytes = []byte(read(t, path))
	}
	_, err = bundles.Write("in/z-forged.zip", b.Contents)
	require.NoError(t, err)
	write(t, "in/broken.zip", "PK")
	write(t, "in/other.audit.jsonl", "{\"sha256\": \"00\"}\nnonsense\n")

	o := repro(t, "gallery", "in", "--json")
	assert.Equal(t, 1, o.status)
	var g site.Gallery
	require.NoError(t, json.Unmarshal([]byte(o.out), &g))
	n := len(sets)
	require.Len(t, g.Bundles, n+1)
	isas := map[string]*site.GalleryBundle{}
	for _, b := range g.Bundles[:n] {
		assert.Empty(t, b.Faults)
		require.Len(t, b.ISA, 1)
		isas[b.ISA[0]] = b
		assert.NotEmpty(t, b.Machines)
		assert.Equal(t, 4, b.Records)
	}
	assert.Len(t, isas, n)
	forged := g.Bundles[n]
	assert.Equal(t, "in/z-forged.zip", forged.File)
	require.NotEmpty(t, forged.Faults)
	assert.Contains(t, forged.Faults[0], "own/tiny#error: ")
	require.Len(t, isas["generic"].Audits, 1)
	a := isas["generic"].Audits[0]
	assert.Len(t, a.Cells, 2)
	assert.Equal(t, 2, a.Same+a.Close)
	compared := 0
	for _, b := range g.Bundles[1:n] {
		c := b.Compared
		compared += c.Same + c.Differs
		assert.Zero(t, c.Other, c.Says)
		assert.Less(t, c.Most, 1e-6)
		assert.Equal(t, c.Differs > 0, c.Most > 0)
	}
	assert.Equal(t, 4*(n-1), compared, "every cell of the others is compared with the first bundle's")
	require.Len(t, g.Papers, 1)
	require.Len(t, g.Papers[0].Experiments, 1)
	require.Len(t, g.Papers[0].Experiments[0].Claims, 2)
	for _, c := range g.Papers[0].Experiments[0].Claims {
		require.Len(t, c.Verdicts, n+1)
		assert.Nil(t, c.Verdicts[n], "the forged one is not shown")
		assert.False(t, c.Disagree)
		assert.Less(t, c.Spread, 1e-6)
		assert.Equal(t, c.Verdicts[0].Word, c.Verdicts[n-1].Word)
	}
	reasons := ""
	for _, r := range g.Refused {
		reasons += r.File + ": " + r.Reason + "\n"
	}
	assert.Contains(t, reasons, "in/broken.zip: ")
	assert.Contains(t, reasons, "in/other.audit.jsonl: the audit of  is of a bundle with the SHA-256 00")
	assert.Contains(t, reasons, "in/other.audit.jsonl:2: ")

	o = repro(t, "gallery", "in", "--out", "site")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.errors, "in/z-forged.zip: does not fit together: own/tiny#error")
	index, page := read(t, "site/index.html"), read(t, "site/paper-own.html")
	assert.Contains(t, index, "which cells")
	assert.Contains(t, index, "Does not fit together")
	assert.Contains(t, index, `href="paper-own.html"`)
	assert.Contains(t, page, "The error is 3.1 per cent")
	for _, text := range []string{index, page} {
		assert.NotContains(t, text, "<script", "the pages run nothing")
		assert.NotContains(t, text, "src=", "and load nothing")
		assert.NotContains(t, strings.ReplaceAll(text, `href="https://`, ""), "url(")
	}
	o = repro(t, "gallery", "tiny.toml")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "there is no bundle in tiny.toml")
}
