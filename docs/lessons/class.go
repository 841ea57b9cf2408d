package lessons

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"repro/results/files"
	"repro/results/printed"
)

// Bounds of a folder of files of answers.
const (
	largestFile = 1 << 20
	largestAll  = 64 << 20 // of all files together; a student's has some 30 kB
	mostFiles   = 5000
	deepest     = 4 // folders below the folder
)

// A Class is what the students of a class have handed in, judged by runs with the seeds of the class.
type Class struct {
	Name      string     `json:"class"`
	Students  []*Student `json:"students"`
	Questions []*Room    `json:"questions"` // of the lessons that somebody began
	Left      []Left     `json:"left_out"`
}

// A Left is a file that does not count.
type Left struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A Student is a file of answers.
type Student struct {
	File    string   `json:"file"`
	SHA256  string   `json:"sha256"` // of the file: whoever keeps it sees a later edit
	Name    string   `json:"name"`
	Signed  string   `json:"signed"`
	Lessons []*Taken `json:"lessons"`

	state *State
}

// A Taken is a lesson as a student took it.
type Taken struct {
	Lesson      string       `json:"lesson"`
	Number      int          `json:"number"`
	Asked       int          `json:"asked"`
	Predicted   int          `json:"predicted"` // before what was measured was shown
	Right       int          `json:"right"`     // of them
	Attempts    int          `json:"attempts"`  // answers, repeated and late ones too
	Seconds     float64      `json:"seconds"`   // from the questions to the answers, by the student's clock
	Hints       int          `json:"hints"`
	Tries       int          `json:"tries"`  // of the exercise
	Solved      bool         `json:"solved"` // as the file says; repro lesson check NUMBER --answers FILE runs it
	Predictions []*Predicted `json:"predictions"`
}

// Outcomes of a prediction.
const (
	OutcomeRight     = "right"
	OutcomeWrong     = "wrong"
	OutcomeLate      = "late"      // answered only after what was measured was shown
	OutcomeUndecided = "undecided" // by the records of this class
	OutcomeOpen      = "open"      // not answered
)

// A Predicted is a student's answer to a question. What counts is the last answer before what was measured was shown.
type Predicted struct {
	ID       string  `json:"id"`
	Outcome  string  `json:"outcome"`
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
	Answer   *Answer `json:"answer,omitempty"` // that counts
	Words    string  `json:"words,omitempty"`  // the answer
	Part     float64 `json:"part"`             // score, from 0 to 1
	Listed   int     `json:"listed,omitempty"` // number of the wrong answer that it is taken for
	Says     string  `json:"says,omitempty"`   // what the lesson says of it
}

// A Room is a question with the answers of all students.
type Room struct {
	Lesson   string      `json:"lesson"`
	Number   int         `json:"number"` // of the lesson
	ID       string      `json:"id"`
	Question string      `json:"question"`
	Kind     string      `json:"kind"`
	Measured string      `json:"measured,omitempty"`
	Right    int         `json:"right"`
	Answered int         `json:"answered"`
	Answers  []*Group    `json:"answers"`
	Drawn    [][]float64 `json:"drawn,omitempty"` // the curves of a drawing
	Whys     []Why       `json:"why"`
	Predict  *Predict    `json:"-"`
	Key      *Key        `json:"-"` // nil if the records do not decide
}

// A Group is an answer that several students gave.
type Group struct {
	Words string `json:"words"`
	Count int    `json:"count"`
	Right bool   `json:"right"`
	Says  string `json:"says,omitempty"` // what the lesson says of it, if it is one that it lists
}

// A Why is a student's reason.
type Why struct {
	Name    string `json:"name"`
	Words   string `json:"words"` // the answer
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
}

