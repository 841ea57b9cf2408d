package tracing

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/image/colornames"

	"repro/results/printed"
)

// A rule is what a style sheet says of the elements of a selector.
type rule struct {
	cascadia.Sel
	style map[string]string
}

// mostRules bounds the rules of style sheets.
const mostRules = 2000

var (
	cssComments = regexp.MustCompile(`(?s)/\*.*?\*/|<!--|-->`)
	never       = regexp.MustCompile(`:(before|after|selection)`)
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
				if selector, err := cascadia.Parse(strings.TrimSpace(one)); err == nil {
					all = append(all, rule{selector, style})
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

// dress gives an element and those in it what a style sheet says of them: the attribute style goes before it, what is !important before that.
func (e *element) dress(rules []rule) {
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
		if r.Match(e.node) {
			lay(r.style)
		}
	}
	lay(declarationsOf(e.attributes["style"]))
	for key, value := range strong {
		style[key] = value
	}
	e.style = style
	for _, c := range e.children {
		c.dress(rules)
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
	slices.SortStableFunc(rules, func(a, b rule) int {
		x, y := a.Specificity(), b.Specificity()
		return slices.Compare(x[:], y[:])
	})
	e.dress(rules)
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
