package experiments

import (
	"errors"
	"reflect"
	"strings"
)

// A Block is TOML text that is part of another file, such as a fence of a Markdown page, decoded as strictly as a spec. It
// knows the line of every key, so that whoever checks its values further can say where a mistake is.
type Block struct {
	found mistakes
	root  *node
}

// DecodeBlock decodes text, which begins on a line of a file, into the struct that into points to. The struct's tags are those
// of specs: toml has the key, want bounds a number or lists words, must = "yes" requires the key, doc says what it is. The error
// names file, line and key of every mistake.
func DecodeBlock(file string, line int, text string, into any) (*Block, error) {
	root, err := parse(file, strings.Repeat("\n", line-1)+text)
	if err != nil {
		return nil, err
	}
	root.line = line - 1 // of the fence itself, for keys that are missing
	b := &Block{found: mistakes{file: file}, root: root}
	newBinder(&b.found).value(root, reflect.ValueOf(into).Elem(), "", constraint{})
	return b, b.found.err()
}

// Has reports whether the text has a key of that name.
func (b *Block) Has(key string) bool { return b.root.find(key) != nil }

// Mistake returns an error that names the file and the line and key of the value under a path of keys and positions, such as
// "choices", 1, "when". The text says what is wrong and, after a semicolon, how to correct it.
func (b *Block) Mistake(path []any, format string, args ...any) error {
	n, name := b.root, ""
	for _, step := range path {
		next := (*node)(nil)
		switch step := step.(type) {
		case string:
			name, next = join(name, step), n.find(step)
		case int:
			name = entry(name, nil, step)
			if items := n.items(); step < len(items) {
				next = items[step]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	m := mistakes{file: b.found.file}
	m.add(n.place, name, format, args...)
	return errors.New(m.list[0].text)
}