// ReadClass reads the files of answers below a folder. Without a class it takes the one that all files name. A file that cannot be read,
// or does not belong to the class, is left out with the reason. Of two files with one name the longer counts, if it continues the other.
func ReadClass(dir, class string, secret Secret) (*Class, error) {
	c := &Class{Name: class}
	files, bytes := 0, int64(0)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		left := func(reason string) { c.Left = append(c.Left, Left{printed.Visible(name), reason}) }
		switch {
		case err != nil && path == dir:
			return err
		case err != nil:
			left(err.Error())
			return fs.SkipDir
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || strings.Count(name, string(filepath.Separator)) >= deepest):
			return fs.SkipDir
		case d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".json"):
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			left("a symbolic link")
			return nil
		}
		info, err := d.Info()
		if err != nil {
			left(err.Error())
			return nil
		}
		if info.Size() <= largestFile {
			files, bytes = files+1, bytes+info.Size()
		}
		if files > mostFiles || bytes > largestAll {
			left(fmt.Sprintf("more than %d files or %d MiB; the rest is not read", mostFiles, largestAll>>20))
			return fs.SkipAll
		}
		if s, err := readStudent(path, name, secret); err != nil {
			left(err.Error())
		} else {
			c.Students = append(c.Students, s)
		}
		return nil
	})
	if err == nil && len(c.Students)+len(c.Left) == 0 {
		err = fmt.Errorf("there is no file of answers below %s: students hand in their state.json", dir)
	}
	if err != nil {
		return nil, err
	}
	if err := c.choose(); err != nil {
		return nil, err
	}
	c.unite()
	slices.SortStableFunc(c.Students, func(a, b *Student) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File)) })
	return c, nil
}

// readStudent reads a file of answers.
func readStudent(path, name string, secret Secret) (*Student, error) {
	text, err := files.ReadRegular(path, largestFile)
	if errors.Is(err, files.ErrLarge) {
		return nil, fmt.Errorf("larger than %d KiB", largestFile>>10)
	}
	if err != nil {
		return nil, err
	}
	state, err := ReadState(text)
	if err != nil {
		return nil, errors.New(printed.Visible(err.Error()))
	}
	sum := sha256.Sum256(text)
	s := &Student{File: printed.Visible(name), SHA256: hex.EncodeToString(sum[:]), Name: strings.TrimSpace(oneLine(state.Name)), Signed: state.Signed(secret), state: state}
	if s.Name == "" {
		s.Name = oneLine(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
		if folder := filepath.Base(filepath.Dir(name)); s.Name == "state" && folder != "." {
			s.Name = oneLine(folder)
		}
	}
	return s, nil
}

// oneLine returns a text of a student as one line without characters that act on a terminal.
func oneLine(text string) string { return strings.Join(strings.Fields(printed.Visible(text)), " ") }

// choose leaves out the files of other classes.
func (c *Class) choose() error {
	counts := map[string]int{}
	for _, s := range c.Students {
		counts[s.state.Class]++
	}
	if c.Name == "" && len(counts) == 1 {
		c.Name = c.Students[0].state.Class
	}
	if c.Name == "" && len(counts) > 1 {
		var names []string
		for name := range counts {
			names = append(names, fmt.Sprintf("%s (%s)", cmp.Or(printed.Names([]string{name}, 1), "none"), printed.Count(counts[name], "file")))
		}
		slices.Sort(names)
		return fmt.Errorf("the files are of several classes: %s; choose one with --class", printed.Names(names, 10))
	}
	c.Students = slices.DeleteFunc(c.Students, func(s *Student) bool {
		if s.state.Class == c.Name {
			return false
		}
		c.Left = append(c.Left, Left{s.File, fmt.Sprintf("of the class %q, whose runs have other seeds", printed.Visible(s.state.Class))})
		return true
	})
	return nil
}

// entries is the length of all logs of a student.
func (s *Student) entries() (n int) {
	for _, p := range s.state.Lessons {
		n += len(p.Log)
	}
	return n
}

// continues reports whether the logs of a student begin with those of another file.
func (s *Student) continues(before *Student) bool {
	for name, p := range before.state.Lessons {
		now := s.state.Lessons[name]
		if len(p.Log) == 0 {
			continue
		}
		if now == nil || len(now.Log) < len(p.Log) {
			return false
		}
		was, _ := json.Marshal(p.Log)
		is, _ := json.Marshal(now.Log[:len(p.Log)])
		if !bytes.Equal(was, is) {
			return false
		}
	}
	return true
}

// unite leaves one file for each name: the longest.
func (c *Class) unite() {
	slices.SortStableFunc(c.Students, func(a, b *Student) int { return cmp.Compare(b.entries(), a.entries()) })
	first := map[string]*Student{}
	c.Students = slices.DeleteFunc(c.Students, func(s *Student) bool {
		long := first[s.Name]
		if long == nil {
			first[s.Name] = s
			return false
		}
		reason := "says otherwise than " + long.File + ", which has the same name and counts"
		if long.continues(s) {
			reason = "an earlier state of " + long.File
		}
		c.Left = append(c.Left, Left{s.File, reason})
		return true
	})
}

// Judge judges the answers to some lessons: it runs each that somebody began once, below dir, with the seeds of the class. What a file says of its
// own answers does not count.
func (c *Class) Judge(ctx context.Context, ls []*Lesson, train Trainer, dir string) error {
	for _, l := range ls {
		if !slices.ContainsFunc(c.Students, func(s *Student) bool { return s.began(l) }) {
			continue
		}
		runs, err := l.Execute(ctx, train, dir, c.Name)
		if err != nil {
			return err
		}
		rooms := map[string]*Room{}
		for _, p := range l.Predictions() {
			r := &Room{Lesson: l.Name, Number: l.Number, ID: p.ID, Question: p.Question, Kind: p.Kind, Predict: p}
			if k, err := p.Key(runs); err == nil {
				r.Key, r.Measured = &k, k.Measured
			}
			rooms[p.ID] = r
			c.Questions = append(c.Questions, r)
		}
		for _, s := range c.Students {
			if s.began(l) {
				s.Lessons = append(s.Lessons, s.take(l, rooms))
			}
		}
	}
	for _, r := range c.Questions {
		slices.SortStableFunc(r.Answers, func(a, b *Group) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Words, b.Words)) })
	}
	return nil
}

