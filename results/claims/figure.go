package claims

// A Figure says which curves to draw.
type Figure struct {
	ID      string `toml:"id" json:"id" doc:"name of the figure and of its files"`
	Kind    string `toml:"kind" json:"kind" doc:"curves (the default); exponents: the measured slopes of the rates among claims against their printed or derived numbers; heatmap or functions: what was learnt, of two inputs or of one; map: y as a colour over the two keys across and by of a grid, at the end of its runs"`
	Title   string `toml:"title" json:"title" doc:"title above the figure"`
	Source  string `toml:"source" json:"source" doc:"the paper's figure it reproduces"`
	Caption string `toml:"caption" json:"caption" doc:"what to look at, in a sentence; axes, seeds, bands and verdicts are added"`

	X      string     `toml:"x" json:"x" doc:"abscissa, as in a claim's x"`
	Across string     `toml:"across" json:"across,omitempty" doc:"instead of x: the key of the grids of the series' methods, such as data.inputs; a curve then has one point for each combination of a grid, at the end of its runs"`
	By     string     `toml:"by" json:"by,omitempty" doc:"map: the key of the grid on the vertical axis, such as step.gamma0; across is on the horizontal one"`
	Limit  string     `toml:"limit" json:"limit,omitempty" doc:"map: metric to draw as a line over the colours, a value of the key by, such as step-limit"`
	Y      string     `toml:"y" json:"y" doc:"metric on the vertical axis"`
	Scale  string     `toml:"scale" json:"scale" doc:"loglog (the default), semilogx, semilogy or linear"`
	Series []Series   `toml:"series" json:"series,omitempty" doc:"curves to draw; every method if left out"`
	Guides []Guide    `toml:"guides" json:"guides,omitempty" doc:"lines of a given slope, on logarithmic axes"`
	Claims []string   `toml:"claims" json:"claims,omitempty" doc:"claims whose published values the figure marks and whose verdicts the caption gives"`
	YRange [2]float64 `toml:"y_range" json:"y_range,omitzero" doc:"smallest and largest y shown, or the ends of the colour scale of a heat map or a map; from the data if left out"`
}

// A Series is one curve, or one panel of a heat map.
type Series struct {
	Method string `toml:"method" json:"method" doc:"id of a method; truth for the function that generated the data, in a heatmap or functions figure"`
	Metric string `toml:"metric" json:"metric,omitempty" doc:"metric, the figure's y if left out"`
	Label  string `toml:"label" json:"label,omitempty" doc:"name in the legend, the method's if left out"`

	Level bool `toml:"level" json:"level,omitempty" doc:"draw the value at the end of the run as a horizontal line across the figure, for a method whose curve is a single point"`

	Statistic string   `toml:"statistic" json:"statistic,omitempty" doc:"statistic over seeds to draw without a band, instead of the median: mean, or a quantile such as q90"`
	Members   []string `toml:"-" json:"members,omitempty"` // methods of the grid that Method names, if the figure has Across
}

// A Guide is a line of a known slope.
type Guide struct {
	Slope float64 `toml:"slope" json:"slope" doc:"slope on logarithmic axes"`
	Label string  `toml:"label" json:"label" doc:"name in the legend"`
}
