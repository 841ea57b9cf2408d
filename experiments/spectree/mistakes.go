package spectree

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
)

// maxMistakes bounds how many mistakes one error lists.
const maxMistakes = 20

// Mistakes collects the mistakes found in a file.
type Mistakes struct {
	File string
	List []mistake
}

type mistake struct {
	Place
	key, wrong, Text string
}

// Add notes a mistake in the key at a place. The text says what is wrong and, after a semicolon, how to correct it.
func (m *Mistakes) Add(at Place, key, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	wrong := text
	if key != "" {
		text = key + ": " + text
	}
	file := cmp.Or(at.File, m.File)
	switch {
	case at.Line == 0:
		text = at.Origin + ": " + text
	case at.Origin != "":
		text = fmt.Sprintf("%s:%d: %s.%s", file, at.Line, at.Origin, text)
	default:
		text = fmt.Sprintf("%s:%d: %s", file, at.Line, text)
	}
	if at.File != "" {
		text += fmt.Sprintf(" (inherited by %s)", m.File)
	}
	known := func(q mistake) bool { return q.Text == text }
	if !slices.ContainsFunc(m.List, known) {
		m.List = append(m.List, mistake{at, key, wrong, text})
	}
}

// All yields the key of each mistake and what is wrong with it, in the order in which they were found.
func (m *Mistakes) All() iter.Seq2[string, string] {
	return func(yield func(key, wrong string) bool) {
		for _, q := range m.List {
			if !yield(q.key, q.wrong) {
				return
			}
		}
	}
}

// Err joins the mistakes in the order of their lines, nil if there are none.
func (m *Mistakes) Err() error {
	slices.SortStableFunc(m.List, func(a, b mistake) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	var errs []error
	for i, q := range m.List {
		if i == maxMistakes {
			errs = append(errs, fmt.Errorf("%s: and %d more mistakes", m.File, len(m.List)-i))
			break
		}
		errs = append(errs, errors.New(q.Text))
	}
	return errors.Join(errs...)
}

// Beside names another key with its line, for a mistake in two keys.
func Beside(key string, n *Node) string {
	if n == nil || n.Line == 0 {
		return key
	}
	if n.File != "" {
		return fmt.Sprintf("%s on line %d of %s", key, n.Line, n.File)
	}
	return fmt.Sprintf("%s on line %d", key, n.Line)
}

// Join appends a key to a path for messages.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Entry names item i of the array at path: by its id, or by its number from 1.
func Entry(path string, n *Node, i int) string {
	if t := n.Table(); t != nil && t.Group != "" {
		return path + " " + printed.Quote(t.Group)
	}
	if id := IDOf(n); id != "" {
		return path + " " + printed.Quote(id)
	}
	return path + " " + strconv.Itoa(i+1)
}

// QuoteKey quotes a key unless TOML lets it stand bare.
func QuoteKey(k string) string {
	if len(k) <= printed.Longest && bare.MatchString(k) {
		return k
	}
	return printed.Quote(k)
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
