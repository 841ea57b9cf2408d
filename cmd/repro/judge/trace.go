package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/tracing"
)

// A traceRequest is what the arguments and flags of trace say.
type traceRequest struct {
	request
	page, panel           int
	side, x, y, frame     string
	without, curves, pair []string
	figure, runs, metric  string
	is                    string // what the figure shows
}

func newTrace(t *terminal.Terminal) *cobra.Command {
	var r traceRequest
	cmd := &cobra.Command{
		Use:   "trace FIGURE",
		Short: "Read the curves of a published figure: a page of a PDF, an SVG or a PNG",
		Long: `Trace reads curves out of a figure, so that claims of kind curve can compare ours with them.

Of a PDF or an SVG it reads the paths: axes by their tick labels, curves at full precision, names by the legend. Where
it is not sure of an axis, it says what to give. Places are in points from the upper left corner of the page.

Of a PNG it reads the pixels: give two ticks of each axis with their pixels, and the colours of the curves if other
colours are in the way. Places are in pixels from the upper left corner, as most viewers of
pictures show them.

It prints the axes and curves that it found. --write STEM writes STEM.csv with the points and their errors of reading,
STEM.svg with what was read over the figure, which you should look at, and STEM.toml with tables [[published_curve]]
to paste into a spec.

--judge RUNS.csv makes a spec of your runs, with a claim for each method that a curve is named like, and judges it. It
takes the figure to show one run; say --published-is 'mean of 10', or 'median of 10', where it shows that.`,
		Example: `  repro trace paper.pdf --page 5
  repro trace paper.pdf --page 5 --panel 2 --write fig4b
  repro trace fig.png --x 27=0,1143=50 --y 430=0,30=60 --curve 'FOGD=#1f77b4' --write fig2
  repro trace fig.png --x log,56=1,1014=1e4 --y log,322=0.1,39=0.4 --without 944,20,1163,205
  repro trace paper.pdf --page 5 --judge runs.csv --pair 'sgd=SGD (ours)' --write mine`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return trace(cmd.Context(), t, args[0], r) },
	}
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	r.Library = flags.Library(t)
	f := cmd.Flags()
	f.IntVar(&r.page, "page", 0, "page of the PDF, from 1 on")
	f.IntVar(&r.panel, "panel", 0, "panel of the figure, from 1 on, row by row")
	f.StringVar(&r.side, "side", "", "of two vertical axes left or right, of two horizontal ones lower or upper; both with a comma")
	f.StringVar(&r.x, "x", "", "horizontal axis: PLACE=VALUE,PLACE=VALUE, with log before them for a logarithmic one")
	f.StringVar(&r.y, "y", "", "vertical axis")
	f.StringVar(&r.frame, "frame", "", "inside of the axes: LEFT,TOP,RIGHT,BOTTOM")
	f.StringArrayVar(&r.without, "without", nil, "part of a picture to leave out, such as its legend: LEFT,TOP,RIGHT,BOTTOM; may be repeated")
	f.StringArrayVar(&r.curves, "curve", nil, "NAME=#rrggbb: a curve of a picture by its colour; may be repeated")
	f.StringVar(&r.figure, "figure", "", "what the paper calls the figure, such as 'Fig. 4(2)'")
	f.StringVar(&r.write, "write", "", "write STEM.csv, STEM.svg and STEM.toml, which must not exist")
	f.StringVar(&r.runs, "judge", "", "judge the curves of this file, as of repro judge, against those of the figure; needs --write")
	f.StringVar(&r.metric, "metric", "", "with --judge: column of the runs that the figure shows, if there are several")
	f.StringVar(&r.is, "published-is", "run", "with --judge: what the figure shows: run, 'mean of K' or 'median of K'")
	f.StringArrayVar(&r.pair, "pair", nil, "with --judge: METHOD=CURVE, if their names differ; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("json", "judge")
	return cmd
}

