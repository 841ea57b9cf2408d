package lessons

import (
	"regexp"
	"strings"
)

// A Block is a part of Markdown text without its marks, for a terminal.
type Block struct {
	Kind BlockKind
	Text string // without line breaks, except of Verbatim
}

// BlockKind says how a block is laid out.
type BlockKind int

const (
	Paragraph BlockKind = iota
	Bullet              // an item of a list; Text begins with its bullet or number
	Quote
	Title    // a heading
	Verbatim // code: its lines stay as they are
	Table    // its lines stay as they are
)

var (
	item   = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
	image  = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	link   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	strong = regexp.MustCompile(`\*\*(\S[^*]*)\*\*`)
	stress = regexp.MustCompile(`\*(\S[^*]*)\*`)
)

// Plain takes Markdown apart for a terminal.
func Plain(markdown string) []Block {
	var blocks []Block
	var open *Block // that the next line continues
	code := false
	add := func(kind BlockKind, text string) {
		blocks = append(blocks, Block{kind, text})
		open = &blocks[len(blocks)-1]
	}
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, " \r\n")
		text := strings.TrimSpace(line)
		quoted, quote := strings.CutPrefix(text, ">")
		switch {
		case strings.HasPrefix(text, "```"):
			code = !code
			open = nil
			if code {
				add(Verbatim, "")
			}
		case code:
			open.Text += line + "\n"
		case text == "":
			open = nil
		case strings.HasPrefix(text, "#"):
			add(Title, strings.TrimSpace(strings.TrimLeft(text, "#")))
			open = nil
		case strings.HasPrefix(text, "|"):
			if open == nil || open.Kind != Table {
				add(Table, "")
			}
			open.Text += line + "\n"
		case item.MatchString(line):
			add(Bullet, item.FindStringSubmatch(line)[1]+" "+item.ReplaceAllString(line, ""))
		case quote && (open == nil || open.Kind != Quote):
			add(Quote, strings.TrimSpace(quoted))
		case quote:
			open.Text += " " + strings.TrimSpace(quoted)
		case open == nil || open.Kind == Verbatim || open.Kind == Table:
			add(Paragraph, text)
		default:
			open.Text += " " + text
		}
	}
	for i := range blocks {
		if blocks[i].Kind != Verbatim {
			blocks[i].Text = inline(blocks[i].Text)
		}
	}
	return blocks
}

// inline removes the marks within a text: emphasis, links and pictures. Code keeps its text.
func inline(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i%2 == 0 {
			part = image.ReplaceAllString(part, "$1")
			part = link.ReplaceAllString(part, "$1")
			part = strong.ReplaceAllString(part, "$1")
			part = stress.ReplaceAllString(part, "$1")
		}
		b.WriteString(part)
	}
	return b.String()
}
