package lessons

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"repro/results/files"
	"repro/results/printed"
)

// A State is what a learner has done so far: the file state.json of the learner's folder, which is also what a student hands in
// (docs/lessons/classes.md). Whatever was measured is in the records beside it.
type State struct {
	Schema    int
	Name      string               // whose answers they are
	Class     string               // whose seeds the runs have
	Lessons   map[string]*Progress // by name
	Signature string               // of all the rest, see file.go

	text  []byte // of the lessons in the file, without spaces between tokens
	dir   string
	known map[string]int // entries of the logs in the file, by lesson
	key   []byte         // that signs; nil without one
	now   func() time.Time
}

// A Progress is what a learner has done of one lesson: a log that only grows. What counts follows from it.
type Progress struct {
	Log      []Entry `json:"log,omitempty"`
	Exercise string  `json:"exercise,omitempty"` // the spec as it was when it was checked last
}

// Kinds of entries of a log.
const (
	Answered = "answer"   // a prediction: ID, Question, Answer, Seconds
	Told     = "outcome"  // what was measured was shown beside the answer: ID, Right, Part
	Skipped  = "skip"     // what was measured was shown without an answer: ID
	Hinted   = "hint"     // a hint was shown: ID
	Tried    = "exercise" // the exercise was checked: Changed, Right
	Again    = "reset"    // the lesson was begun again
)

// An Entry is one thing that a learner did.
type Entry struct {
	At       time.Time `json:"at,omitzero"` // by the learner's clock
	What     string    `json:"what"`
	ID       string    `json:"id,omitempty"`       // of the prediction or the exercise
	Question string    `json:"question,omitempty"` // digest of what was asked; an answer to another question does not count
	Answer   *Answer   `json:"answer,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"` // from the question to the answer
	Right    bool      `json:"right,omitempty"`
	Part     float64   `json:"part,omitempty"`    // score, from 0 to 1
	Changed  []string  `json:"changed,omitempty"` // settings of the exercise
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
	s := &State{Schema: stateSchema, Lessons: map[string]*Progress{}, dir: dir}
	text, err := files.Read(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if s, err = ReadState(text); err != nil {
			return nil, fmt.Errorf("%s: %w; correct it, or remove it to begin all lessons again, or name another folder with --dir", filepath.Join(dir, "state.json"), err)
		}
		s.dir = dir
	}
	s.now = time.Now
	s.noteKnown()
	s.key, err = readKey(s.keyPath())
	return s, err
}

func (s *State) path() string    { return filepath.Join(s.dir, "state.json") }
func (s *State) keyPath() string { return filepath.Join(s.dir, "class.key") }

// write replaces the file in one step. What another process has added to a log since it was read, such as a check in a second terminal,
// stays.
func (s *State) write() error {
	ctx, cancel := context.WithTimeout(context.Background(), mostWait)
	defer cancel()
	lock, err := files.NewLocker().Wait(ctx, s.path()+".lock", func(string) {})
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w; another command may be writing it", s.path(), err)
	}
	defer lock.Release()
	if err := s.takeOver(); err != nil {
		return err
	}
	text, err := s.Encode()
	if err == nil {
		err = files.Keep(s.dir, s.path(), text)
	}
	s.noteKnown()
	return err
}

// mostWait bounds how long a command waits for another one to write the file.
const mostWait = 10 * time.Second

// takeOver adds what other processes have written since the file was read or written here.
func (s *State) takeOver() error {
	text, err := files.Read(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	disk, err := ReadState(text)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path(), err)
	}
	for name, d := range disk.Lessons {
		p, known := s.Lessons[name], s.known[name]
		switch {
		case p == nil:
			s.Lessons[name] = d
		case len(d.Log) > known:
			own := p.Log[known:]
			if !slices.ContainsFunc(own, func(e Entry) bool { return e.What == Tried }) {
				p.Exercise = d.Exercise
			}
			p.Log = slices.Concat(d.Log, own)
		}
	}
	return nil
}

// noteKnown notes what the file has.
func (s *State) noteKnown() {
	s.known = map[string]int{}
	for name, p := range s.Lessons {
		s.known[name] = len(p.Log)
	}
}

