package lessons

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
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

// Plain takes Markdown apart for a terminal.
func Plain(markdown string) []Block {
	source := []byte(markdown)
	var blocks []Block
	ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			blocks = append(blocks, Block{Title, inline(n, source)})
		case ast.KindFencedCodeBlock, ast.KindCodeBlock:
			blocks = append(blocks, Block{Verbatim, string(n.Lines().Value(source))})
		case ast.KindParagraph, ast.KindTextBlock:
			blocks = append(blocks, paragraph(n, source))
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// PlainText returns Markdown as one line without its marks.
func PlainText(markdown string) string {
	var all []string
	for _, b := range Plain(markdown) {
		all = append(all, strings.TrimSpace(b.Text))
	}
	return strings.Join(all, " ")
}

// paragraph returns a paragraph, that of a quotation, of an item of a list, or a table.
func paragraph(n ast.Node, source []byte) Block {
	lines := string(n.Lines().Value(source))
	if strings.HasPrefix(lines, "|") {
		return Block{Table, strings.TrimRight(lines, "\n") + "\n"}
	}
	switch n.Parent().Kind() {
	case ast.KindBlockquote:
		return Block{Quote, inline(n, source)}
	case ast.KindListItem: // what stands before its first line is the bullet or the number
		before := source[:n.Lines().At(0).Start]
		mark := before[bytes.LastIndexByte(before, '\n')+1:]
		return Block{Bullet, strings.TrimSpace(string(mark)) + " " + inline(n, source)}
	}
	return Block{Paragraph, inline(n, source)}
}

// inline returns the text within a block without its marks: emphasis, links and pictures. Code keeps its text.
func inline(block ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
