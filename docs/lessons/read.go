package lessons

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/experiments/strict"
	"repro/results/printed"
	"repro/results/records"
)

// A set is lessons that were registered together.
type set struct {
	files  fs.FS
	folder string // in the repository, as errors and the documentation name it
}

//go:embed [0-9]*.md *.toml
var pages embed.FS

// own are the lessons of repro.
var own = set{pages, "docs/lessons"}

// sets are all lessons: those of repro first.
var sets []set

// init registers the lessons of repro: before those of any other module, which imports this package.
func init() { register(own) }

// sub returns a folder of a file system.
func sub(fsys fs.FS, dir string) fs.FS {
	below, err := fs.Sub(fsys, dir)
	if err != nil {
		panic("lessons: " + err.Error())
	}
	return below
}

// Register adds lessons: the pages NN-name.md in the folder dir of a file system, with their specs beside them. Their numbers follow
// those of the lessons that are registered before, first those of repro. A package that embeds a folder of lessons calls Register from
// an init function. The pages are read when they are needed, so what they name may be registered later. Register panics if there is no
// page, or if a lesson has the name of another.
func Register(fsys fs.FS, dir string) { register(set{sub(fsys, dir), dir}) }

func register(s set) {
	pages := s.pages()
	if len(pages) == 0 {
		panic(fmt.Sprintf("lessons: nothing to register; a lesson is a file NN-name.md in the folder %s of the file system", s.folder))
	}
	for _, other := range sets {
		for _, page := range other.pages() {
			if slices.Contains(pages, page) {
				panic(fmt.Sprintf("lessons: %s is registered twice; rename one", page))
			}
		}
	}
	sets = append(sets, s)
}

// pages lists the pages in the order of their numbers.
func (s set) pages() []string {
	pages, err := fs.Glob(s.files, "[0-9]*.md")
	if err != nil {
		panic("lessons: " + err.Error())
	}
	return pages
}

// Read reads all registered lessons in the order of their numbers. It checks those of other modules than repro: the error
// names file, line and key of every mistake.
func Read() ([]*Lesson, error) {
	var all []*Lesson
	var errs []error
	for _, s := range sets {
		ls, err := s.read(s != own)
		errs = append(errs, err)
		before := len(all)
		for i, l := range ls {
			l.Number = before + i + 1
			for k := range l.After {
				l.After[k] += before
			}
		}
		all = append(all, ls...)
	}
	return all, errors.Join(errs...)
}

// read reads the lessons of a set, and checks them if asked to. The error names file, line and key of every mistake.
func (s set) read(vet bool) (all []*Lesson, err error) {
	var errs []error
	for _, page := range s.pages() {
		text, err := fs.ReadFile(s.files, page)
		if err != nil {
			return nil, err
		}
		l := &Lesson{set: s, Name: strings.TrimSuffix(page, ".md"), File: path.Join(s.folder, page), Text: string(text)}
		parts, wrong := l.split()
		if len(wrong) == 0 {
			wrong = l.parse(parts)
			if vet {
				wrong = append(l.vet(parts, len(wrong) == 0), wrong...)
			}
		}
		if errs = append(errs, wrong...); len(wrong) == 0 {
			all = append(all, l)
		}
	}
	if vet {
		errs = append(errs, numbered(all, len(errs) == 0)...)
	}
	return all, errors.Join(errs...)
}

