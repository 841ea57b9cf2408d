package signatures

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/regular"
)

// What minisign 0.11 wrote: minisign -G -W, minisign -S, minisign -S -l, and minisign -G with a password.
const (
	content    = "hello, bundle\n"
	publicKey  = "RWS9MLhvmJAp1KEgZKtCS8LeECdbyYn9OxpaVFEti0epFMTdgUg0oBLt"
	privateKey = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAvTC4b5iQKdTrTWXv1PMF8z0DdqFu1mbB+u5yWq/YmKtiU8Rztktjs6EgZKtCS8LeECdbyYn9OxpaVFEti0epFMTdgUg0oBLtAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`
	ofMinisign = `untrusted comment: signature from minisign secret key
RUS9MLhvmJAp1MXqpQJt0sbH6VjDTJBM5mh6rGAVNE6KFppGyNxkRFmHAxLV/Xd0XyXg42yYzphDX0Ypu5lsFY1/tQGq59u2PQ8=
trusted comment: made on 2026-11-27
M6fDY+5jqdZvtwIoDyHfSLLlGDdo1q8ca9RM6Gv1oeqAgelFVTnK/bySQ0K8wraqO3V4pGCQjN9iGg02AoE9Bg==
`
	ofOlderFormat = `untrusted comment: signature from minisign secret key
RWS9MLhvmJAp1Mb6LJtSmld7UAloW5XUqYlB19GifaMN4ZKMVdlMhjbXGTz5TL/75bweRN4psNN5huwISHWO7+L332J69jnFZwU=
trusted comment: legacy
vYtEx+Zg7g5AaPOJX5B/Ey1nx9FvwDFOAVQFpFzbF5DWr9CPrs0BzhLsT509O8w5l3V71yYwXZhy653k89BOCw==
`
	withPassword = `untrusted comment: minisign encrypted secret key
RWRTY0Iyx043LZH7Ln/aiFmKzG3icqlteMEmLFg8QSoetrDEHJ4AAAACAAAAAAAAAEAAAAAAXWEp7w5rG/OSi2O0FWWKIOnDsy8v5vO334Ij6DdPlsk2PV8lFd4jnkBalT+I2/b0MlnfRlXO0p9Q2JO5+rtOmc/AbK/Mm5EgbsU7Z9G+pShF3YiUZ3vyMMxQdZ5b+QP/W5IO122WoVU=
`
)

// place writes files by name into a new folder and returns the path of the signed one.
func place(t *testing.T, texts map[string]string) string {
	dir := t.TempDir()
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return filepath.Join(dir, "b.zip")
}

func digest(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func TestWhatMinisignWrote(t *testing.T) {
	key, err := ReadPublicKey(publicKey)
	require.NoError(t, err)
	assert.Equal(t, "D42990986FB830BD", key.id.String(), "as minisign prints it")
	for text, comment := range map[string]string{ofMinisign: "made on 2026-11-27", ofOlderFormat: "legacy", strings.ReplaceAll(ofMinisign, "\n", "\r\n"): "made on 2026-11-27"} {
		path := place(t, map[string]string{"b.zip": content, "b.zip.minisig": text})
		found, err := Find(path, digest(content), []PublicKey{key}, true)
		require.NoError(t, err)
		assert.Equal(t, &Finding{Key: "D42990986FB830BD", Name: "the key", Comment: comment}, found)
		found, err = Find(path, digest(content), nil, true)
		require.NoError(t, err)
		assert.Contains(t, found.Words(), "key D42990986FB830BD, as it says; not checked")
	}
}

func TestSign(t *testing.T) {
	path := place(t, map[string]string{"b.zip": content, "k": privateKey, "k.pub": "untrusted comment: x\n" + publicKey + "\n"})
	in := filepath.Dir(path)
	k, err := ReadPrivateKey(filepath.Join(in, "k"))
	require.NoError(t, err)
	_, err = k.Sign(path)
	require.NoError(t, err)
	key, err := ReadPublicKey(filepath.Join(in, "k.pub"))
	require.NoError(t, err)
	found, err := Find(path, digest(content), []PublicKey{key}, true)
	require.NoError(t, err)
	assert.Equal(t, "file:b.zip\thashed", found.Comment)
	ours, err := os.ReadFile(path + suffix)
	require.NoError(t, err)
	theirs := strings.Split(ofMinisign, "\n")
	assert.Equal(t, theirs[1], strings.Split(string(ours), "\n")[1], "Ed25519 signs the same bytes alike")
}

// Whatever is wrong is named in a sentence with its file, and no byte of a signature may change.
func TestWrongSignatures(t *testing.T) {
	other, err := ReadPublicKey("RWS9MLhvmJAp1KEgZKtCS8LeECdbyYn9OxpaVFEti0epFMTdgUg0oBLu") // the same number
	require.NoError(t, err)
	another, err := ReadPublicKey("RWQ9MLhvmJAp1KEgZKtCS8LeECdbyYn9OxpaVFEti0epFMTdgUg0oBLt")
	require.NoError(t, err)
	key, err := ReadPublicKey(publicKey)
	require.NoError(t, err)
	lines := strings.SplitAfter(ofMinisign, "\n")
	for name, c := range map[string]struct {
		file, signature string
		key             PublicKey
		want            string
	}{
		"other bytes":       {content + " ", ofMinisign, key, "not a signature of these bytes by key D42990986FB830BD: "},
		"old, other bytes":  {content + " ", ofOlderFormat, key, "not a signature of these bytes"},
		"key of its number": {content, ofMinisign, other, "not a signature of these bytes"},
		"another key":       {content, ofMinisign, another, ".minisig: signed with key D42990986FB830BD, and the key is key D42990986FB8303D"},
		"trusted comment":   {content, strings.Replace(ofMinisign, "2026", "2025", 1), key, ".minisig:3: the trusted comment was changed after it was signed"},
		"of another file":   {content, lines[0] + lines[1] + strings.Join(strings.SplitAfter(ofOlderFormat, "\n")[2:], ""), key, "the trusted comment was changed"},
		"form":              {content, strings.Replace(ofMinisign, "RUS9", "RWS9", 1), key, "not a signature of these bytes"},
		"cut off":           {content, lines[0] + lines[1], key, ".minisig:2: a signature has 4 lines, and this has 2"},
		"empty":             {content, "", key, "a signature has 4 lines, and this has 1"},
		"cut in a line":     {content, ofMinisign[:len(ofMinisign)-9], key, ".minisig:4: is not an Ed25519 signature"},
		"a line more":       {content, ofMinisign + "x\n", key, "and this has 5"},
		"no base64":         {content, strings.Replace(ofMinisign, "RUS9", "RU*9", 1), key, ".minisig:2: is not an Ed25519 signature with the number of a key"},
		"another scheme":    {content, strings.Replace(ofMinisign, "RUS9", "RRS9", 1), key, ".minisig:2: "},
		"no comment":        {content, strings.Replace(ofMinisign, "trusted comment: made", "made", 1), key, ".minisig:3: does not begin with trusted comment:"},
		"no first line":     {content, strings.Replace(ofMinisign, "untrusted", "", 1), key, ".minisig:1: "},
	} {
		path := place(t, map[string]string{"b.zip": c.file, "b.zip.minisig": c.signature})
		found, err := Find(path, digest(c.file), []PublicKey{c.key}, true)
		assert.ErrorContains(t, err, c.want, name)
		assert.Nil(t, found, name)
	}
	path := place(t, map[string]string{"b.zip": content})
	for at := range ofMinisign {
		if at >= len(comment) && at < len(lines[0])-1 {
			continue // within the untrusted comment
		}
		changed := []byte(ofMinisign)
		changed[at] ^= 1
		require.NoError(t, os.WriteFile(path+suffix, changed, 0o600))
		_, err := Find(path, digest(content), []PublicKey{key}, true)
		assert.Error(t, err, "byte %d", at)
	}
	require.NoError(t, os.Remove(path+suffix))

	_, err = Find(path, digest(content), []PublicKey{key}, true)
	assert.ErrorContains(t, err, "b.zip is not signed: there is no ")
	found, err := Find(path, digest(content), []PublicKey{key}, false)
	assert.NoError(t, err)
	assert.Nil(t, found)
	require.NoError(t, os.WriteFile(path+suffix, []byte(ofMinisign), 0o600))
	_, err = Find(path, digest("what was read before"), []PublicKey{key}, true)
	assert.ErrorContains(t, err, "b.zip changed while it was read")
	require.NoError(t, os.Truncate(path+suffix, 1<<30))
	_, err = Find(path, digest(content), []PublicKey{key}, true)
	assert.ErrorIs(t, err, regular.ErrLarge)
	require.NoError(t, os.WriteFile(path+suffix, []byte(ofOlderFormat), 0o600))
	require.NoError(t, os.Truncate(path, wholeFile+1))
	_, err = Find(path, digest(content), []PublicKey{key}, true)
	assert.ErrorContains(t, err, "of the older format are checked of files up to 256 MiB")
}

func TestWrongKeys(t *testing.T) {
	path := place(t, map[string]string{"k": privateKey, "pw": withPassword, "torn": strings.Replace(privateKey, "rTWXv", "rTWXw", 1), "pub": publicKey})
	in := filepath.Dir(path)
	for name, want := range map[string]string{
		"none": "minisign -G -W makes a pair of keys",
		"pub":  "is not a private key of minisign; minisign -G -W makes a pair of keys",
		"pw":   "pw has a password; sign with minisign -S, or use a key without one",
		"torn": "torn is damaged: its two halves do not belong together",
		".":    "regular file",
	} {
		_, err := ReadPrivateKey(filepath.Join(in, name))
		assert.ErrorContains(t, err, want, name)
	}
	for arg, want := range map[string]string{
		publicKey[:55]:            "or its second line, which begins with RW",
		publicKey[:55] + "*":      "the key is not a public key of minisign",
		filepath.Join(in, "k"):    "k is not a public key of minisign",
		filepath.Join(in, "none"): "a public key is a file that minisign -G wrote",
	} {
		_, err := ReadPublicKey(arg)
		assert.ErrorContains(t, err, want)
	}
	_, err := Of(filepath.Join(in, "k"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
