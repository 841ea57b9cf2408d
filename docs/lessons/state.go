package lessons

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"repro/results/files"
	"repro/results/printed"
)

// stateSchema is the version of the state file.
const stateSchema = 1

// A State is what a learner has done so far: the file state.json of the learner's folder. Whatever was measured is in the
// records beside it.
type State struct {
	Schema  int                  `json:"schema"`
	Class   string               `json:"class,omitempty"` // whose seeds the runs have
	Lessons map[string]*Progress `json:"lessons"`         // by name

	dir string
}

// A Progress is what a learner has done of one lesson.
type Progress struct {
	Answers map[string]Given `json:"answers,omitempty"` // by prediction
	Hints   int              `json:"hints,omitempty"`   // that were shown
	Tries   int              `json:"tries,omitempty"`   // of the exercise
	Solved  bool             `json:"solved,omitempty"`  // the exercise
}

// A Given is an answer with its outcome, once the run was made.
type Given struct {
	Answer
	Question string  `json:"question"` // digest of what was asked; an answer to another question does not count
	Judged   bool    `json:"judged,omitempty"`
	Right    bool    `json:"right,omitempty"`
	Part     float64 `json:"part,omitempty"`
}

// digest identifies what a prediction asks: with another question, or other answers to choose from, an answer is worth nothing.
func (p *Predict) digest() string {
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
	s := &State{Schema: stateSchema, Lessons: map[string]*Progress{}, dir: dir}
	path := s.path()
	text, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w; it is not as this program wrote it: correct it, or remove it to begin all lessons again", path, err)
	}
	if s.Schema != stateSchema {
		return nil, fmt.Errorf("%s: schema %d, and this program reads %d; use the program that wrote it, or another folder with --dir", path, s.Schema, stateSchema)
	}
	if s.Lessons == nil {
		s.Lessons = map[string]*Progress{}
	}
	return s, nil
}

func (s *State) path() string { return filepath.Join(s.dir, "state.json") }

// write replaces the file in one step.
func (s *State) write() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(s.dir, s.path(), append(text, '\n'))
}

// join sets the class. A folder with answers keeps its class, because the answers are about its seeds.
func (s *State) join(class string) error {
	if class == "" || class == s.Class {
		return nil
	}
	for _, p := range s.Lessons {
		if len(p.Answers) > 0 || p.Tries > 0 {
			return fmt.Errorf("%s: its answers are of the class %q; use another folder with --dir, or leave --class out", s.path(), s.Class)
		}
	}
	s.Class = class
	return nil
}

// of returns the progress of a lesson, which is new if nothing was done.
func (s *State) of(l *Lesson) *Progress {
	p := s.Lessons[l.Name]
	if p == nil {
		p = &Progress{}
		s.Lessons[l.Name] = p
	}
	if p.Answers == nil {
		p.Answers = map[string]Given{}
	}
	return p
}

// given returns the answer to a prediction, if it was asked as it is now.
func (p *Progress) given(q *Predict) (Given, bool) {
	g, ok := p.Answers[q.ID]
	return g, ok && g.Question == q.digest() && q.Check(g.Answer) == nil
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
	Hints    int     `json:"hints"`
	Solved   bool    `json:"solved"` // the exercise
	State    string  `json:"state"`  // new, begun, or done
}

// Summary says how far a learner is in a lesson.
func (s *State) Summary(l *Lesson) Summary {
	p := s.Lessons[l.Name]
	if p == nil {
		p = &Progress{}
	}
	line := Summary{Number: l.Number, Name: l.Name, Title: l.Title, Minutes: l.Minutes, Seconds: l.Seconds(), Hints: p.Hints, Solved: p.Solved, State: "new"}
	for _, q := range l.Predictions() {
		line.Asked++
		if g, ok := p.given(q); ok {
			line.Answered++
			line.Score += g.Part
			if g.Right {
				line.Right++
			}
		}
	}
	line.Score /= float64(line.Asked)
	switch {
	case line.Answered == line.Asked && p.Solved:
		line.State = "done"
	case line.Answered > 0 || p.Tries > 0:
		line.State = "begun"
	}
	return line
}