// began reports whether a student has done something of a lesson.
func (s *Student) began(l *Lesson) bool {
	p := s.state.Lessons[l.Name]
	return p != nil && len(p.Log) > 0
}

// take judges the answers of a student to a lesson, and counts them among those of the room.
func (s *Student) take(l *Lesson, rooms map[string]*Room) *Taken {
	p := s.state.Lessons[l.Name]
	t := &Taken{Lesson: l.Name, Number: l.Number}
	for _, e := range p.Log { // all of it, whatever was begun again
		switch {
		case e.What == Hinted:
			t.Hints++
		case e.What == Tried:
			t.Tries++
			t.Solved = t.Solved || e.Right
		}
	}
	for _, q := range l.Predictions() {
		a := p.predicted(q)
		t.Asked++
		t.Attempts += a.Attempts
		t.Seconds += a.Seconds
		if a.Answer != nil {
			rooms[q.ID].add(s, a)
			t.Predicted++
		}
		if a.Outcome == OutcomeRight {
			t.Right++
		}
		t.Predictions = append(t.Predictions, a)
	}
	return t
}

// predicted returns the answer of a log to a question that counts, not judged yet.
func (p *Progress) predicted(q *Predict) *Predicted {
	a := &Predicted{ID: q.ID, Outcome: OutcomeOpen}
	shown := false
	for _, e := range p.Log {
		switch {
		case e.ID != q.ID:
		case e.What == Told || e.What == Skipped:
			shown = true
		case e.What == Answered && q.fits(&e):
			a.Attempts++
			a.Seconds += e.Seconds
			switch {
			case !shown:
				a.Answer = e.Answer
			case a.Answer == nil:
				a.Outcome = OutcomeLate
			}
		}
	}
	return a
}

// add judges an answer of a student and counts it.
func (r *Room) add(s *Student, a *Predicted) {
	a.Words, a.Outcome = r.Predict.inWords(*a.Answer), OutcomeUndecided
	r.Answered++
	words := a.Words
	if r.Key != nil {
		score := r.Predict.Score(*r.Key, *a.Answer)
		a.Part, a.Listed, a.Outcome = score.Part, score.Listed, OutcomeWrong
		if score.Right {
			a.Outcome = OutcomeRight
			r.Right++
		}
		if a.Listed > 0 {
			a.Says = r.Key.Says[a.Listed-1]
		}
	}
	if r.Kind == Draw {
		r.Drawn = append(r.Drawn, a.Answer.Draw)
		words = map[string]string{OutcomeRight: "as measured", OutcomeWrong: "another curve", OutcomeUndecided: "a curve"}[a.Outcome]
	}
	if a.Listed > 0 && (r.Kind == Number || r.Kind == Draw) {
		words = r.Predict.Listed()[a.Listed-1]
	}
	i := slices.IndexFunc(r.Answers, func(g *Group) bool { return g.Words == words && g.Right == (a.Outcome == OutcomeRight) })
	if i < 0 {
		i, r.Answers = len(r.Answers), append(r.Answers, &Group{Words: words, Right: a.Outcome == OutcomeRight, Says: a.Says})
	}
	r.Answers[i].Count++
	if why := oneLine(a.Answer.Why); why != "" {
		r.Whys = append(r.Whys, Why{s.Name, a.Words, a.Outcome, why})
	}
}