func trace(ctx context.Context, t *terminal.Terminal, file string, r traceRequest) error {
	if r.runs != "" && r.write == "" {
		return errors.New("--judge makes a spec; name it with --write STEM")
	}
	if _, ok := claims.RunsOf(r.is); !ok {
		return fmt.Errorf("--published-is: want run, 'mean of K' or 'median of K' with the number of runs for K, got %s", printed.Quote(r.is))
	}
	found, err := r.read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := t.Show(r.json, found, func() { printTrace(t, found) }); err != nil {
		return err
	}
	if r.figure == "" {
		r.figure = filepath.Base(file)
	}
	how := fmt.Sprintf("%s, x axis %v, y axis %v", printed.Command("trace "+filepath.Base(file)), found.X, found.Y)
	if r.write == "" {
		t.Note("--write STEM writes the points, a picture of what was read, and tables for a spec")
		return nil
	}
	spec, claimed := found.TOML(r.figure, r.page, how), 0
	if r.runs != "" {
		if spec, claimed, err = r.spec(*found, how); err != nil {
			return err
		}
	}
	for _, out := range []struct{ end, text string }{{".csv", found.CSV()}, {".svg", found.Overlay()}, {".toml", spec}} {
		if err := files.New(r.write+out.end, []byte(out.text), 0o666); err != nil {
			return err
		}
	}
	t.Note("wrote %s.csv, %s.svg and %s.toml; look at the picture before you use the points", r.write, r.write, r.write)
	if r.runs == "" {
		return nil
	}
	t.Note("%s claimed in %s.toml", printed.Count(claimed, "curve"), r.write)
	r.Args = []string{r.write + ".toml"}
	r.verbose = true
	s, err := r.curvesSpec(t, []string{r.runs})
	if err != nil {
		return err
	}
	return judgeCurves(ctx, t, s, []string{r.runs}, r.request)
}

// read reads the figure.
func (r traceRequest) read(file string) (*tracing.Trace, error) {
	text, err := files.ReadRegular(file, tracing.MostBytes)
	if err != nil {
		return nil, err
	}
	p := tracing.Pixels{}
	for axis, to := range map[string]*tracing.Axis{r.x: &p.X, r.y: &p.Y} {
		if axis == "" {
			continue
		}
		if *to, err = tracing.ParseAxis(axis); err != nil {
			return nil, fmt.Errorf("--x and --y: %w", err)
		}
	}
	if r.frame != "" {
		if p.Frame, err = boxOf("--frame", r.frame); err != nil {
			return nil, err
		}
	}
	for _, text := range r.without {
		b, err := boxOf("--without", text)
		if err != nil {
			return nil, err
		}
		p.Without = append(p.Without, b)
	}
	for _, text := range r.curves {
		c, err := tracing.ParseColour(text)
		if err != nil {
			return nil, fmt.Errorf("--curve: %w", err)
		}
		p.Colours = append(p.Colours, c)
	}
	paths := tracing.Paths{X: p.X, Y: p.Y, Frame: p.Frame, Panel: r.panel, Side: r.side}
	for _, side := range strings.Split(r.side, ",") {
		if r.side != "" && !slices.Contains([]string{"left", "right", "lower", "upper"}, side) {
			return nil, fmt.Errorf("--side: want left or right, lower or upper, or two of them as in right,upper, got %s", printed.Quote(r.side))
		}
	}
	switch begin := bytes.TrimSpace(text[:min(len(text), 512)]); {
	case bytes.HasPrefix(begin, []byte("%PDF-")):
		return tracing.ReadPDF(text, r.page, paths)
	case bytes.HasPrefix(begin, []byte("\x89PNG")):
		return tracing.ReadPNG(text, p)
	case bytes.HasPrefix(begin, []byte("%!PS")):
		return nil, errors.New("is PostScript; make a PDF of it: ps2pdf -dEPSCrop FIGURE.eps FIGURE.pdf")
	case bytes.Contains(begin, []byte("<svg")), bytes.HasPrefix(begin, []byte("<?xml")), bytes.HasPrefix(begin, []byte("<!")):
		return tracing.ReadSVG(text, paths)
	}
	return nil, errors.New("is no PDF, SVG or PNG; save the figure as one of them")
}

// boxOf reads a part of a figure.
func boxOf(flag, text string) (b tracing.Box, err error) {
	parts := strings.Split(text, ",")
	var v [4]float64
	for i := range min(len(parts), 4) {
		var wrong error
		v[i], wrong = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		err = errors.Join(err, wrong)
	}
	if b = (tracing.Box{Left: v[0], Top: v[1], Right: v[2], Bottom: v[3]}); err != nil || len(parts) != 4 || !(b.Left < b.Right && b.Top < b.Bottom) {
		return b, fmt.Errorf("%s: want LEFT,TOP,RIGHT,BOTTOM with rising numbers, got %s", flag, printed.Quote(text))
	}
	return b, nil
}

// printTrace prints the axes and the curves that were found.
func printTrace(t *terminal.Terminal, found *tracing.Trace) {
	t.Stdout.Message("x axis: --x %v", found.X)
	t.Stdout.Message("y axis: --y %v", found.Y)
	g := terminal.Table{Head: []string{"curve", "colour", "points", "x from", "to", "first y", "last", "error of y"}, Right: []int{3, 4, 5, 6, 7, 8}}
	for _, c := range found.Curves {
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		worst := 0.0
		for _, p := range c.Points {
			worst = max(worst, p[3])
		}
		g.Rows = append(g.Rows, []string{printed.Visible(c.Name), strings.TrimSpace(c.Colour + " " + c.Dashes), fmt.Sprint(len(c.Points)), printed.Number(first[0]), printed.Number(last[0]),
			printed.Digits(first[1], 4), printed.Digits(last[1], 4), printed.Digits(worst, 2)})
	}
	t.Stdout.Table(g)
	t.Notes(found.Warnings)
}

