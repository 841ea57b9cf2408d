package plots

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"repro/results/claims"
)

// verdictClasses are the classes of verdicts, which have their colours.
var verdictClasses = map[claims.Word]string{
	claims.Reproduced: "good", claims.Deviates: "bad", claims.Inconclusive: "open", claims.NotComparable: "apart", claims.NotRun: "none", claims.Failed: "fail",
}

// signsCSS puts the sign of a verdict before its word, for readers who do not see the colour. Screen readers hear the word alone.
func signsCSS() string {
	var b strings.Builder
	for _, w := range claims.Words {
		fmt.Fprintf(&b, ".badge.%s::before{content:\"%s\"/\"\"}\n", class(w), w.Sign())
	}
	return b.String()
}

// badge returns the words for a verdict with its sign and colour.
func badge(w claims.Word, called string) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `">` + html.EscapeString(called) + `</b>`)
}

// sign returns a verdict's sign, labelled with the word for screen readers.
func sign(w claims.Word) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `" role="img" aria-label="` + html.EscapeString(string(w)) + `"></b>`)
}

// class returns the colour class of a verdict, and none for no verdict.
func class(w claims.Word) string {
	if w == "" {
		return "none"
	}
	return verdictClasses[w]
}
