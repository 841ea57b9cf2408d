package figures

// Names of styles.
const (
	StylePaper  = "paper"
	StyleSlides = "slides"
	StyleDark   = "dark"
)

// StyleNames lists the styles besides the report's, whose name is empty.
var StyleNames = []string{StylePaper, StyleSlides, StyleDark}

// A Style says how a figure is drawn. A field that is zero has the value that the named style has.
type Style struct {
	Name  string  // paper, slides, dark, or empty for the report's
	Width float64 // of the figure in cm; the content chooses the height
	Font  float64 // size of axis labels in points, by which other texts, lines and markers scale
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
