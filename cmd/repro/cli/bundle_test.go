package cli

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/experiments/catalog"
	"repro/results/bundles"
	"repro/results/records"
)

// packed runs the tiny spec and bundles its results as b.zip.
func packed(t *testing.T) {
	t.Helper()
	workplace(t)
	ok(t, "run", "tiny.toml")
	ok(t, "bundle", "b.zip", "tiny.toml")
}

// unzip returns the entries of a zip file by name.
func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	all := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		all[f.Name] = string(text)
	}
	return all
}

// zipUp writes entries as a zip file.
func zipUp(t *testing.T, path string, all map[string]string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(f, all[name])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
}

func TestBundle(t *testing.T) {
	workplace(t)
	withFigure(t)
	ok(t, "run", "tiny.toml")
	o := ok(t, "bundle", "b.zip", "tiny.toml")
	assert.Regexp(t, `^b.zip: 4 records of 1 experiment, .* kB\nSHA-256 [0-9a-f]{64}\n$`, o.out)
	all := unzip(t, "b.zip")
	for _, name := range []string{"manifest.json", "records/own/tiny/dsg-seed1.jsonl", "specs/own/tiny.toml", "verdicts.json", "report.html",
		"figures/own/tiny/convergence.svg", "tables/own/tiny/final.tex", "data.json", "environment.json"} {
		assert.Contains(t, all, name)
	}
	assert.Equal(t, read(t, "out/records/own/tiny/dsg-seed1.jsonl"), all["records/own/tiny/dsg-seed1.jsonl"], "byte for byte")
	assert.Equal(t, read(t, "tiny.toml"), all["specs/own/tiny.toml"])
	assert.Contains(t, all["data.json"], `"licence": "generated, no licence needed"`)

	before := read(t, "b.zip")
	require.NoError(t, os.CopyFS("copy", os.DirFS("out")))
	ok(t, "bundle", "again.zip", "tiny.toml", "--out", "copy")
	assert.Equal(t, before, read(t, "again.zip"), "the same records give the same bytes")

	assert.Equal(t, "repro: bundle: tiny.toml does not end in .zip; name the file to write first, as in repro bundle results.zip\n", repro(t, "bundle", "tiny.toml").errors)
	assert.Contains(t, repro(t, "bundle", "b.zip", "--out", "none").errors, "there are no records in none")
	assert.Contains(t, repro(t, "bundle", "b.zip", "tiny.toml", "--profile", "smoke").errors, "out: no records of own/tiny at profile smoke")
	edit(t, "out/records/own/tiny/dsg-seed1.jsonl", `"step":2,`, `"step":3,`)
	o = repro(t, "bundle", "b.zip", "tiny.toml")
	assert.Equal(t, int(exits.Mistake), o.status, "a bundle must not lack a record silently")
	assert.Contains(t, o.errors, "dsg-seed1.jsonl:")
}

// compare reads a bundle as it reads an output folder, and refuses a damaged one.
func TestCompareBundle(t *testing.T) {
	packed(t)
	assert.Contains(t, ok(t, "compare", "b.zip", "out", "tiny.toml").out, "compared with b.zip")
	all := unzip(t, "b.zip")
	all["records/own/tiny/dsg-seed1.jsonl"] = strings.Replace(all["records/own/tiny/dsg-seed1.jsonl"], `"step":2,`, `"step":3,`, 1)
	zipUp(t, "bad.zip", all)
	o := repro(t, "compare", "out", "bad.zip", "tiny.toml")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "repro verify bad.zip lists what is wrong with the bundle")
}

func TestVerifyBundle(t *testing.T) {
	packed(t)
	gate := repro(t, "verify", "tiny.toml", "--gate").status
	require.NoError(t, os.Remove("tiny.toml"), "the bundle has the spec")
	require.NoError(t, os.RemoveAll("out"))
	o := ok(t, "verify", "b.zip", "-v")
	for _, want := range []string{"every entry is the one that it lists", "all have the right checksums", "all 2 are those that the records give",
		"own/tiny at profile paper"} {
		assert.Contains(t, o.out, want)
	}
	assert.Equal(t, gate, repro(t, "verify", "b.zip", "--gate").status, "the gate judges the claims")

	var c struct{ Claims []bundles.Checked }
	require.NoError(t, json.Unmarshal([]byte(ok(t, "verify", "b.zip", "--json").out), &c))
	require.Len(t, c.Claims, 2)
	require.Len(t, c.Claims[1].Seeds, 2)
	r, _, err := records.ParseWithin("r", []byte(unzip(t, "b.zip")["records/own/tiny/dsg-seed2.jsonl"]), math.MaxInt64)
	require.NoError(t, err)
	want, _ := r.At("test-mse", records.At{})
	assert.InEpsilon(t, 100*want, *c.Claims[1].Seeds[1].Value, 1e-12, "in per cent, as the claim is")
	assert.Equal(t, "records/own/tiny/dsg-seed2.jsonl", c.Claims[1].Seeds[1].Records[0].Path)

	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"b.zip", "--profile", "smoke"}, "says itself at which profile"},
		{[]string{"b.zip", "tiny.toml"}, "b.zip is taken whole; leave out tiny.toml"},
		{[]string{"none.zip"}, "none.zip: no such file; repro bundle makes one"},
	} {
		o := repro(t, append([]string{"verify"}, test.args...)...)
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, test.want)
	}
}

