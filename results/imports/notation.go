package imports

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"repro/results/files"
	"repro/results/printed"
)

// A notation says which mark is the decimal one in the columns of some files. All rows of a column decide it, then curves.decimal,
// then the other columns, then what separates the fields. What they leave open is asked.
type notation struct {
	paths           []string
	format, decimal string              // of the options
	guess           bool                // nobody could set decimal yet
	columns         map[string]*written // nil before a number asks
}

// written is where a column has its first number of each kind.
type written struct {
	marks   [printed.CommaIsAny + 1]place
	round   place // may have a mark for thousands, and ends with a zero
	small   place // whole, from 1 to 999
	decimal byte  // 0 before it is decided
}

// A place is a field of a file.
type place struct {
	file string // "" if there is one file
	line int
	text string
}

// marked reports whether the rest of a column may have to say what the marks of a number are.
func (t *table) marked(text string) bool {
	return strings.IndexByte(text, ',') >= 0 || !t.pointed && (printed.OneGroup(text) || strings.Count(text, ".") > 1)
}

// file notes the numbers of a file.
func (n *notation) file(path string) {
	f, err := files.OpenRegular(path)
	if err != nil {
		return
	}
	defer f.Close()
	t, err := open(f, path, n.format)
	for err == nil {
		if err = t.read(); err != nil {
			return
		}
		for i, name := range t.columns {
			w := n.columns[name]
			if w == nil {
				w = &written{}
				n.columns[name] = w
			}
			w.take(t.text(i), t, len(n.paths) > 1)
		}
	}
}

