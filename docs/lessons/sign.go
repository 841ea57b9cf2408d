package lessons

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"repro/datasets/regular"
)

// A file of answers is signed with HMAC-SHA256 by a key as it is typed: its name, its class, and the text of its lessons without spaces
// between tokens, with newlines between the three. So a script signs what it writes, without writing JSON as Go does. A public key would
// protect nothing more: the program signs on the student's machine, so the student holds whatever signs. The lecturer's
// secret never leaves the lecturer: a student's key is made from it and the student's name, a class's from the name of the class.

// keyBytes is the length of every key.
const keyBytes = 16

var alphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// A Secret is what a lecturer keeps: the keys of a class are made from it.
type Secret []byte

// NewSecret returns a secret that nobody can guess.
func NewSecret() Secret {
	key := make([]byte, keyBytes)
	rand.Read(key)
	return key
}

// derived returns a key for a purpose.
func (s Secret) derived(purpose, name string) []byte {
	h := hmac.New(sha256.New, s)
	h.Write([]byte("repro-lesson " + purpose + " " + name))
	return h.Sum(nil)[:keyBytes]
}

// ClassKey is the key that all of a class have: whoever has it can sign in the name of any of them.
func (s Secret) ClassKey(class string) []byte { return s.derived("class", class) }

// StudentKey is the key of one student of a class.
func (s Secret) StudentKey(class, name string) []byte {
	return s.derived("student", fmt.Sprintf("%q %q", class, name))
}

// FormatKey writes a key or a secret as it is typed.
func FormatKey(key []byte) string { return alphabet.EncodeToString(key) }

// ParseKey reads a key or a secret as FormatKey writes it.
func ParseKey(text string) ([]byte, error) {
	key, err := alphabet.DecodeString(text)
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("a key has %d small letters and digits from 2 to 7; copy it again", alphabet.EncodedLen(keyBytes))
	}
	return key, nil
}

// readKey reads a key from a file, nil if there is none.
func readKey(path string) ([]byte, error) {
	text, err := regular.Read(path, 1000)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// ReadSecret reads the secret of a class from a lecturer's file.
func ReadSecret(path string) (Secret, error) {
	key, err := readKey(path)
	if err == nil && key == nil {
		err = fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return key, err
}

// signature returns the signature of a state by a key.
func (s *State) signature(key []byte) string {
	h := hmac.New(sha256.New, []byte(FormatKey(key)))
	fmt.Fprintf(h, "%s\n%s\n%s", s.Name, s.Class, s.text)
	return hex.EncodeToString(h.Sum(nil))
}

// What the signature of a file says.
const (
	ByStudent = "own key"     // signed with the student's key, and as it was
	ByClass   = "class key"   // signed with the key that all of the class have, and as it was
	Unsigned  = "not signed"  // nothing shows whether it was edited
	Unchecked = "not checked" // without the class's secret nobody can check the signature
	Edited    = "edited"      // changed since it was signed, or signed with another key or for another name
)

// Signed says what the signature of a file shows to the lecturer who has the class's secret, nil for others.
func (s *State) Signed(secret Secret) string {
	switch {
	case s.Signature == "":
		return Unsigned
	case secret == nil:
		return Unchecked
	case s.by(secret.StudentKey(s.Class, s.Name)):
		return ByStudent
	case s.by(secret.ClassKey(s.Class)):
		return ByClass
	}
	return Edited
}

// by reports whether a key signed the state as it is.
func (s *State) by(key []byte) bool {
	return hmac.Equal([]byte(s.signature(key)), []byte(s.Signature))
}
