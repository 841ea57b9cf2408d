package lessons

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
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
