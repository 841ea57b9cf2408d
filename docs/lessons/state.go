package lessons

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"repro/results/files"
	"repro/results/printed"
)

// stateSchema is the version of the state file.
const stateSchema = 3

// A State is what a learner has answered so far: the file state.json of the learner's folder, which is also what a student hands in
// (docs/lessons/classes.md). Whatever was measured is in the records beside it.
type State struct {
	Schema  int                  `json:"schema"`
	Lessons map[string]*Progress `json:"lessons"` // by name

	dir string
}

// A Progress is what a learner has done of one lesson.
type Progress struct {
	Answers  map[string]Given `json:"answers,omitempty"`  // by prediction
	Exercise string           `json:"exercise,omitempty"` // the spec as it was when it was checked last
	Solved   bool             `json:"solved,omitempty"`
}

// A Given is an answer, and how it was judged once what was measured was shown.
type Given struct {
	Answer
	Question string  `json:"question,omitempty"` // digest of what was asked; an answer to another question does not count
	Right    bool    `json:"right,omitempty"`
	Part     float64 `json:"part,omitempty"` // score, from 0 to 1
}

// Digest identifies what a prediction asks: with another question, or other answers to choose from, an answer is worth nothing.
func (p *Predict) Digest() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Kind, p.Question, p.Unit, p.Figure, p.Method, p.At)
	for _, o := range p.Choices {
		fmt.Fprintln(h, o.Text)
	}
	for _, i := range p.Items {
		fmt.Fprintln(h, i.Text)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Folder is the learner's folder if the command line names none.
const Folder = "lessons-work"

// Command returns how to call repro lesson with these arguments for the learner's folder.
func (s *State) Command(arguments string) string {
	if filepath.Clean(s.dir) == Folder {
		return printed.Command("lesson " + arguments)
	}
	return printed.Command("lesson " + arguments + " --dir " + printed.ShellWord(s.dir))
}

// OpenState reads the state of a learner's folder; without a file nothing was done. An error says what to do about a damaged file.
func OpenState(dir string) (*State, error) {
	s := &State{dir: dir}
	text, err := files.Read(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		s.Schema, s.Lessons = stateSchema, map[string]*Progress{}
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if s, err = ReadState(text); err != nil {
		return nil, fmt.Errorf("%s: %w; correct it, or remove it to begin all lessons again, or name another folder with --dir", filepath.Join(dir, "state.json"), err)
	}
	s.dir = dir
	return s, nil
}

// ReadState reads a file of answers. It reads what this program and the page in the browser write, and nothing else.
func ReadState(text []byte) (*State, error) {
	var version struct {
		Schema int `json:"schema"`
	}
	err := json.Unmarshal(text, &version)
	if err == nil && version.Schema != stateSchema {
		return nil, fmt.Errorf("schema %d, and this program reads %d; use the program that wrote it", version.Schema, stateSchema)
	}
	s := &State{}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(s)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; it is not a file of answers as this program wrote it", err)
	}
	if s.Lessons == nil {
		s.Lessons = map[string]*Progress{}
	}
	for name, p := range s.Lessons {
		if p == nil {
			return nil, fmt.Errorf("lesson %s has no answers", printed.Quote(name))
		}
	}
	return s, nil
}

func (s *State) path() string { return filepath.Join(s.dir, "state.json") }

// change changes a lesson in the file as it is now: another process, such as a check in a second terminal, may have written it.
func (s *State) change(l *Lesson, do func(*Progress)) error {
	ctx, cancel := context.WithTimeout(context.Background(), mostWait)
	defer cancel()
	lock, err := files.NewLocker().Wait(ctx, s.path()+".lock", func(string) {})
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w; another command may be writing it", s.path(), err)
	}
	defer lock.Release()
	now, err := OpenState(s.dir)
	if err != nil {
		return err
	}
	s.Lessons = now.Lessons
	if s.Lessons[l.Name] == nil {
		s.Lessons[l.Name] = &Progress{}
	}
	do(s.Lessons[l.Name])
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return files.Keep(s.dir, s.path(), append(text, '\n'))
}

// mostWait bounds how long a command waits for another one to write the file.
const mostWait = 10 * time.Second

// of returns the progress of a lesson, which is empty if nothing was done.
func (s *State) of(l *Lesson) *Progress {
	if p := s.Lessons[l.Name]; p != nil {
		return p
	}
	return &Progress{}
}

// keep keeps the answer to a prediction.
func (s *State) keep(l *Lesson, q *Predict, g Given) error {
	g.Question = q.Digest()
	return s.change(l, func(p *Progress) {
		if p.Answers == nil {
			p.Answers = map[string]Given{}
		}
		p.Answers[q.ID] = g
	})
}

// given returns the answer to a prediction as it is asked now, nil if there is none.
func (p *Progress) given(q *Predict) *Given {
	g, ok := p.Answers[q.ID]
	if !ok || g.Question != "" && g.Question != q.Digest() || q.Check(g.Answer) != nil {
		return nil
	}
	return &g
}

// A Summary is a line of the list of lessons.
type Summary struct {
	Number   int     `json:"number"`
	Name     string  `json:"name"`
	Title    string  `json:"title"`
	Minutes  int     `json:"minutes"`
	Seconds  float64 `json:"seconds"`  // of computing
	Asked    int     `json:"asked"`    // predictions
	Answered int     `json:"answered"` // of them
	Right    int     `json:"right"`    // of them
	Score    float64 `json:"score"`    // mean over all predictions, from 0 to 1
	Solved   bool    `json:"solved"`   // the exercise
	State    string  `json:"state"`    // new, begun, or done
}

// Summary says how far a learner is in a lesson.
func (s *State) Summary(l *Lesson) Summary {
	p := s.of(l)
	line := Summary{Number: l.Number, Name: l.Name, Title: l.Title, Minutes: l.Minutes, Seconds: l.Seconds(), Solved: p.Solved, State: "new"}
	for _, q := range l.Predictions() {
		line.Asked++
		g := p.given(q)
		if g == nil {
			continue
		}
		line.Answered++
		line.Score += g.Part
		if g.Right {
			line.Right++
		}
	}
	line.Score /= float64(line.Asked)
	switch {
	case line.Answered == line.Asked && p.Solved:
		line.State = "done"
	case line.Answered > 0 || p.Exercise != "":
		line.State = "begun"
	}
	return line
}