// smallWhole matches a whole number that needs no mark for thousands.
var smallWhole = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}$`)

func (w *written) take(text string, t *table, several bool) {
	note := func(p *place) {
		if p.line == 0 {
			if *p = (place{line: t.line, text: strings.Clone(text)}); several {
				p.file = " of " + filepath.Base(t.path)
			}
		}
	}
	marks := printed.MarksOf(text)
	if marks == printed.PointIsAny && t.pointed {
		marks = printed.ByPoint
	}
	switch note(&w.marks[marks]); {
	case marks >= printed.PointIsAny && strings.HasSuffix(text, "0"):
		note(&w.round)
	case marks == printed.Unmarked && smallWhole.MatchString(text):
		note(&w.small)
	}
}

// of returns the decimal mark of the column that t reads.
func (n *notation) of(t *table, column int) (byte, error) {
	if n.columns == nil { // look at all numbers; what cannot be read is left to who reads
		n.columns = map[string]*written{}
		for _, path := range n.paths {
			n.file(path)
		}
	}
	name := t.columns[column]
	w := n.columns[name]
	if w == nil {
		return '.', nil // the file has changed
	}
	if w.decimal == 0 {
		decimal, wrong := n.decide(w, t.separator)
		if wrong != "" {
			return 0, t.errorf("column %s: %s", printed.Quote(name), wrong)
		}
		w.decimal = decimal
	}
	return w.decimal, nil
}

// decide returns the decimal mark of a column, or what is wrong.
func (n *notation) decide(w *written, separator rune) (decimal byte, wrong string) {
	point, comma := w.marks[printed.ByPoint], w.marks[printed.ByComma]
	switch {
	case point.line > 0 && comma.line > 0:
		return 0, fmt.Sprintf("%v has a decimal point, and %v a decimal comma; write all numbers of the column alike", point, comma)
	case point.line > 0:
		return '.', ""
	case comma.line > 0:
		return n.decimalComma(fmt.Sprintf(`%v is not a number; if commas are decimal marks, set curves.decimal = "comma"`, comma))
	}
	either, other := w.marks[printed.PointIsAny], w.marks[printed.CommaIsAny]
	switch {
	case either.line > 0 && other.line > 0:
		return 0, fmt.Sprintf("%v and %v have different marks, for decimals or for thousands; write all numbers of the column alike", either, other)
	case either.line > 0:
		return n.settle(w, either, '.', ',', separator)
	}
	return n.settle(w, other, ',', '.', separator)
}

// settle decides what a mark is of which a column has the other one nowhere: the decimal one or, as the other is then, that of thousands.
func (n *notation) settle(w *written, either place, mark, other byte, separator rune) (decimal byte, wrong string) {
	ask := fmt.Sprintf(`set curves.decimal = "point" or "comma": %v is %s or %s`, either, plainly(either.text, '.'), plainly(either.text, ','))
	if w.round.line > 0 && w.small.line > 0 { // no program writes 50.000 and 406
		why := fmt.Sprintf("%v is %s, because %v has no decimals", w.round, plainly(w.round.text, other), w.small)
		switch {
		case mark == '.' && separator != ';' && n.decimal == "":
			return 0, ask // a point for thousands is as strange between commas
		case mark == '.' && separator != ';':
			return n.said(), ""
		case n.decimal == decimals[mark]:
			return 0, fmt.Sprintf("%s, and curves.decimal = %q reads %s; remove it, or write all numbers of the column with decimals", why, n.decimal, plainly(w.round.text, mark))
		case other == ',':
			return n.decimalComma(why + `; set curves.decimal = "comma", so that points separate thousands`)
		}
		return other, ""
	}
	if n.decimal != "" {
		return n.said(), ""
	}
	switch points, commas := n.others(printed.ByPoint), n.others(printed.ByComma); {
	case points && !commas, points == commas && mark == '.' && separator != ';':
		return '.', ""
	case commas && !points, points == commas && mark == ',' && separator == ';':
		return n.decimalComma(ask)
	}
	return 0, ask
}

// decimalComma returns the comma, or what to ask where a spec leaves out curves.decimal.
func (n *notation) decimalComma(ask string) (decimal byte, wrong string) {
	if n.decimal == "" && !n.guess {
		return 0, ask
	}
	return ',', ""
}

// others reports whether a column has a number of a kind.
func (n *notation) others(of printed.Marks) bool {
	for _, w := range n.columns {
		if w.marks[of].line > 0 {
			return true
		}
	}
	return false
}

// decimals are the words of curves.decimal.
var decimals = map[byte]string{'.': "point", ',': "comma"}

// said returns the decimal mark that curves.decimal names.
func (n *notation) said() byte {
	if n.decimal == decimals[','] {
		return ','
	}
	return '.'
}

// plainly writes a number that is read with a decimal mark.
func plainly(text string, decimal byte) string {
	v, _ := printed.ReadCell(text, decimal)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (p place) String() string {
	return fmt.Sprintf("%s on line %d%s", printed.Quote(p.text), p.line, p.file)
}

// odd are texts that a person takes for numbers.
var odd = []struct {
	is   *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`^[-+]?[\d.,]+\s*%$`), "it is a percentage: write the fraction"},
	{regexp.MustCompile(`^[-+]?[\d.]+[dDqQ][-+]?\d+$`), "it is in Fortran's notation: write e in the place of " + `"D"`},
	{regexp.MustCompile(`^[-+]?0[xX]`), "it is hexadecimal: write it in decimal"},
	{regexp.MustCompile(`^\d+:\d\d|^\d{4}-\d\d-\d\d|^\d+ days?\b`), "it is a time: write seconds"},
	{regexp.MustCompile(`^[-+]?\.?\d`), "correct it, or leave the row out"},
}

// oddly returns what to do about a text in the place of a number, and whether a person would take it for one.
func oddly(text string) (todo string, is bool) {
	for _, o := range odd {
		if o.is.MatchString(text) {
			return o.what, true
		}
	}
	return odd[len(odd)-1].what, false
}

// timesOfDay are how programs write a time of day, such as Neptune, Optuna and Python.
var timesOfDay = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// clockOf returns the seconds since 1970 of a time of day.
func clockOf(text string) (seconds float64, ok bool) {
	for _, layout := range timesOfDay {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1970 {
			return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true
		}
	}
	return 0, false
}