// parse reads the parts of the page into the lesson. It returns every fence that cannot be decoded; steps behind the first of these are
// left out.
func (l *Lesson) parse(parts []part) (errs []error) {
	number, _, _ := strings.Cut(l.Name, "-")
	l.Number, _ = strconv.Atoi(number) // of what is named so
	title, _, _ := strings.Cut(l.Text, "\n")
	l.Title = strings.TrimPrefix(title, "# ")
	var r reader
	for _, p := range parts {
		step, err := l.decode(p, r.last)
		if err == nil && len(errs) == 0 {
			err = r.add(l, step)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
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

// code are the words of fences that are code for the reader, and stay in the prose.
var code = []string{"", "console", "go", "text", "toml"}

// split takes the page apart below its title. It returns fences without an end and unknown ones as mistakes.
func (l *Lesson) split() (parts []part, errs []error) {
	_, below, _ := strings.Cut(l.Text, "\n")
	n, opened, fence := 1, 0, ""
	prose := part{line: 2}
	fail := func(line int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: %s", l.File, line, fmt.Sprintf(format, args...)))
	}
	end := func(next part) {
		if prose.fence != "" || strings.TrimSpace(prose.text) != "" {
			parts = append(parts, prose)
		}
		prose = next
	}
	for line := range strings.Lines(below) {
		n++
		word, mark := strings.CutPrefix(strings.TrimRight(line, " \r\n"), "```")
		ours := fences[word] != nil || fences[fence] != nil && word == ""
		switch {
		case mark && opened > 0 && word == "":
			opened, fence = 0, ""
			if ours {
				end(part{line: n + 1})
				continue
			}
		case mark && opened > 0:
			fail(opened, "the fence ```%s has no end before the next one; close it with ```", fence)
			return nil, errs
		case mark:
			if opened, fence = n, word; ours {
				end(part{fence: word, line: n + 1})
				continue
			}
			if !slices.Contains(code, word) {
				fail(n, "unknown fence ```%s; %s", word, printed.Suggest(word, append(slices.Sorted(maps.Keys(fences)), code[1:]...)))
			}
		}
		prose.text += line
	}
	if opened > 0 {
		fail(opened, "the fence ```%s has no end; close it with ```", fence)
	}
	end(part{})
	return parts, errs
}

// decode decodes a part of the lesson's page below the run last.
func (l *Lesson) decode(p part, last string) (any, error) {
	if p.fence == "" {
		return &Prose{place{at: p.line, last: last}, p.text}, nil
	}
	step := fences[p.fence](place{at: p.line - 1, last: last}) // the line of the fence itself
	block, err := strict.DecodeBlock(l.File, p.line, p.text, step)
	if s, ok := step.(interface{ put(*strict.Block) }); ok {
		s.put(block)
	}
	return step, err
}

func (p *place) put(b *strict.Block) { p.block = b }

// A reader adds steps to a lesson and joins each to what it is about.
type reader struct {
	last  string     // id of the last run so far
	base  []*Run     // the run fences so far
	asked []*Predict // predictions whose run comes later
	n     int        // predictions so far
}

// add adds a step. A break must be one of a run before it.
func (r *reader) add(l *Lesson, step any) error {
	switch s := step.(type) {
	case *header:
		l.header = *s
		return nil
	case *broken:
		i := len(r.base) - 1
		if s.Of != "" {
			i = slices.IndexFunc(r.base, func(b *Run) bool { return b.ID == s.Of })
		}
		if i < 0 {
			return s.block.Mistake(at("of"), "there is no run %q before it; %s", s.Of, printed.Suggest(s.Of, printed.Each(r.base, func(b *Run) string { return b.ID })))
		}
		of, set := r.base[i], s.Set
		if s.Label != "" && strings.Count(s.Set[0], ".") < 2 {
			return s.block.Mistake(at("label"), "set changes no method, which could have a name; leave it out")
		} else if s.Label != "" { // the name of the method in place of its setting
			set = append(slices.Clone(set), strings.Join(append(strings.SplitN(s.Set[0], ".", 3)[:2], "label="+s.Label), "."))
		}
		r.add(l, &Predict{place: s.place, ID: s.ID, Kind: Choice, Question: s.Question, Hint: s.Hint, Choices: s.Choices})
		r.add(l, &Run{place: s.place, ID: s.ID, Spec: of.Spec, Set: slices.Concat(of.Set, set), Seconds: s.Seconds, Figure: s.Figure, Change: s.Set, Of: of.ID})
		r.add(l, &Explain{place: place{s.at, s.ID, s.block}, Uses: []string{s.ID}})
		return nil
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
	return nil
}

// load loads the spec of a run.
func (l *Lesson) load(r *Run) (*experiments.Spec, error) {
	o := experiments.LoadOptions{Set: r.Set}
	if !strings.HasSuffix(r.Spec, ".toml") {
		return catalog.Load(catalog.Ref{ID: r.Spec}, o)
	}
	text, err := l.Spec(r.Spec)
	if err != nil {
		return nil, err
	}
	return catalog.LoadText(path.Join(l.folder, r.Spec), text, o)
}

// Spec returns the text of a spec beside the lesson.
func (l *Lesson) Spec(spec string) ([]byte, error) {
	return fs.ReadFile(l.files, spec)
}

// A Trainer runs the cells of a spec into a folder, as repro run does, and returns the records of the folder. Cells whose records
// are complete do not run again.
type Trainer func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error)

// Folder returns the folder of the records of a run below the learner's folder.
func (l *Lesson) Folder(dir, id string) string { return filepath.Join(dir, "out", l.Name, id) }

// Execute runs everything that the lesson runs, its breaks included, below dir. The result is what Key, Filled and Numbers need.
func (l *Lesson) Execute(ctx context.Context, train Trainer, dir string) (Runs, error) {
	runs := Runs{}
	for _, r := range l.Runs() {
		if err := l.execute(ctx, train, r, dir, runs); err != nil {
			return nil, fmt.Errorf("%s:%d: run %s: %w", l.File, r.Line(), r.ID, err)
		}
	}
	return runs, nil
}

func (l *Lesson) execute(ctx context.Context, train Trainer, r *Run, dir string, runs Runs) error {
	spec, err := l.load(r)
	if err != nil {
		return err
	}
	store, err := train(ctx, spec, l.Folder(dir, r.ID))
	if err == nil {
		runs[r.ID] = newOutcome(spec, store)
	}
	return err
}

// ErrNotMeasured says that a run has no complete records.
var ErrNotMeasured = errors.New("the lesson has not run")

// Recorded is a Trainer that runs nothing: it returns the records of a run that was made before.
func Recorded(_ context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	store, err := records.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotMeasured
	}
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, r := range s.Experiment().Own(store.Records) {
		done[r.Header.Digest] = r.Status().Complete()
	}
	for _, c := range s.Expand() {
		if !done[c.Digest] {
			return nil, ErrNotMeasured
		}
	}
	return store, nil
}

// RecordedRuns returns the outcomes of those runs of a lesson that were made below dir.
func (l *Lesson) RecordedRuns(ctx context.Context, dir string) (Runs, error) {
	runs := Runs{}
	for _, r := range l.Runs() {
		if err := l.execute(ctx, Recorded, r, dir, runs); err != nil && !errors.Is(err, ErrNotMeasured) {
			return nil, err
		}
	}
	return runs, nil
}

// Source returns the spec of a run: the name of its file, and its text.
func (l *Lesson) Source(r *Run) (file string, text []byte, err error) {
	if strings.HasSuffix(r.Spec, ".toml") {
		text, err = l.Spec(r.Spec)
		return r.Spec, text, err
	}
	text, _, err = catalog.Written(catalog.Ref{ID: r.Spec})
	return path.Base(r.Spec) + ".toml", text, err
}
