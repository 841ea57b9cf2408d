package figures

// Names of styles.
const (
	StylePaper  = "paper"
	StyleSlides = "slides"
	StyleDark   = "dark"
)

// StyleNames lists the styles besides the report's, whose name is empty.
var StyleNames = []string{StylePaper, StyleSlides, StyleDark}

// Places of legends.
const (
	LegendEnds   = "ends"
	LegendRight  = "right"
	LegendInside = "inside"
	LegendBelow  = "below"
	LegendNone   = "none"
)

// A Style says how a figure is drawn. A field that is zero has the value that the named style has.
type Style struct {
	Name          string  // paper, slides, dark, or empty for the report's
	Width, Height float64 // of the figure in cm; if Height is zero, the content chooses it, except on slides, which are 16:9
	Font          float64 // size of axis labels in points, by which other texts, lines and markers scale
	Legend        string  // ends, right, inside, below, none or empty for the first of these that fits
}

// Over returns s with the fields of t where s has none. A named style has a size and a font of its own, which those of t do
// not change.
func (s Style) Over(t Style) Style {
	named := s.Name != ""
	if !named {
		s.Name = t.Name
	}
	if !named && s.Width == 0 && s.Height == 0 {
		s.Width, s.Height = t.Width, t.Height
	}
	if !named && s.Font == 0 {
		s.Font = t.Font
	}
	if s.Legend == "" {
		s.Legend = t.Legend
	}
	return s
}

// Numbers of styles of curves: every colour comes with variantCount dashes and markers.
const (
	ColourCount  = 11
	variantCount = 6
	StyleCount   = variantCount * ColourCount
)

// TruthStyle is the style of the function that generated the data: a line in the colour of the text, without markers.
const TruthStyle = -1

// ColourOf returns the number of a style's colour.
func ColourOf(style int) int { return style % ColourCount }