// A drawn method is an id of a method, and the name of its curve in the figure.
type drawn struct{ method, curve string }

// paired returns the methods that have a curve in the figure, and these curves.
func (r traceRequest) paired(found *tracing.Trace, p *experiments.Proposal) (both []drawn, chosen []tracing.Curve, err error) {
	pairs := map[string]string{}
	for _, pair := range r.pair {
		method, curve, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, nil, fmt.Errorf("--pair: want METHOD=CURVE, got %s", printed.Quote(pair))
		}
		pairs[method] = curve
	}
	names := printed.Each(found.Curves, func(c tracing.Curve) string { return c.Name })
	methods, methodIDs := p.MethodIDs()
	for method := range pairs {
		if !slices.Contains(methods, method) {
			return nil, nil, fmt.Errorf("--pair: %s has no method %s; %s", r.runs, printed.Quote(method), printed.Suggest(method, methods))
		}
	}
	for k, method := range methods {
		id := methodIDs[k]
		want, given := pairs[method]
		i := slices.IndexFunc(found.Curves, func(c tracing.Curve) bool {
			return given && c.Name == want || !given && strings.EqualFold(c.Name, method)
		})
		if given && i < 0 {
			return nil, nil, fmt.Errorf("--pair: the figure has no curve %s; %s", printed.Quote(want), printed.Suggest(want, names))
		}
		if i < 0 {
			continue
		}
		if !slices.ContainsFunc(chosen, func(c tracing.Curve) bool { return c.Name == found.Curves[i].Name }) {
			chosen = append(chosen, found.Curves[i])
		}
		both = append(both, drawn{id, found.Curves[i].Name})
	}
	if len(both) == 0 {
		return nil, nil, fmt.Errorf("--judge: no method of %s is named like a curve of the figure; pair them with --pair METHOD=CURVE; %s", r.runs, printed.Suggest("", names))
	}
	return both, chosen, nil
}

// spec returns the spec that judges runs against the curves of the figure, and how many of these it claims.
func (r traceRequest) spec(found tracing.Trace, how string) (text string, claimed int, err error) {
	p, err := experiments.Propose([]string{r.runs}, filepath.Dir(r.write))
	if err != nil {
		return "", 0, err
	}
	metric := r.metric
	switch {
	case metric == "" && len(p.Table.Metrics) > 1:
		return "", 0, fmt.Errorf("--judge: %s has several columns of numbers; name that of the figure with --metric", r.runs)
	case metric == "":
		metric = p.Table.Metrics[0].Name
	}
	both, chosen, err := r.paired(&found, p)
	if err != nil {
		return "", 0, err
	}
	says := "assumed to show one run"
	if r.is != "run" {
		says = "said when the figure was traced"
	}
	var b strings.Builder
	var ids []string
	found.Curves = chosen
	curves := found.IDs()
	for _, d := range both {
		ids = append(ids, printed.TOML("curve-"+d.method))
		i := slices.IndexFunc(chosen, func(c tracing.Curve) bool { return c.Name == d.curve })
		fmt.Fprintf(&b, "\n[[claim]]\nid = \"curve-%s\"\nkind = \"curve\"\nstatement = \"%s has the published curve\"\nsource = %s\ndrawn = \"the curve\"\nmethod = %q\nmetric = %s\nx = %q\ncurve = %q\npublished_is = %q\npublished_says = %q\n",
			d.method, d.method, printed.TOML(r.figure), d.method, printed.TOML(metric), p.X, curves[i], r.is, says)
	}
	slices.Sort(ids)
	fmt.Fprintf(&b, "\n[[figure]]\nid = \"published\"\nsource = %s\nx = %q\ny = %s\nscale = %q\nclaims = [%s]\n", printed.TOML(r.figure), p.X, printed.TOML(metric), scaleOf(&found), strings.Join(ids, ", "))
	return p.Text + "\n" + found.TOML(r.figure, r.page, how) + b.String(), len(ids), nil
}

// scaleOf returns the scale of the figure's axes, as a figure of a spec has it.
func scaleOf(t *tracing.Trace) string {
	switch {
	case t.X.Log && t.Y.Log:
		return "loglog"
	case t.X.Log:
		return "semilogx"
	case t.Y.Log:
		return "semilogy"
	}
	return "linear"
}
