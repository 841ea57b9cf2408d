package plots

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"

	"repro/results/printed"
)

var (
	svgTag   = regexp.MustCompile(`(?s)^.*?<svg width="([0-9.]+)pt" height="([0-9.]+)pt" viewBox="([^"]*)"[^>]*>`)
	svgGlyph = regexp.MustCompile(`<g transform="translate\(([^,]*), ([^)]*)\)">\n(<path d="[^"]*" style="[^"]*" />)\n</g>`)
)

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
	if err := xml.EscapeText(&out, []byte(printed.Visible(plainText(title)))); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	fmt.Fprintf(&out, "</title>\n<defs>\n%s</defs>", glyphs)
	out.Write(body)
	return out.Bytes()
}

// shareGlyphs replaces every glyph by a reference to its outline, and returns the outlines.
func shareGlyphs(body []byte) (used, outlines []byte) {
	ids := map[string]int{}
	used = svgGlyph.ReplaceAllFunc(body, func(g []byte) []byte {
		m := svgGlyph.FindSubmatch(g)
		id, known := ids[string(m[3])]
		if !known {
			id = len(ids)
			ids[string(m[3])] = id
			outlines = fmt.Appendf(outlines, "<path id=\"g%d\"%s\n", id, m[3][len("<path"):])
		}
		return fmt.Appendf(nil, `<use xlink:href="#g%d" x="%s" y="%s"/>`, id, m[1], m[2])
	})
	return used, outlines
}
