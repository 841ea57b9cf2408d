package strict

import (
	"errors"
	"strings"

	"repro/experiments/spectree"
)

// A Block is TOML text that is part of another file, such as a fence of a Markdown page, decoded as strictly as a spec. It
// knows the line of every key, so that whoever checks its values further can say where a mistake is.
type Block struct {
	found spectree.Mistakes
	root  *spectree.Node
}

// DecodeBlock decodes text, which begins on a line of a file, into the struct that into points to. The struct's tags are those
// of specs: toml has the key, want bounds a number or lists words, must = "yes" requires the key, doc says what it is. The error
// names file, line and key of every mistake.
func DecodeBlock(file string, line int, text string, into any) (*Block, error) {
	root, err := spectree.Parse(file, strings.Repeat("\n", line-1)+text)
	if err != nil {
		return nil, err
	}
	root.Line = line - 1 // of the fence itself, for keys that are missing
	b := &Block{found: spectree.Mistakes{File: file}, root: root}
	Decode(root, into, "", nil, &b.found)
	return b, b.found.Err()
}

// Has reports whether the text has a key of that name.
func (b *Block) Has(key string) bool { return b.root.Find(key) != nil }

// Mistake returns an error that names the file and the line and key of the value under a path of keys and positions, such as
// "choices", 1, "when". The text says what is wrong and, after a semicolon, how to correct it.
func (b *Block) Mistake(path []any, format string, args ...any) error {
	n, name := b.root, ""
	for _, step := range path {
		next := (*spectree.Node)(nil)
		switch step := step.(type) {
		case string:
			name, next = spectree.Join(name, step), n.Find(step)
		case int:
			name = spectree.Entry(name, nil, step)
			if items := n.Items(); step < len(items) {
				next = items[step]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	m := spectree.Mistakes{File: b.found.File}
	m.Add(n.Place, name, format, args...)
	return errors.New(m.List[0].Text)
}
