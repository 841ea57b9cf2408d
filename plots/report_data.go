package plots

import "repro/plots/figures"

// Most rows of the tables of figures. The file of a figure's points has all of them.
const (
	mostDataRows = 200  // of a figure
	leastRows    = 20   // of a figure in a page with very many
	mostPageRows = 2400 // of all figures of a page, about, so that the page stays small
)

// addData adds the numbers of the figures: of each as many as the page has room for.
func (r *report) addData() {
	most := mostDataRows
	for ; most > leastRows; most-- {
		rows := 0
		for _, e := range r.Experiments {
			for _, f := range e.Figures {
				rows += min(most, f.points)
			}
		}
		if rows <= mostPageRows {
			break
		}
	}
	for _, e := range r.Experiments {
		for i := range e.Figures {
			if f := &e.Figures[i]; f.figure != nil {
				f.Data = figures.NumbersOf(f.figure, most)
			}
		}
	}
}
