package figures

import (
	"cmp"
	"errors"
	"fmt"

	"repro/plots/glyphs"
	"repro/results/claims"
	"repro/results/records"
)

// ErrNoData is wrapped by errors about a figure that cannot be drawn until the runs it needs have been made.
var ErrNoData = errors.New("nothing to draw")

// Kinds of claims.Figure.
const (
	kindCurves    = "curves"
	kindExponents = "exponents"
	kindHeatmap   = "heatmap"
	kindLines     = "functions"
	kindMap       = "map"
)

// A builder makes the figures of one experiment.
type builder struct {
	exp      claims.Experiment
	fig      claims.Figure
	recs     []*records.Record
	verdicts []claims.Verdict
	dir      string      // output folder, which holds surfaces and functions
	unit     claims.Unit // of y
}

// Build makes the model of a figure from the records and verdicts of its experiment; it ignores others. It reads the
// surfaces of heat maps and the functions of function figures below dir; one that is missing or damaged becomes a warning.
// It returns an error if nothing can be drawn.
func Build(dir string, exp claims.Experiment, fig claims.Figure, recs []*records.Record, verdicts []claims.Verdict) (Figure, error) {
	b := builder{exp: exp, fig: fig, dir: dir, recs: exp.Records(recs)}
	for _, v := range verdicts {
		if v.Experiment == exp.ID {
			b.verdicts = append(b.verdicts, v)
		}
	}
	width, height, err := fig.Centimetres()
	if err != nil {
		return Figure{ID: fig.ID}, fmt.Errorf("figure %s of %s: size: %w", fig.ID, exp.ID, err)
	}
	f := Figure{ID: fig.ID, Title: fig.Title, Style: Style{Name: fig.Style, Width: width, Height: height, Font: fig.FontSize, Legend: fig.Legend}}
	if f.Title == "" {
		f.Title = exp.Title
	}
	if fig.Source != "" {
		f.Title += " (" + fig.Source + ")"
	}
	f.Title, f.Note = Typeset(f.Title), glyphs.Spelt(b.exp.Reduced(b.drawn()))
	switch fig.Kind {
	case "", kindCurves:
		err = b.curves(&f)
	case kindExponents:
		err = b.exponents(&f)
	case kindHeatmap:
		err = b.heat(&f)
	case kindLines:
		err = b.functions(&f)
	case kindMap:
		err = b.gridMap(&f)
	default:
		err = fmt.Errorf("unknown kind %q: want %s, %s, %s, %s or %s", fig.Kind, kindCurves, kindExponents, kindHeatmap, kindLines, kindMap)
	}
	if err != nil {
		return f, fmt.Errorf("figure %s of %s: %w", fig.ID, exp.ID, err)
	}
	return f, nil
}

// xLabel returns the label of the horizontal axis: the spec's, or the one given.
func (b *builder) xLabel(words string) string { return cmp.Or(Typeset(b.fig.XLabel), words) }

// yLabel returns the label of the vertical axis or of the colour bar: the spec's, or the one given.
func (b *builder) yLabel(words string) string { return cmp.Or(Typeset(b.fig.YLabel), words) }

// series returns what to draw.
func (b *builder) series() []claims.Series { return Series(b.exp, b.fig) }

// Series returns what a figure draws: the series that it lists, or every method. A heat map or a function figure then starts
// with the function that generated the data.
func Series(exp claims.Experiment, fig claims.Figure) []claims.Series {
	if len(fig.Series) > 0 {
		return fig.Series
	}
	var all []claims.Series
	if fig.Kind == kindHeatmap || fig.Kind == kindLines {
		all = append(all, claims.Series{Method: Truth})
	}
	for _, m := range exp.Methods {
		all = append(all, claims.Series{Method: m.ID})
	}
	return all
}

// label returns a method's name in legends.
func (b *builder) label(method string) string {
	for _, m := range b.exp.Methods {
		if m.ID == method && m.Label != "" {
			return Typeset(m.Label)
		}
	}
	for _, s := range b.fig.Series {
		if s.Method == method && s.Members != nil && s.Label != "" {
			return Typeset(s.Label)
		}
	}
	if method == Truth {
		return "generating function"
	}
	return method
}

// figureClaims returns the claims that the figure names, in the figure's order.
func (b *builder) figureClaims() []claims.Claim {
	var out []claims.Claim
	for _, id := range b.fig.Claims {
		for _, c := range b.exp.Claims {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	return out
}
