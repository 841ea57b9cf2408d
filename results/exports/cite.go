package exports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"repro/results/builds"
	"repro/results/claims"
)

// The code as it is cited. LICENSE has the same authors and year.
const (
	codeName    = "repro"
	codeTitle   = "repro: reproductions of the experiments of papers on kernel methods"
	codeAuthors = "the repro authors"
	codeYear    = 2026
)

// BibTeX returns an entry for the code and one for each paper. A paper that is not registered has no title and is left out.
func BibTeX(p builds.Program, papers []claims.Paper) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@software{%s,\n  author = {{%s}},\n  title = {%s},\n  year = {%d},\n", codeName, codeAuthors, texTitle(codeTitle), codeYear)
	if p.Go = ""; p.Version != "" {
		fmt.Fprintf(&b, "  version = {%v},\n", p)
	}
	b.WriteString("  license = {BSD-3-Clause}\n}\n")
	for _, paper := range papers {
		if paper.Title == "" {
			continue
		}
		fmt.Fprintf(&b, "\n@inproceedings{%s,\n  author = {%s},\n  title = {%s},\n  booktitle = {%s},\n  year = {%d},\n  url = {%s}\n}\n",
			paper.Key, texTitle(strings.Join(paper.Authors, " and ")), texTitle(paper.Title), texTitle(paper.Venue), paper.Year, paper.URL)
	}
	return b.String()
}

// texTitle keeps the capitals of acronyms and names, and escapes what BibTeX gives a meaning to.
func texTitle(title string) string {
	var words []string
	for _, w := range strings.Fields(strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "{", "", "}", "").Replace(title)) {
		if len(w) > 1 && strings.ToUpper(w) == w && strings.ToLower(w) != w {
			w = "{" + w + "}"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// scalar returns a text as a quoted scalar of YAML, of which JSON is a part.
func scalar(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("exports: " + err.Error()) // a string is always JSON
	}
	return string(quoted)
}

// Citation returns CITATION.cff 1.2.0: the code, and the papers as references. The commit is left out if it is not known.
func Citation(p builds.Program, papers []claims.Paper) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cff-version: 1.2.0\nmessage: \"Please cite the code and the papers whose experiments you use.\"\ntype: software\ntitle: %s\nauthors:\n  - name: %s\nlicense: BSD-3-Clause\n",
		scalar(codeTitle), scalar(codeAuthors))
	if version := cmp.Or(p.Repro, p.Version); version != "" {
		fmt.Fprintf(&b, "version: %s\n", scalar(version))
	}
	if commit := p.KnownCommit(); p.Repro == "" && commit != "" {
		fmt.Fprintf(&b, "commit: %s\n", scalar(commit))
	}
	cited := slices.DeleteFunc(slices.Clone(papers), func(p claims.Paper) bool { return p.Title == "" })
	if len(cited) > 0 {
		b.WriteString("references:\n")
	}
	for _, paper := range cited {
		fmt.Fprintf(&b, "  - type: conference-paper\n    title: %s\n    authors:\n", scalar(paper.Title))
		for _, name := range paper.Authors {
			given, family := "", name
			if i := strings.LastIndex(name, " "); i > 0 {
				given, family = name[:i], name[i+1:]
			}
			fmt.Fprintf(&b, "      - family-names: %s\n", scalar(family))
			if given != "" {
				fmt.Fprintf(&b, "        given-names: %s\n", scalar(given))
			}
		}
		fmt.Fprintf(&b, "    collection-title: %s\n    year: %d\n    url: %s\n", scalar(paper.Venue), paper.Year, scalar(paper.URL))
	}
	return b.String()
}

// Codecheck returns codecheck.yml, by version 1.0 of the specification, for a study of one paper. Who checked and where the
// report is only the checker knows; comments ask for it.
func Codecheck(s Study) (string, error) {
	papers := s.Papers()
	if len(papers) != 1 {
		var keys []string
		for _, p := range papers {
			keys = append(keys, p.Key)
		}
		return "", fmt.Errorf("codecheck.yml is for one paper, and these experiments are of %s; name those of one, as in '%s/*'", strings.Join(keys, ", "), keys[0])
	}
	return codecheck(s, papers[0]), nil
}

func codecheck(s Study, p claims.Paper) string {
	var b strings.Builder
	title := p.Title
	if title == "" {
		title = p.Key
	}
	fmt.Fprintf(&b, "---\nversion: https://codecheck.org.uk/spec/config/1.0/\n\npaper:\n  title: %s\n", scalar(title))
	if len(p.Authors) > 0 {
		b.WriteString("  authors:\n")
		for _, name := range p.Authors {
			fmt.Fprintf(&b, "    - name: %s\n", scalar(name))
		}
	}
	if p.URL != "" {
		fmt.Fprintf(&b, "  reference: %s\n", scalar(p.URL))
	}
	b.WriteString("\nmanifest:\n")
	output := func(file, comment string) {
		if s.Has(file) {
			fmt.Fprintf(&b, "  - file: %s\n    comment: %s\n", scalar(file), scalar(comment))
		}
	}
	fmt.Fprintf(&b, "  - file: verdicts.json\n    comment: \"the verdict on every claim\"\n")
	output("report.html", "all figures, tables and verdicts")
	for i, j := range s.Cases {
		if j.Paper.Key != p.Key {
			continue
		}
		for _, f := range j.Figures {
			output("figures/"+j.ID+"/"+f.ID+".svg", describe(f.Title, f.Source)+"; "+command(s.Experiments[i]))
		}
		for _, t := range j.Tables {
			output("tables/"+j.ID+"/"+t.ID+".md", describe(t.Title, t.Source)+"; "+command(s.Experiments[i]))
		}
	}
	b.WriteString(`
# The checker adds the keys codechecker (name, ORCID), summary, check_time, report and certificate.
`)
	return b.String()
}

func describe(title, source string) string {
	if source == "" {
		return title
	}
	return fmt.Sprintf("%s (%s)", title, source)
}
