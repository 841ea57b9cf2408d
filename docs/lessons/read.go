package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/experiments"
)

// folder is the folder of the lessons in the file system of package docs, and origin what errors put before a file's path.
const (
	folder = "lessons"
	origin = "docs/"
)

// Read reads all lessons of a file system, such as docs.Files, in the order of their numbers. An error names file, line and key of
// every mistake.
func Read(fsys fs.FS) ([]*Lesson, error) {
	files, err := fs.Glob(fsys, folder+"/[0-9]*.md")
	if err != nil {
		return nil, err
	}
	var all []*Lesson
	var errs []error
	for _, file := range files {
		l, err := readLesson(fsys, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if i := slices.IndexFunc(all, func(o *Lesson) bool { return o.Number == l.Number }); i >= 0 {
			errs = append(errs, fmt.Errorf("%s and %s have the same number; rename one of them", all[i].File, l.File))
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *Lesson) int { return a.Number - b.Number })
	for _, l := range all {
		for _, n := range l.After {
			if n >= l.Number || !slices.ContainsFunc(all, func(o *Lesson) bool { return o.Number == n }) && len(errs) == 0 {
				errs = append(errs, fmt.Errorf("%s: after: there is no lesson %d before lesson %d", l.File, n, l.Number))
			}
		}
	}
	return all, errors.Join(errs...)
}

// named matches the name of a lesson's file.
var named = regexp.MustCompile(`^(\d\d)-[a-z0-9-]+$`)

func readLesson(fsys fs.FS, file string) (*Lesson, error) {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	l := &Lesson{Name: strings.TrimSuffix(path.Base(file), ".md"), File: origin + file}
	m := named.FindStringSubmatch(l.Name)
	if m == nil {
		return nil, fmt.Errorf("%s: want a name such as 03-one-over-t.md: two digits and words in small letters", l.File)
	}
	l.Number, _ = strconv.Atoi(m[1])
	parts, err := split(l.File, string(text))
	if err != nil {
		return nil, err
	}
	b := &builder{
		lesson: l, ids: map[string]string{}, specs: map[string]*experiments.Spec{}, shown: map[string]bool{},
		open: func(name string) ([]byte, error) { return fs.ReadFile(fsys, path.Join(folder, name)) },
	}
	b.build(parts)
	return l, errors.Join(b.errs...)
}

// A part is a fence or the prose between two fences.
type part struct {
	fence string // its word; empty for prose
	line  int    // of its first line; of a fence's body
	text  string
}

// code are the words of fences that are code for the reader.
var code = []string{"", "console", "go", "text", "toml"}

// html matches raw HTML.
var html = regexp.MustCompile(`<[a-zA-Z/!]`)

// spans matches code in a line.
var spans = regexp.MustCompile("`[^`]*`")

// split takes a page apart. Code stays in the prose.
func split(file, text string) ([]part, error) {
	var parts []part
	var prose, body strings.Builder
	var errs []error
	start, opened, fence := 1, 0, ""
	fail := func(line int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...)))
	}
	end := func() {
		if strings.TrimSpace(prose.String()) != "" {
			parts = append(parts, part{line: start, text: prose.String()})
		}
		prose.Reset()
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		word, mark := strings.CutPrefix(strings.TrimRight(line, " \r\n"), "```")
		own := fences[fence] != nil
		switch {
		case opened > 0 && mark && word == "":
			if own {
				parts = append(parts, part{fence: fence, line: opened + 1, text: body.String()})
				start = n + 1
			} else {
				prose.WriteString(line)
			}
			opened = 0
		case opened > 0 && mark:
			fail(opened, "the fence ```%s has no end before the next one; close it with ```", fence)
			return parts, errors.Join(errs...)
		case opened > 0 && own:
			body.WriteString(line)
		case opened > 0:
			prose.WriteString(line)
		case mark:
			fence, opened = word, n
			if fences[fence] != nil {
				end()
				body.Reset()
				break
			}
			if !slices.Contains(code, fence) {
				fail(n, "unknown fence ```%s; %s", fence, experiments.Suggest(fence, append(slices.Sorted(maps.Keys(fences)), code[1:]...)))
			}
			prose.WriteString(line)
		default:
			if html.MatchString(spans.ReplaceAllString(line, "")) {
				fail(n, "raw HTML; write Markdown, or put it in `code`")
			}
			prose.WriteString(line)
		}
	}
	if opened > 0 {
		fail(opened, "the fence ```%s has no end; close it with ```", fence)
	}
	end()
	return parts, errors.Join(errs...)
}
