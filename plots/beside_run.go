package plots

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"repro/plots/figures"
	"repro/results/printed"
)

// longestName is the largest number of characters of a folder's name in the legend of a figure.
const longestName = 20

// nameOf returns the name that another run has in figures: its folder, shortened.
func nameOf(dir string) string {
	name := filepath.ToSlash(filepath.Clean(dir))
	if utf8.RuneCountInString(name) > longestName {
		name = "…/" + path.Base(name)
	}
	beyondLatin := func(r rune) bool { return r > 0x17F && r != '…' } // the font of figures may lack it
	if strings.ContainsFunc(name, beyondLatin) || utf8.RuneCountInString(name) > 2*longestName {
		return "the other run"
	}
	return printed.Visible(name)
}

// beside adds to a figure what another run has for it.
func (w *writer) beside(f *figures.Figure, experiment string) {
	if w.how.Beside == nil {
		return
	}
	other := w.how.Beside
	name := cmp.Or(w.how.BesideName, nameOf(other.Store.Dir))
	exp, recs, _ := other.of(experiment)
	for _, fig := range exp.Figures {
		if fig.ID != f.ID {
			continue
		}
		g, err := figures.Build(other.Store.Dir, exp, fig, recs, other.Verdicts)
		if err != nil {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", name, err))
			return
		}
		for _, text := range g.Warnings {
			f.Warnings = figures.AppendNew(f.Warnings, name+": "+text)
		}
		f.Beside(g, name)
	}
}