// begun reports whether the state has answers.
func (s *State) begun() bool {
	for _, p := range s.Lessons {
		if slices.ContainsFunc(p.Log, func(e Entry) bool { return e.What == Answered || e.What == Tried }) {
			return true
		}
	}
	return false
}

// join sets the class, NAME or NAME:KEY, and whose answers they are; what is empty stays. A folder with answers keeps both, because the
// answers are about the seeds of its class.
func (s *State) join(class, name string) error {
	class, typed, keyed := strings.Cut(class, ":")
	if err := (&State{Name: name, Class: class}).sound(); err != nil {
		return fmt.Errorf("--class and --name: %w", err)
	}
	for what, is := range map[string][2]string{"class": {s.Class, class}, "name": {s.Name, name}} {
		if is[1] != "" && is[0] != is[1] && s.begun() && (what == "class" || is[0] != "") {
			return fmt.Errorf("%s: its answers are of the %s %q; use another folder with --dir, or leave --%[2]s out", s.path(), what, is[0])
		}
	}
	if class != "" {
		s.Class = class
	}
	if name != "" {
		s.Name = name
	}
	if !keyed {
		return nil
	}
	key, err := ParseKey(typed)
	if err != nil {
		return fmt.Errorf("--class %s: %w", class, err)
	}
	s.key = key
	return files.Keep(s.dir, s.keyPath(), []byte(typed+"\n"))
}

// of returns the progress of a lesson, which is new if nothing was done.
func (s *State) of(l *Lesson) *Progress {
	p := s.Lessons[l.Name]
	if p == nil {
		p = &Progress{}
		s.Lessons[l.Name] = p
	}
	return p
}

// note adds to the log of a lesson.
func (s *State) note(p *Progress, e Entry) {
	e.At = s.now().UTC().Truncate(time.Second)
	p.Log = append(p.Log, e)
}

// latest returns the log since the lesson was begun, or begun again.
func (p *Progress) latest() []Entry {
	for i := len(p.Log) - 1; i >= 0; i-- {
		if p.Log[i].What == Again {
			return p.Log[i+1:]
		}
	}
	return p.Log
}

// given returns the last answer to a prediction as it is asked now, and its outcome; nil where there is none.
func (p *Progress) given(q *Predict) (answer, outcome *Entry) {
	log := p.latest()
	for i := range log {
		e := &log[i]
		switch {
		case e.ID != q.ID:
		case e.What == Answered && q.fits(e):
			answer, outcome = e, nil
		case e.What == Told && answer != nil:
			outcome = e
		}
	}
	return answer, outcome
}

// fits reports whether an entry answers the prediction as it is asked now.
func (p *Predict) fits(e *Entry) bool {
	return e.Answer != nil && (e.Question == "" || e.Question == p.Digest()) && p.Check(*e.Answer) == nil
}

// shown reports whether what was measured was shown to the learner.
func (p *Progress) shown(id string) bool {
	return slices.ContainsFunc(p.Log, func(e Entry) bool { return e.ID == id && (e.What == Told || e.What == Skipped) })
}

// same reports whether two answers predict the same, whatever their reasons.
func same(a, b Answer) bool {
	a.Why, b.Why = "", ""
	return reflect.DeepEqual(a, b)
}

// counts returns the hints and tries of a lesson, and whether its exercise is solved.
func (p *Progress) counts() (hints, tries int, solved bool) {
	for _, e := range p.latest() {
		switch e.What {
		case Hinted:
			hints++
		case Tried:
			tries++
			solved = solved || e.Right
		}
	}
	return hints, tries, solved
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
	hints, tries, solved := p.counts()
	line := Summary{Number: l.Number, Name: l.Name, Title: l.Title, Minutes: l.Minutes, Seconds: l.Seconds(), Hints: hints, Solved: solved, State: "new"}
	for _, q := range l.Predictions() {
		line.Asked++
		answer, outcome := p.given(q)
		if answer != nil {
			line.Answered++
		}
		if outcome != nil && outcome.Right {
			line.Right++
		}
		if outcome != nil {
			line.Score += outcome.Part
		}
	}
	line.Score /= float64(line.Asked)
	switch {
	case line.Answered == line.Asked && solved:
		line.State = "done"
	case line.Answered > 0 || tries > 0:
		line.State = "begun"
	}
	return line
}
