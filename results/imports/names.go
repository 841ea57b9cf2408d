package imports

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"repro/results/printed"
)

// tables are how names of files with curves end.
var tables = []string{".csv", ".tsv", ".txt", ".dat", ".json", ".jsonl", ".ndjson"}

// Expand returns the files that paths name: files themselves, patterns such as runs/*.csv, and folders, whose tables count, also those in
// folders below, except hidden ones.
func Expand(paths []string) (all []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		found := []string{path}
		switch {
		case err == nil && info.IsDir():
			if found, err = inFolder(path); err != nil {
				return nil, err
			}
			if len(found) == 0 {
				return nil, fmt.Errorf("%s: has no file that ends with %s; name the files", path, strings.Join(tables, ", "))
			}
		case err != nil && strings.ContainsAny(path, "*?["):
			if found, err = filepath.Glob(path); err != nil || len(found) == 0 {
				return nil, fmt.Errorf("%s: no file has such a name; * and ? stand for parts of one name, without /", path)
			}
		}
		if all = append(all, found...); len(all) > mostFiles {
			return nil, fmt.Errorf("%s: these are more than %d files; name fewer", path, mostFiles)
		}
	}
	return all, nil
}

// inFolder lists the tables in a folder.
func inFolder(dir string) (found []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		hidden := path != dir && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden && slices.Contains(tables, strings.ToLower(filepath.Ext(path))) && len(found) <= mostFiles:
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// exported are the names that programs give to their exports: those of TensorBoard.
var exported = []*regexp.Regexp{
	regexp.MustCompile(`^(.*run[-_])(?P<method>[^/]+?)([-_](?:seed[-_]?)?)(?P<seed>\d+)(-tag-)(?P<metric>[^/]+)(\.csv)$`),
	regexp.MustCompile(`^(.*run[-_])(?P<method>[^/]+)(-tag-)(?P<metric>[^/]+)(\.csv)$`),
}

// shapes are what names of files consist of where they differ. What has no name is the same in all.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`^(\D*)(?P<seed>\d+)$`),
	regexp.MustCompile(`^(?P<method>.+?)([-_./ =]+(?:seed|rep|run|trial|fold|version)?[-_=]?)(?P<seed>\d+)$`),
	regexp.MustCompile(`^(\D*)(?P<seed>\d+)([-_./ =]+)(?P<method>.+)$`),
	regexp.MustCompile(`^(?P<method>.+)$`),
}

// seedWord matches a text after which a number is a seed.
var seedWord = regexp.MustCompile(`(?i)(seed|rep|repetition|run|trial|fold|version)[-_./ =]*$`)

// alike sets the path, or the pattern of several, and returns what it says of each.
func (o *Options) alike(paths []string) (bound []binding, err error) {
	file := filepath.ToSlash(paths[0])
	switch o.File = file; {
	case !utf8.ValidString(file):
		return nil, fmt.Errorf("the name %s is not UTF-8; rename the file or its folder", printed.Quote(file))
	case len(paths) == 1:
		return nil, nil
	}
	for _, shape := range exported {
		if o.File, bound = shaped(shape, "", file, "", paths, false); bound != nil {
			return bound, nil
		}
	}
	head, tail := len(file), len(file)
	for _, p := range paths[1:] {
		p, most, n := filepath.ToSlash(p), min(len(p), len(file)), 0
		for n < most && p[n] == file[n] {
			n++
		}
		head, n = min(head, n), 0
		for n < most && p[len(p)-1-n] == file[len(file)-1-n] {
			n++
		}
		tail = min(tail, n)
	}
	head = strings.LastIndexAny(file[:head], "-_/ =") + 1
	for _, p := range paths {
		tail = max(0, min(tail, len(p)-head-1))
	}
	if cut := strings.IndexAny(file[len(file)-tail:], "-_/. ="); cut >= 0 {
		tail -= cut
	}
	for _, shape := range shapes {
		if o.File, bound = shaped(shape, file[:head], file[head:len(file)-tail], file[len(file)-tail:], paths, o.Abscissa != ""); bound != nil {
			return bound, nil
		}
	}
	return nil, fmt.Errorf("the names of these %d files differ in more than a method and a seed; write a spec with a pattern such as file = \"{method}/{seed}.csv\" in [curves]", len(paths))
}

// shaped returns the pattern of paths, the first of which has a part of a shape between two texts, and what it says of each; nil if
// they do not fit.
func shaped(shape *regexp.Regexp, before, part, after string, paths []string, study bool) (text string, bound []binding) {
	if text = fill(shape, part); text == "" {
		return "", nil
	}
	text = before + text + after
	if bound = bind(text, "[^/]", paths); bound == nil || !plausible(text, bound, study) {
		return "", nil
	}
	return text, bound
}

