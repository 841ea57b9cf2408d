package lessons

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/experiments/strict"
	"repro/results/records"
)

// folder is the folder of the lessons in the file system of package docs, and origin what errors put before a file's path.
const (
	folder = "lessons"
	origin = "docs/"
)

// Read reads all lessons of a file system, such as docs.Files, in the order of their numbers.
func Read(fsys fs.FS) ([]*Lesson, error) {
	files, err := fs.Glob(fsys, folder+"/[0-9]*.md")
	var all []*Lesson
	for _, file := range files {
		l, err := readLesson(fsys, file)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, err
}

func readLesson(fsys fs.FS, file string) (*Lesson, error) {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	l := &Lesson{Name: strings.TrimSuffix(path.Base(file), ".md"), File: origin + file, files: fsys}
	number, _, _ := strings.Cut(l.Name, "-")
	if l.Number, err = strconv.Atoi(number); err != nil {
		return nil, fmt.Errorf("%s: want a name such as 03-one-over-t.md", l.File)
	}
	title, _, _ := strings.Cut(string(text), "\n")
	l.Title = strings.TrimPrefix(title, "# ")
	var r reader
	for _, p := range split(string(text)) {
		step, _, err := l.decode(p, r.last)
		if err != nil {
			return nil, err
		}
		r.add(l, step)
	}
	return l, nil
}

// A part is a fence or the prose between two fences.
type part struct {
	fence string // its word; empty for prose
	line  int    // of its first line; of a fence's body
	text  string
}

// fences makes what the body of each fence is decoded into.
var fences = map[string]func(place) any{
	"lesson":  func(place) any { return &header{} },
	"predict": func(at place) any { return &Predict{place: at} },
	"run":     func(at place) any { return &Run{place: at} },
	"explain": func(at place) any { return &Explain{place: at} },
	"break":   func(at place) any { return &broken{place: at} },
	"check":   func(at place) any { return &Check{place: at} },
	"notes":   func(at place) any { return &Notes{place: at} },
}

// fenced matches a fence of a lesson: its word and its body.
var fenced = regexp.MustCompile("(?ms)^```(lesson|predict|run|explain|break|check|notes)[ \r]*\n(.*?)^```[ \r]*(?:\n|\\z)")

// split takes a page apart below its title. Other fences are code for the reader and stay in the prose.
func split(text string) []part {
	var parts []part
	add := func(fence string, from, to int) {
		if fence != "" || strings.TrimSpace(text[from:to]) != "" {
			parts = append(parts, part{fence, 1 + strings.Count(text[:from], "\n"), text[from:to]})
		}
	}
	end := strings.Index(text, "\n") + 1
	for _, m := range fenced.FindAllStringSubmatchIndex(text, -1) {
		add("", end, m[0])
		add(text[m[2]:m[3]], m[4], m[5])
		end = m[1]
	}
	add("", end, len(text))
	return parts
}

// decode decodes a part of the lesson's page below the run last. The block of a fence names places in it.
func (l *Lesson) decode(p part, last string) (any, *strict.Block, error) {
	if p.fence == "" {
		return &Prose{place{p.line, last}, p.text}, nil, nil
	}
	step := fences[p.fence](place{p.line - 1, last}) // the line of the fence itself
	block, err := strict.DecodeBlock(l.File, p.line, p.text, step)
	return step, block, err
}

// A reader adds steps to a lesson and joins each to what it is about.
type reader struct {
	last  string     // id of the last run so far
	base  []*Run     // the run fences so far
	asked []*Predict // predictions whose run comes later
	n     int        // predictions so far
}

func (r *reader) add(l *Lesson, step any) {
	switch s := step.(type) {
	case *header:
		l.header = *s
		return
	case *broken:
		of := r.base[len(r.base)-1]
		if i := slices.IndexFunc(r.base, func(b *Run) bool { return b.ID == s.Of }); i >= 0 {
			of = r.base[i]
		}
		r.add(l, &Predict{place: s.place, ID: s.ID, Kind: Choice, Question: s.Question, Hint: s.Hint, Choices: s.Choices})
		r.add(l, &Run{place: s.place, ID: s.ID, Spec: of.Spec, Set: slices.Concat(of.Set, s.Set), Seconds: s.Seconds, Figure: s.Figure, Change: s.Set, Of: of.ID})
		r.add(l, &Explain{place: place{s.at, s.ID}, Uses: []string{s.ID}})
		return
	case *Predict:
		r.n++
		s.N, s.home = r.n, l
		r.asked = append(r.asked, s)
	case *Run:
		if s.Figure == "" {
			s.Figure = l.Figure
		}
		if s.Of == "" {
			r.base = append(r.base, s)
		}
		for _, p := range r.asked {
			p.Run = s
		}
		r.asked, r.last = nil, s.ID
	case *Check:
		r.last = s.ID
	}
	l.Steps = append(l.Steps, step.(Step))
}

// load loads the spec of a run with the seeds of a class.
func (l *Lesson) load(r *Run, class string) (*experiments.Spec, error) {
	o := experiments.LoadOptions{Set: slices.Concat(r.Set, seedsOf(class))}
	if !strings.HasSuffix(r.Spec, ".toml") {
		return catalog.Load(catalog.Ref{ID: r.Spec}, o)
	}
	text, err := l.text(r.Spec)
	if err != nil {
		return nil, err
	}
	return catalog.LoadText(origin+folder+"/"+r.Spec, text, o)
}

// text returns a spec beside the lesson.
func (l *Lesson) text(spec string) ([]byte, error) {
	return fs.ReadFile(l.files, path.Join(folder, spec))
}

// classSeeds are the seeds of a class: none of them is a seed of a spec.
const classSeeds = 1_000_000

// seedsOf returns the change of a spec that gives a class its own seeds, none for the class without a name.
func seedsOf(class string) []string {
	if class == "" {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(class))
	return []string{fmt.Sprintf("repeat.first=%d", classSeeds+int64(h.Sum32()))}
}

// A Trainer runs the cells of a spec into a folder, as repro run does, and returns the records of the folder. Cells whose records
// are complete do not run again.
type Trainer func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error)

// Folder returns the folder of the records of a run below the learner's folder.
func (l *Lesson) Folder(dir, id string) string { return filepath.Join(dir, "out", l.Name, id) }

// Execute runs everything that the lesson runs, its breaks included, below dir with the seeds of a class; an empty class has
// those of the specs. The result is what Key, Filled and Numbers need.
func (l *Lesson) Execute(ctx context.Context, train Trainer, dir, class string) (Runs, error) {
	runs := Runs{}
	for _, r := range l.Runs() {
		if err := l.execute(ctx, train, r, dir, class, runs); err != nil {
			return nil, fmt.Errorf("%s:%d: run %s: %w", l.File, r.Line(), r.ID, err)
		}
	}
	return runs, nil
}

func (l *Lesson) execute(ctx context.Context, train Trainer, r *Run, dir, class string, runs Runs) error {
	spec, err := l.load(r, class)
	if err != nil {
		return err
	}
	store, err := train(ctx, spec, l.Folder(dir, r.ID))
	if err == nil {
		runs[r.ID] = newOutcome(spec, store)
	}
	return err
}
