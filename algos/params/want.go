package params

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A Want is what a want tag says of the value of a key. Tags have this grammar:
//
//	want:"> 0"        a number above a bound; also ">= 0" and "= 1"
//	want:"a|b|c"      one of these words; an empty one, as in "|a|b", allows an empty string
//	want:"metric"     one of a vocabulary: abscissa, algorithm, curve, dataset, kernel, loss, metric, schedule, statistic
//
// A word has no comma, quotation mark or space at an end.
type Want struct {
	Op    string // ">", ">=", "=", or empty for words
	Bound float64
	Words []string // nil if every string will do
}

var (
	bounded = regexp.MustCompile(`^(>|>=|=) (\S+)$`)
	word    = regexp.MustCompile(`^[^\s,"'|<>;]([^,"'|<>;]*[^\s,"'|<>;])?$`)
)

// ParseWant parses a want tag.
func ParseWant(tag string) (w Want, err error) {
	if tag == "" {
		return w, nil
	}
	if m := bounded.FindStringSubmatch(tag); m != nil {
		w.Op = m[1]
		if w.Bound, err = strconv.ParseFloat(m[2], 64); err == nil {
			return w, nil
		}
	}
	for _, s := range strings.Split(tag, "|") {
		if s != "" && !word.MatchString(s) {
			return w, fmt.Errorf(`want tag %q: write a bound such as "> 0", or words with | between them such as "a|b"`, tag)
		}
		w.Words = append(w.Words, s)
	}
	return w, nil
}

// CheckTags returns an error if a field of the struct that v points to, or of a struct in it, has a want tag that is none.
func CheckTags(v any) error { return checkTags(reflect.TypeOf(v), map[reflect.Type]bool{}) }

func checkTags(t reflect.Type, seen map[reflect.Type]bool) error {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if _, key := f.Tag.Lookup("toml"); !key && !f.Anonymous {
			continue
		}
		if _, err := ParseWant(f.Tag.Get("want")); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := checkTags(f.Type, seen); err != nil {
			return err
		}
	}
	return nil
}
