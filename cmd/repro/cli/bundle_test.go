package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A bundle's values of claims are those of its records.
func TestVerifyBundle(t *testing.T) {
	packed(t)
	var c struct{ Claims []bundles.Checked }
	require.NoError(t, json.Unmarshal([]byte(ok(t, "verify", "b.zip", "--json").out), &c))
	require.Len(t, c.Claims, 2)
	require.Len(t, c.Claims[1].Seeds, 2)
	r, err := records.Read(records.Path("out", "own/tiny", "dsg-seed2"))
	require.NoError(t, err)
	want, _ := r.At("test-mse", records.At{})
	assert.InEpsilon(t, 100*want, *c.Claims[1].Seeds[1].Value, 1e-12, "in per cent, as the claim is")
	assert.Equal(t, "records/own/tiny/dsg-seed2.jsonl", c.Claims[1].Seeds[1].Records[0].Path)
}

// A forger who writes a record anew with its checksums, and the manifest with it: the verdicts tell.
func TestVerifyNamesEdits(t *testing.T) {
	packed(t)
	path := records.Path("out", "own/tiny", "dsg-seed1")
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
	o := repro(t, "verify", "forged.zip")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.out, "every entry is the one that it lists")
	assert.Regexp(t, `own/tiny#error: measured: bundled [\d.]+, the records give [\d.]+`, o.out)

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
	assert.Equal(t, "repro: cite: unknown paper \"knuth1997\"; choose some of "+strings.Join(keys, ", ")+"\n", repro(t, "cite", "knuth1997").errors)
}
