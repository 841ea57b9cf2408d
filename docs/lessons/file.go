package lessons

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"repro/results/files"
)

// stateSchema is the version of the state file. Version 1 had the last answers and no log.
const stateSchema = 2

// Bounds of a file that somebody else wrote.
const (
	mostCounted = 10_000 // hints and tries that version 1 counts
	longestName = 200    // bytes of a name of a person, a class or a lesson
	mostSeconds = 1e7    // from a question to its answer
)

// ReadState reads a file of answers. It reads what this program and the page in the browser write, and nothing else.
func ReadState(text []byte) (*State, error) {
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%w; it is not a file of answers as this program wrote it", err)
	}
	s := &State{}
	var err error
	switch version.Schema {
	case stateSchema:
		var f stateFile
		if err = decodeExactly(text, &f); err == nil {
			s, err = f.state()
		}
	case 1:
		var old state1
		if err = decodeExactly(text, &old); err == nil {
			s = old.upgraded()
		}
	default:
		return nil, fmt.Errorf("schema %d, and this program reads 1 and %d; use the program that wrote it", version.Schema, stateSchema)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; it is not a file of answers as this program wrote it", err)
	}
	if s.Lessons == nil {
		s.Lessons = map[string]*Progress{}
	}
	return s, s.sound()
}

// A stateFile is the file as it is: what is signed is its text.
type stateFile struct {
	Schema    int             `json:"schema"`
	Name      string          `json:"name,omitempty"`
	Class     string          `json:"class,omitempty"`
	Lessons   json.RawMessage `json:"lessons"`
	Signature string          `json:"signature,omitempty"`
}

// state reads the state that a file has.
func (f *stateFile) state() (*State, error) {
	s := &State{Schema: f.Schema, Name: f.Name, Class: f.Class, Signature: f.Signature}
	if f.Lessons == nil {
		return s, nil
	}
	var text bytes.Buffer
	if err := json.Compact(&text, f.Lessons); err != nil {
		return nil, err
	}
	s.text = text.Bytes()
	return s, decodeExactly(f.Lessons, &s.Lessons)
}

// decodeExactly decodes a value without unknown members.
func decodeExactly(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// sound returns what no program writes into a file of answers, nil if there is nothing.
func (s *State) sound() error {
	for _, text := range []string{s.Name, s.Class} {
		if len(text) > longestName || strings.ContainsAny(text, "\r\n") {
			return fmt.Errorf("a name of more than %d bytes, or of several lines", longestName)
		}
	}
	for name, p := range s.Lessons {
		if p == nil || len(name) > longestName {
			return errors.New("a lesson without a log")
		}
		for i, e := range p.Log {
			if !(e.Seconds >= 0 && e.Seconds <= mostSeconds) || !(e.Part >= 0 && e.Part <= 1) || len(e.ID) > longestName {
				return fmt.Errorf("lesson %s: entry %d of its log has seconds or a part out of range", name, i+1)
			}
			if e.What == Answered && e.Answer == nil {
				return fmt.Errorf("lesson %s: entry %d of its log is an answer without an answer", name, i+1)
			}
		}
	}
	return nil
}

// Encode returns the file, signed if the learner's class has a key.
func (s *State) Encode() ([]byte, error) {
	f := stateFile{Schema: stateSchema, Name: s.Name, Class: s.Class}
	var err error
	if f.Lessons, err = json.Marshal(s.Lessons); err != nil {
		return nil, err
	}
	s.text = f.Lessons
	if s.key != nil {
		f.Signature = s.signature(s.key)
	}
	s.Schema, s.Signature = f.Schema, f.Signature
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// state1 is version 1 of the file.
type state1 struct {
	Schema  int                   `json:"schema"`
	Class   string                `json:"class,omitempty"`
	Lessons map[string]*progress1 `json:"lessons"`
}

type progress1 struct {
	Answers map[string]struct {
		Answer
		Question string  `json:"question"`
		Judged   bool    `json:"judged,omitempty"`
		Right    bool    `json:"right,omitempty"`
		Part     float64 `json:"part,omitempty"`
	} `json:"answers,omitempty"`
	Hints  int  `json:"hints,omitempty"`
	Tries  int  `json:"tries,omitempty"`
	Solved bool `json:"solved,omitempty"`
}

// upgraded returns the state as a log, whose entries have no time.
func (old *state1) upgraded() *State {
	s := &State{Schema: stateSchema, Class: old.Class, Lessons: map[string]*Progress{}}
	for name, p := range old.Lessons {
		if p == nil {
			continue
		}
		now := &Progress{}
		for id, g := range p.Answers {
			now.Log = append(now.Log, Entry{What: Answered, ID: id, Question: g.Question, Answer: &g.Answer})
			if g.Judged {
				now.Log = append(now.Log, Entry{What: Told, ID: id, Right: g.Right, Part: math.Min(1, math.Max(0, g.Part))})
			}
		}
		for range min(p.Hints, mostCounted) {
			now.Log = append(now.Log, Entry{What: Hinted})
		}
		for i := range min(p.Tries, mostCounted) {
			now.Log = append(now.Log, Entry{What: Tried, Right: p.Solved && i == p.Tries-1})
		}
		s.Lessons[name] = now
	}
	return s
}

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
	text, err := files.ReadRegular(path, 1000)
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
