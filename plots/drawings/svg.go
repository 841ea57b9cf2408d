package drawings

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"

	"repro/plots/figures"
	"repro/results/printed"
)

var svgTag = regexp.MustCompile(`(?s)^.*?<svg width="([0-9.]+)pt" height="([0-9.]+)pt" viewBox="([^"]*)"[^>]*>`)

// tidySVG rewrites a file of vgsvg. It removes the generator's comment, adds the title for screen readers, defines every
// glyph once and refers to it, and corrects the type of embedded images and makes them fill their rectangles.
func tidySVG(svg []byte, title string) []byte {
	tag := svgTag.FindSubmatch(svg)
	if tag == nil {
		panic("plots: vgsvg writes another head than it used to")
	}
	body := svg[len(tag[0]):]
	body = bytes.ReplaceAll(body, []byte("data:image/jpg;"), []byte("data:image/png;"))
	body = bytes.ReplaceAll(body, []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
	body, glyphs := shareGlyphs(body)
	var out bytes.Buffer
	fmt.Fprintf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		"<svg width=\"%spt\" height=\"%spt\" viewBox=\"%s\" role=\"img\"\n"+
		"\txmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n<title>", tag[1], tag[2], tag[3])
	if err := xml.EscapeText(&out, []byte(printed.Visible(figures.PlainText(title)))); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	fmt.Fprintf(&out, "</title>\n<defs>\n%s</defs>", glyphs)
	out.Write(body)
	return out.Bytes()
}

// shareGlyphs replaces every glyph by a reference to its outline, and returns the outlines.
func shareGlyphs(body []byte) (used, outlines []byte) {
	ids := map[string]int{}
	for {
		at := bytes.Index(body, []byte(glyphStart))
		if at < 0 {
			return append(used, body...), outlines
		}
		used, body = append(used, body[:at]...), body[at:]
		x, y, path, rest, ok := cutGlyph(body)
		if !ok {
			used, body = append(used, glyphStart...), body[len(glyphStart):]
			continue
		}
		id, known := ids[string(path)]
		if !known {
			id = len(ids)
			ids[string(path)] = id
			outlines = fmt.Appendf(outlines, "<path id=\"g%d\"%s\n", id, path[len("<path"):])
		}
		used = fmt.Appendf(used, `<use xlink:href="#g%d" x="%s" y="%s"/>`, id, x, y)
		body = rest
	}
}

const glyphStart = `<g transform="translate(`

// cutGlyph cuts a glyph, which is a group of one path moved to x and y, from the beginning of a body. ok is false if the
// group is another.
func cutGlyph(body []byte) (x, y, path, rest []byte, ok bool) {
	place, rest, found := bytes.Cut(body[len(glyphStart):], []byte(")\">\n"))
	x, y, pair := bytes.Cut(place, []byte(", "))
	path, rest, closed := bytes.Cut(rest, []byte("\n"))
	rest, end := bytes.CutPrefix(rest, []byte("</g>"))
	ok = found && pair && closed && end && bytes.HasPrefix(path, []byte(`<path d="`)) && bytes.IndexByte(place, '\n') < 0
	return x, y, path, rest, ok
}
