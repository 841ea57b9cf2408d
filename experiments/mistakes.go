package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxMistakes bounds how many mistakes one error lists.
const maxMistakes = 20

// mistakes collects the mistakes found in a file.
type mistakes struct {
	file string
	list []mistake
}

type mistake struct {
	place
	key, text string
}

// add notes a mistake in the key at a place. The text says what is wrong and, after a semicolon, how to correct it.
func (m *mistakes) add(at place, key, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key != "" {
		text = key + ": " + text
	}
	file := cmp.Or(at.file, m.file)
	switch {
	case at.line == 0:
		text = at.origin + ": " + text
	case at.origin != "":
		text = fmt.Sprintf("%s:%d: %s.%s", file, at.line, at.origin, text)
	default:
		text = fmt.Sprintf("%s:%d: %s", file, at.line, text)
	}
	if at.file != "" {
		text += fmt.Sprintf(" (inherited by %s)", m.file)
	}
	known := func(q mistake) bool { return q.text == text }
	if !slices.ContainsFunc(m.list, known) {
		m.list = append(m.list, mistake{at, key, text})
	}
}

// in reports whether there is a mistake in a key or below it.
func (m *mistakes) in(key string) bool {
	return slices.ContainsFunc(m.list, func(q mistake) bool {
		rest, ok := strings.CutPrefix(q.key, key)
		return ok && (rest == "" || rest[0] == '.')
	})
}

// err joins the mistakes in the order of their lines, nil if there are none.
func (m *mistakes) err() error {
	slices.SortStableFunc(m.list, func(a, b mistake) int { return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line) })
	var errs []error
	for i, q := range m.list {
		if i == maxMistakes {
			errs = append(errs, fmt.Errorf("%s: and %d more mistakes", m.file, len(m.list)-i))
			break
		}
		errs = append(errs, errors.New(q.text))
	}
	return errors.Join(errs...)
}

// beside names another key with its line, for a mistake in two keys.
func beside(key string, n *node) string {
	if n == nil || n.line == 0 {
		return key
	}
	if n.file != "" {
		return fmt.Sprintf("%s on line %d of %s", key, n.line, n.file)
	}
	return fmt.Sprintf("%s on line %d", key, n.line)
}

// join appends a key to a path for messages.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// entry names item i of the array at path: by its id, or by its number from 1.
func entry(path string, n *node, i int) string {
	if t := n.table(); t != nil && t.group != "" {
		return path + " " + quote(t.group)
	}
	if id := idOf(n); id != "" {
		return path + " " + quote(id)
	}
	return path + " " + strconv.Itoa(i+1)
}

// An UnknownProfile is the error that a spec has no profile of a name.
type UnknownProfile struct {
	File, Profile string
	Known         []string
}

func (e UnknownProfile) Error() string {
	return fmt.Sprintf("%s: unknown profile %s; %s", e.File, quote(e.Profile), Suggest(e.Profile, e.Known))
}