// A bundle holds a spec over a base in full, and the files that made it beside it, so that it is verified without either.
func TestBundleOfASpecOverABase(t *testing.T) {
	workplace(t)
	over := "base = \"tiny\"\ntitle = \"Mine\"\nrepeat.seeds = 1\n"
	require.NoError(t, os.WriteFile("mine.toml", []byte(over), 0o644))
	ok(t, "run", "mine.toml")
	ok(t, "bundle", "b.zip", "mine.toml")
	whole := ok(t, "show", "mine.toml", "--toml").out
	all := unzip(t, "b.zip")
	assert.Equal(t, whole, all["specs/own/mine.toml"])
	assert.NotContains(t, whole, "base =")
	var made []string
	for name, text := range all {
		if text == over || text == read(t, "tiny.toml") {
			made = append(made, name)
		}
	}
	assert.Len(t, made, 2, "the files that made the spec")

	require.NoError(t, os.Remove("mine.toml"))
	require.NoError(t, os.Remove("tiny.toml"))
	require.NoError(t, os.RemoveAll("out"))
	o := ok(t, "verify", "b.zip", "-v")
	for _, want := range []string{"every entry is the one that it lists", "verdicts  all 2 are those that the records give", "own/mine at profile paper"} {
		assert.Contains(t, o.out, want)
	}
}

// The values of --set are in the bundle.
func TestBundleOfAnEditedRun(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--set", "problem.nu=1e-5", "--method", "dsg")
	assert.Contains(t, repro(t, "bundle", "b.zip", "tiny.toml").errors, "own/tiny: its runs used --set; give the same --set again")
	ok(t, "bundle", "b.zip", "tiny.toml", "--set", "problem.nu=1e-5", "--method", "dsg")
	assert.Contains(t, ok(t, "verify", "b.zip").out, "own/tiny at profile paper (edited)")
	assert.Equal(t, 2, audited(t, 0, "b.zip").Same)
}

// What an edit of a bundle leaves behind, layer by layer.
func TestVerifyNamesEdits(t *testing.T) {
	packed(t)
	whole := unzip(t, "b.zip")
	const name = "records/own/tiny/dsg-seed1.jsonl"
	verify := func(all map[string]string) outcome {
		zipUp(t, "edited.zip", all)
		return repro(t, "verify", "edited.zip")
	}

	digit := maps.Clone(whole)
	at := strings.Index(digit[name], `"test-mse":0.`) + len(`"test-mse":0.`)
	digit[name] = digit[name][:at] + string('0'+(digit[name][at]-'0'+1)%10) + digit[name][at+1:]
	o := verify(digit)
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.out, "edited.zip:"+name+": changed after it was bundled")
	assert.Regexp(t, `edited.zip:`+name+`:\d+: the checksum does not match`, o.out)

	word := maps.Clone(whole)
	word["verdicts.json"] = strings.Replace(word["verdicts.json"], `"claim":"error"`, `"claim":"errors"`, 1)
	o = verify(word)
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.out, "own/tiny#error: the bundle has no verdict on it")
	assert.Contains(t, o.out, "own/tiny#errors: the bundle has a verdict on it, and its specs have no such claim")

	// A forger who writes the record anew with its checksums, and the manifest with it: the verdicts tell.
	path := filepath.FromSlash("out/" + name)
	r, err := records.Read(path)
	require.NoError(t, err)
	for i := range r.Points {
		r.Points[i].Values["test-mse"] = records.Value(*r.Points[i].Values["test-mse"] / 2)
	}
	rewrite(t, path, r)
	b, err := bundles.Read("b.zip")
	require.NoError(t, err)
	for i := range b.Records {
		b.Records[i].Bytes = []byte(read(t, "out/"+bundles.RecordPath(b.Records[i].Header)))
	}
	_, err = bundles.Write("forged.zip", b.Contents)
	require.NoError(t, err)
	o = repro(t, "verify", "forged.zip")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.out, "every entry is the one that it lists")
	assert.Regexp(t, `own/tiny#error: measured: bundled [\d.]+, the records give [\d.]+`, o.out)

	// Verdicts rest on the specs, which may be edited too.
	write(t, "ridge.toml", strings.Replace(ok(t, "show", "--toml", "dai2014/ridge").out, "tolerance = ", "tolerance = 1", 1))
	ok(t, "run", "ridge.toml", "--profile", "smoke", "--method", "dsg", "--seeds", "1")
	ok(t, "bundle", "ridge.zip", "ridge.toml", "--method", "dsg", "--seeds", "1")
	assert.Contains(t, ok(t, "verify", "ridge.zip").out, "specs     not as repro has them: dai2014/ridge\n")
	assert.Contains(t, ok(t, "verify", "b.zip").out, "specs     unknown to repro: own/tiny\n")

	ok(t, "run", "ridge.toml", "--profile", "smoke", "--method", "dsg", "--seeds", "3")
	ok(t, "bundle", "ridge.zip", "ridge.toml", "--method", "dsg", "--seeds", "1")
	assert.Contains(t, ok(t, "verify", "ridge.zip").out, "2 records of cells that the specs do not plan; they count")

	// A forger who computes the verdicts too is not found by verify: that is what audit is for.
	ok(t, "bundle", "forged.zip", "tiny.toml")
	ok(t, "verify", "forged.zip")
}

func TestCite(t *testing.T) {
	o := ok(t, "cite")
	var keys []string
	for _, p := range catalog.Papers() {
		key := p.Key
		keys = append(keys, key)
		assert.Contains(t, o.out, "@inproceedings{"+key+",")
	}
	assert.Contains(t, o.out, "@software{repro,")
	o = ok(t, "cite", "ma2017", "dai2014/ridge")
	assert.NotContains(t, o.out, "li2016")
	assert.Contains(t, o.out, "author = {Bo Dai and Bo Xie and ")
	assert.Equal(t, "repro: cite: unknown paper \"knuth1997\"; choose some of "+strings.Join(keys, ", ")+"\n", repro(t, "cite", "knuth1997").errors)
}