// fill returns a text of a shape with the parts in their places, empty if it has another shape.
func fill(shape *regexp.Regexp, part string) (text string) {
	m := shape.FindStringSubmatch(part)
	if m == nil {
		return ""
	}
	for i, name := range shape.SubexpNames()[1:] {
		if name != "" {
			name = "{" + name + "}"
		}
		text += cmp.Or(name, m[i+1])
	}
	return text
}

// bind returns what a pattern says of paths, nil if one does not match. What a part matches consists of some characters of a class.
func bind(text, class string, paths []string) (bound []binding) {
	p, wrong := newPattern(text, class)
	for _, path := range paths {
		b, ok := p.match(filepath.ToSlash(path))
		if wrong != "" || !ok {
			return nil
		}
		bound = append(bound, b)
	}
	return bound
}

// plausible reports whether the seeds of a pattern may be seeds: a method has several, or they follow each other from 0 or 1, or a
// word says so.
func plausible(text string, bound []binding, study bool) bool {
	methods, seeds := map[string]bool{}, map[int]bool{}
	for _, b := range bound {
		n, _ := strconv.Atoi(b[seedKey])
		methods[b[methodKey]], seeds[n] = true, true
	}
	before, _, seeded := strings.Cut(text, parts[seedKey])
	switch {
	case !seeded:
		return true
	case study: // P1 and P2 have degrees, not seeds
		return seedWord.MatchString(before)
	case !methods[""]:
		return len(methods) < len(bound)
	}
	return seedWord.MatchString(before) || len(seeds) == len(bound) && (seeds[0] && seeds[len(bound)-1] || seeds[1] && seeds[len(bound)])
}

// runs are what names of runs consist of, and columns with a curve each.
var runs = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<method>.+?)([-_/ =#:]+[A-Za-z]*[-_=. ]*)(?P<seed>\d+)$`),
	regexp.MustCompile(`^(?P<method>.+?)([-_/ =#:]+[A-Za-z]*[-_=. ]*)(?P<seed>\d+)([-_/ =#:]+)(?P<metric>\D+)$`),
	regexp.MustCompile(`^([A-Za-z]+[-_/ =#:]*)(?P<seed>\d+)$`),
}

// divided returns the pattern of names that consist of a method and a seed, and perhaps of a metric, and what it says of each; nil if they
// do not. A word says what is a seed or, unless only words count, several methods have the same seeds, which follow each other from 0 or 1.
func divided(names []string, words bool) (text string, bound []binding) {
	for _, shape := range runs {
		if len(names) < 2 {
			break
		}
		if text = fill(shape, names[0]); text == "" {
			continue
		}
		if bound = bind(text, ".", names); bound == nil {
			continue
		}
		seeds := map[string][]int{}
		for _, b := range bound {
			n, _ := strconv.Atoi(b[seedKey])
			if !slices.Contains(seeds[b[methodKey]], n) {
				seeds[b[methodKey]] = append(seeds[b[methodKey]], n)
			}
		}
		alike := len(seeds) > 1 && !words
		for _, own := range seeds {
			slices.Sort(own)
			alike = alike && len(own) > 1 && own[0] <= 1 && own[len(own)-1]-own[0] == len(own)-1 && slices.Equal(own, seeds[bound[0][methodKey]])
		}
		before, _, _ := strings.Cut(text, parts[seedKey])
		if alike || seedWord.MatchString(before) {
			return text, bound
		}
	}
	return "", nil
}

// measured matches what is a metric and no method.
var measured = regexp.MustCompile(`(?i)loss|err|acc|ms?e$|mae|auc|reward|return|score|f1|regret|objective|gap|norm|nll|perplexity|value`)

// divide finds the seeds in the names of methods and of columns.
func (o *Options) divide(columns []column) {
	names := printed.Each(columns, func(c column) string { return c.name })
	f := o.Filled(names)
	at, study := slices.Index(names, f.Method), o.Abscissa != "" // P-1 and P-2 have degrees, not seeds
	switch {
	case o.tells(seedKey) || f.Seed != "":
	case f.Method != "" && at >= 0 && len(columns[at].texts) < mostMetrics:
		o.Names, _ = divided(columns[at].texts, study)
	case f.Columns != "":
		var methods []string
		p, _ := newPattern(f.Columns, ".")
		for _, name := range names {
			if b, ok := p.match(name); ok && !besides(name) {
				methods = append(methods, b[methodKey])
			}
		}
		if text, _ := divided(methods, study); text != "" {
			o.Columns = strings.Replace(f.Columns, parts[methodKey], text, 1)
		}
	case !o.tells(methodKey) && o.Format == "" && o.Metric == "":
		text, bound := divided(o.metricsOf(columns), study)
		if !slices.ContainsFunc(bound, func(b binding) bool {
			return b[metricKey] != "" || b[methodKey] != bound[0][methodKey] && !measured.MatchString(b[methodKey])
		}) {
			text = strings.Replace(text, parts[methodKey], parts[metricKey], 1)
		}
		o.Columns = text
	}
}
