// Package signatures makes and checks detached signatures of files in the format of minisign: an Ed25519 signature of the
// BLAKE2b-512 of the file, and of the file itself in the older format, with a comment that is signed too. What it writes, minisign -V
// accepts, and the other way round. See https://jedisct1.github.io/minisign.
package signatures

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/blake2b"

	"repro/datasets/regular"
	"repro/results/files"
	"repro/results/printed"
)

const (
	suffix    = ".minisig" // of the file of a signature, after the name of the signed one
	largest   = 1 << 16    // bytes of a key or a signature; minisign's comments have at most 9 KiB
	wholeFile = 256 << 20  // bytes of a file whose signature is of the older format, which needs all of it in memory
	comment   = "untrusted comment: "
	trusted   = "trusted comment: "
)

// strict takes one text for the same bytes only.
var strict = base64.StdEncoding.Strict()

// What the binary form of keys and signatures begins with.
var (
	older     = [2]byte{'E', 'd'} // also of keys
	prehashed = [2]byte{'E', 'D'}
)

// An id is the number of a key, which minisign prints as below.
type id [8]byte

func (n id) String() string { return fmt.Sprintf("%016X", binary.LittleEndian.Uint64(n[:])) }

// A PublicKey checks signatures.
type PublicKey struct {
	name string // as the user named it
	id   id
	key  ed25519.PublicKey
}

// ReadPublicKey reads a public key: a file that minisign wrote, or its second line.
func ReadPublicKey(arg string) (PublicKey, error) {
	text, name := []byte(comment+"\n"+arg), "the key"
	if !strings.HasPrefix(arg, "RW") || len(arg) != 56 {
		var err error
		if text, err = regular.Read(arg, largest); err != nil {
			return PublicKey{}, fmt.Errorf("%w; a public key is a file that minisign -G wrote, or its second line, which begins with RW", err)
		}
		name = arg
	}
	b, err := decode(name, text, 42, "a public key of minisign")
	if err != nil {
		return PublicKey{}, err
	}
	return PublicKey{name, id(b[2:10]), b[10:]}, nil
}

// decode returns the bytes of the second line of a key.
func decode(name string, text []byte, size int, what string) ([]byte, error) {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) == 2 && strings.HasPrefix(lines[0], comment) {
		if b, err := strict.DecodeString(strings.TrimSpace(lines[1])); err == nil && len(b) == size && [2]byte(b) == older {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%s is not %s; minisign -G -W makes a pair of keys", name, what)
}

// A PrivateKey makes signatures.
type PrivateKey struct {
	id  id
	key ed25519.PrivateKey
}

// ReadPrivateKey reads a private key without a password, as minisign -G -W makes it.
func ReadPrivateKey(file string) (PrivateKey, error) {
	text, err := regular.Read(file, largest)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("%w; minisign -G -W makes a pair of keys", err)
	}
	b, err := decode(file, text, 158, "a private key of minisign")
	if err != nil {
		return PrivateKey{}, err
	}
	if [2]byte(b[2:]) != [2]byte{} {
		return PrivateKey{}, fmt.Errorf("%s has a password; sign with minisign -S, or use a key without one, as minisign -G -W makes", file)
	}
	k := PrivateKey{id(b[54:62]), ed25519.NewKeyFromSeed(b[62:94])}
	if !bytes.Equal(k.key, b[62:126]) {
		return PrivateKey{}, fmt.Errorf("%s is damaged: its two halves do not belong together", file)
	}
	return k, nil
}

// Sign signs the file at path, and returns the path of the signature. The same file and key give the same bytes.
func (k PrivateKey) Sign(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, _ := blake2b.New512(nil)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	words := fmt.Sprintf("file:%s\thashed", strings.ReplaceAll(printed.Visible(filepath.Base(path)), "\n", " "))
	signature := ed25519.Sign(k.key, h.Sum(nil))
	all := ed25519.Sign(k.key, append(bytes.Clone(signature), words...))
	encode := strict.EncodeToString
	first := append(append(prehashed[:], k.id[:]...), signature...)
	out := fmt.Sprintf("%ssignature of %s\n%s\n%s%s\n%s\n", comment, printed.Name(), encode(first), trusted, words, encode(all))
	return path + suffix, files.Keep(filepath.Dir(path), path+suffix, []byte(out))
}

