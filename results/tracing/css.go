package tracing

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/colornames"

	"repro/results/printed"
)

// A compound is one part of a selector: what an element must be, and whether it must be the parent of the next part or may be any ancestor.
type compound struct {
	name, id string
	classes  []string
	parent   bool
}

// A rule is what a style sheet says of the elements of a selector.
type rule struct {
	selector []compound
	weight   int // of its ids, classes and names
	style    map[string]string
}

// Bounds of style sheets.
const (
	mostRules    = 2000
	mostSelector = 20
)

var (
	cssComments = regexp.MustCompile(`(?s)/\*.*?\*/|<!--|-->`)
	compounds   = regexp.MustCompile(`^(\*|[\w-]+)?((?:[.#][\w-]+)*)$`)
	parts       = regexp.MustCompile(`[.#][\w-]+`)
	never       = regexp.MustCompile(`:(hover|focus|active|visited|target|checked|:?before|:?after|:?selection)`)
)

// rulesOf reads a style sheet. unread lists what it has and is not read here; rules for paper and for dark screens are left out. depth is how many
// rules of media it lies in.
func rulesOf(sheet string, depth int) (all []rule, unread []string) {
	sheet = cssComments.ReplaceAllString(sheet, " ")
	for sheet != "" && len(all) < mostRules {
		head, rest, _ := strings.Cut(sheet, "{")
		if i := strings.LastIndex(head, ";"); i >= 0 { // @import and the like have no block
			if strings.Contains(head[:i], "@import") {
				unread = append(unread, "@import")
			}
			head = head[i+1:]
		}
		head = strings.Join(strings.Fields(head), " ")
		end, depth := 0, 1
		for end < len(rest) && depth > 0 {
			switch rest[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
			end++
		}
		body := strings.TrimSuffix(rest[:end], "}")
		sheet = rest[end:]
		switch {
		case (head == "@media screen" || head == "@media all") && depth < mostNesting:
			inner, more := rulesOf(body, depth+1)
			all, unread = append(all, inner...), append(unread, more...)
		case strings.HasPrefix(head, "@media print"), strings.HasPrefix(head, "@font-face"), strings.Contains(head, "color-scheme: dark"), head == "":
		case strings.HasPrefix(head, "@"):
			unread = append(unread, head)
		default:
			style := declarationsOf(body)
			for _, one := range strings.Split(head, ",") {
				selector, ok := selectorOf(strings.TrimSpace(one))
				if ok {
					all = append(all, rule{selector, weightOf(selector), style})
				} else if !never.MatchString(one) {
					unread = append(unread, one)
				}
			}
		}
	}
	return all, unread[:min(len(unread), 3)]
}

// declarationsOf reads the declarations of a rule or of an attribute style.
func declarationsOf(text string) map[string]string {
	style := map[string]string{}
	for _, d := range strings.Split(text, ";") {
		if key, value, ok := strings.Cut(d, ":"); ok {
			style[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return style
}

// selectorOf reads a selector of names, classes and ids, with blanks and > between them.
func selectorOf(text string) (selector []compound, ok bool) {
	parent := false
	for _, word := range strings.Fields(strings.ReplaceAll(text, ">", " > ")) {
		if word == ">" {
			if parent || len(selector) == 0 {
				return nil, false
			}
			parent, selector[len(selector)-1].parent = true, true
			continue
		}
		m := compounds.FindStringSubmatch(strings.Replace(word, ":root", "svg", 1))
		if m == nil || len(selector) == mostSelector {
			return nil, false
		}
		c := compound{name: strings.TrimPrefix(m[1], "*")}
		for _, part := range parts.FindAllString(m[2], -1) {
			if part[0] == '#' {
				c.id = part[1:]
			} else {
				c.classes = append(c.classes, part[1:])
			}
		}
		selector, parent = append(selector, c), false
	}
	return selector, len(selector) > 0 && !parent
}

// weightOf returns what decides between rules: ids before classes before names.
func weightOf(selector []compound) (weight int) {
	for _, c := range selector {
		weight += 100 * len(c.classes)
		if c.id != "" {
			weight += 10_000
		}
		if c.name != "" {
			weight++
		}
	}
	return weight
}

// is reports whether an element is what a part of a selector says.
func (e *element) is(c compound) bool {
	classes := strings.Fields(e.attributes["class"])
	return (c.name == "" || c.name == e.name) && (c.id == "" || c.id == e.attributes["id"]) &&
		!slices.ContainsFunc(c.classes, func(class string) bool { return !slices.Contains(classes, class) })
}

// selected reports whether the last of a line of elements, each in the one before, is one of those that a selector names.
func selected(line []*element, selector []compound) bool {
	last := len(selector) - 1
	if len(line) == 0 || !line[len(line)-1].is(selector[last]) {
		return false
	}
	line = line[:len(line)-1]
	if last == 0 {
		return true
	}
	if selector[last-1].parent {
		return selected(line, selector[:last])
	}
	for n := len(line); n > 0; n-- {
		if selected(line[:n], selector[:last]) {
			return true
		}
	}
	return false
}

// dress gives an element and those in it what a style sheet says of them: the attribute style goes before it, what is !important before that.
func dress(line []*element, rules []rule) {
	e := line[len(line)-1]
	if e.name == "" {
		return
	}
	style, strong := map[string]string{}, map[string]string{}
	lay := func(from map[string]string) {
		for key, value := range from {
			if plain, important := strings.CutSuffix(value, "!important"); important {
				strong[key] = strings.TrimSpace(plain)
			} else {
				style[key] = value
			}
		}
	}
	for _, r := range rules { // the lightest first
		if selected(line, r.selector) {
			lay(r.style)
		}
	}
	lay(declarationsOf(e.attributes["style"]))
	for key, value := range strong {
		style[key] = value
	}
	e.style = style
	for _, c := range e.children {
		dress(append(line, c), rules)
	}
}

// sheets returns the text of the style sheets in an element.
func (e *element) sheets() (all string) {
	for _, c := range e.children {
		if e.name == "style" {
			all += c.text
		} else {
			all += c.sheets()
		}
	}
	return all
}

// dressed styles all elements, and returns what of the style sheets is not read.
func (e *element) dressed() (unread []string) {
	rules, unread := rulesOf(e.sheets(), 0)
	slices.SortStableFunc(rules, func(a, b rule) int { return cmp.Compare(a.weight, b.weight) })
	dress([]*element{e}, rules)
	return unread
}

// colourOf reads a colour: #rrggbb, "" for none, and what it does not know, such as a gradient, as it is written.
func colourOf(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if named, known := colornames.Map[text]; known {
		return fmt.Sprintf("#%02x%02x%02x", named.R, named.G, named.B)
	}
	if m := hexColour.FindStringSubmatch(text); m != nil {
		if len(text) < 6 {
			text = "#"
			for _, digit := range m[1] {
				text += strings.Repeat(string(digit), 2)
			}
		}
		return visible(text[:7], strings.Trim(text[7:], "0") != "" || text[7:] == "")
	}
	function, _, _ := strings.Cut(text, "(")
	v := numbersIn(text)
	whole := 255.0
	if strings.Contains(text, "%") {
		whole = 100
	}
	seen := len(v) != 4 || v[3] != 0
	switch {
	case text == "none" || text == "transparent":
		return ""
	case (function == "rgb" || function == "rgba") && len(v) >= 3:
		return visible(hexOf(v[0]/whole, v[1]/whole, v[2]/whole), seen)
	case (function == "hsl" || function == "hsla") && len(v) >= 3 && !strings.Contains(text, "rad") && !strings.Contains(text, "turn"):
		return visible(hslOf(v[0], v[1]/100, v[2]/100), seen)
	}
	return printed.Visible(strings.ToValidUTF8(text[:min(len(text), 60)], ""))
}

// hexColour matches #rgb and #rrggbb, with an opacity behind them or without.
var hexColour = regexp.MustCompile(`^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$`)

// visible returns a colour that is seen, and none otherwise.
func visible(colour string, seen bool) string {
	if seen {
		return colour
	}
	return ""
}

// hslOf writes a colour of hue, in degrees, saturation and lightness.
func hslOf(hue, saturation, lightness float64) string {
	part := func(n float64) float64 {
		k := math.Mod(math.Mod(n+hue/30, 12)+12, 12)
		return lightness - saturation*min(lightness, 1-lightness)*max(-1, min(k-3, 9-k, 1))
	}
	return hexOf(part(0), part(8), part(4))
}