// A Signature is what the file of a signature holds. Only Check says whether it is right.
type Signature struct {
	Key     string // number of the key
	Comment string // that is signed, too

	path, name string // of the signature, and of the file
	form       [2]byte
	id         id
	file, all  []byte // signatures of the file, and of that with the comment
}

// Of reads the signature of the file at path; fs.ErrNotExist if there is none.
func Of(path string) (*Signature, error) {
	s := &Signature{path: path + suffix, name: path}
	text, err := regular.Read(s.path, largest)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	bad := func(line int, why string) (*Signature, error) {
		return nil, fmt.Errorf("%s:%d: %s; it is not a signature that minisign -S wrote", s.path, line, why)
	}
	if len(lines) != 4 {
		return bad(len(lines), fmt.Sprintf("a signature has 4 lines, and this has %d", len(lines)))
	}
	if !strings.HasPrefix(lines[0], comment) {
		return bad(1, "does not begin with "+strings.TrimSpace(comment))
	}
	b, err := strict.DecodeString(lines[1])
	if err != nil || len(b) != 74 || [2]byte(b) != older && [2]byte(b) != prehashed {
		return bad(2, "is not an Ed25519 signature with the number of a key")
	}
	var ok bool
	if s.Comment, ok = strings.CutPrefix(lines[2], trusted); !ok {
		return bad(3, "does not begin with "+strings.TrimSpace(trusted))
	}
	if s.all, err = strict.DecodeString(lines[3]); err != nil || len(s.all) != ed25519.SignatureSize {
		return bad(4, "is not an Ed25519 signature")
	}
	s.form, s.id, s.file = [2]byte(b), id(b[2:10]), b[10:]
	s.Key = s.id.String()
	return s, nil
}

// Check returns nil if the key made the signature for the file whose SHA-256 is sum, as whoever read the file before found it.
func (s *Signature) Check(key PublicKey, sum string) error {
	if s.id != key.id {
		return fmt.Errorf("%s: signed with key %v, and %s is key %v", s.path, s.id, key.name, key.id)
	}
	f, err := regular.Open(s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	seen := sha256.New()
	in := io.TeeReader(f, seen)
	var signed []byte
	if s.form == prehashed {
		h, _ := blake2b.New512(nil)
		_, err = io.Copy(h, in)
		signed = h.Sum(nil)
	} else if signed, err = io.ReadAll(io.LimitReader(in, wholeFile+1)); err == nil && len(signed) > wholeFile {
		err = fmt.Errorf("%s: signatures of the older format are checked of files up to %d MiB; sign it again with minisign 0.10 or newer", s.path, wholeFile>>20)
	}
	switch {
	case err != nil:
		return err
	case hex.EncodeToString(seen.Sum(nil)) != sum:
		return fmt.Errorf("%s changed while it was read", s.name)
	case !ed25519.Verify(key.key, signed, s.file):
		return fmt.Errorf("%s: not a signature of these bytes by key %v: %s was changed after it was signed, or another has its place", s.path, s.id, s.name)
	case !ed25519.Verify(key.key, append(bytes.Clone(s.file), s.Comment...), s.all):
		return fmt.Errorf("%s:3: the trusted comment was changed after it was signed", s.path)
	}
	return nil
}

// A Finding is what is known of the signature of a file.
type Finding struct {
	Key     string `json:"key"`             // number of the key that it names
	Name    string `json:"name,omitempty"`  // of the key that it is right by, as the user gave it
	Comment string `json:"trusted_comment"` // which is signed, too
}

// Words says who signed.
func (f *Finding) Words() string {
	if f.Name != "" {
		return fmt.Sprintf("%s (key %s): %s", f.Name, f.Key, f.Comment)
	}
	return fmt.Sprintf("key %s, as it says; not checked: --key checks it with the signer's public key", f.Key)
}

// Find looks for the signature of a file whose SHA-256 is sum, and checks it with those of the keys that it names. It is nil, without
// an error, if there is none and no key was given. Without the key that it names, must decides whether that is an error.
func Find(path, sum string, keys []PublicKey, must bool) (*Finding, error) {
	s, err := Of(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if must && len(keys) > 0 {
			return nil, fmt.Errorf("%s is not signed: there is no %s", path, path+suffix)
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	found := &Finding{Key: s.Key, Comment: printed.Visible(s.Comment)}
	for _, k := range keys {
		if must || k.id == s.id {
			if err = s.Check(k, sum); err == nil {
				found.Name = printed.Visible(k.name)
				return found, nil
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}
