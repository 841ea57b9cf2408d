package figures

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// ErrNoData is wrapped by errors about a figure that cannot be drawn until the runs it needs have been made.
var ErrNoData = errors.New("nothing to draw")

// A Builder has what the model of a figure is made from.
type Builder struct {
	claims.Case
	Spec claims.Figure // of the experiment
	dir  string        // output folder, which holds surfaces and functions
	unit claims.Unit   // of y
}

// Build makes the model of a figure from the records and verdicts of its case. It reads the
// surfaces of heat maps and the functions of function figures below dir; one that is missing or damaged becomes a warning.
// It returns an error if nothing can be drawn.
func Build(dir string, j claims.Case, fig claims.Figure) (Figure, error) {
	f := Figure{ID: fig.ID}
	b := Builder{Case: j, Spec: fig, dir: dir, unit: claims.Unit{Factor: 1}}
	f.Title = cmp.Or(fig.Title, j.Title)
	if fig.Source != "" {
		f.Title += " (" + fig.Source + ")"
	}
	f.Title, f.Note = Typeset(f.Title), spelt(j.Reduced(b.drawn()))
	f.Caption.Add("%s", Typeset(fig.Caption))
	k := KindOf(fig.Kind)
	var err error
	if k.Build == nil {
		err = fmt.Errorf("unknown kind %q: want one of %s", fig.Kind, strings.Join(Kinds(), ", "))
	} else {
		err = k.Build(&b, &f)
	}
	if err != nil {
		return f, fmt.Errorf("figure %s of %s: %w", fig.ID, j.ID, err)
	}
	b.endCaption(&f.Caption)
	return f, nil
}

// XLabel returns the label of the horizontal axis: the spec's, or the one given.
func (b *Builder) XLabel(words string) string { return cmp.Or(Typeset(b.Spec.XLabel), words) }

// YLabel returns the label of the vertical axis or of the colour bar: the spec's, or the one given.
func (b *Builder) YLabel(words string) string { return cmp.Or(Typeset(b.Spec.YLabel), words) }

// Series returns what to draw.
func (b *Builder) Series() []claims.Series { return Series(b.Experiment, b.Spec) }

// Series returns what a figure draws: the series that it lists, or every method. A figure of learnt functions that lists none starts with the function that generated the data.
func Series(exp claims.Experiment, fig claims.Figure) []claims.Series {
	if len(fig.Series) > 0 {
		return fig.Series
	}
	var all []claims.Series
	if KindOf(fig.Kind).Learnt {
		all = append(all, claims.Series{Method: Truth})
	}
	for _, m := range exp.Methods {
		all = append(all, claims.Series{Method: m.ID})
	}
	return all
}

// Label returns a method's name in legends.
func (b *Builder) Label(method string) string {
	for _, m := range b.Experiment.Methods {
		if m.ID == method && m.Label != "" {
			return Typeset(m.Label)
		}
	}
	for _, s := range b.Spec.Series {
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
func (b *Builder) figureClaims() []claims.Claim {
	var out []claims.Claim
	for _, id := range b.Spec.Claims {
		for _, c := range b.Experiment.Claims {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	return out
}

// drawn returns the records of the methods that the figure draws.
func (b *Builder) drawn() []*records.Record {
	var recs []*records.Record
	for _, s := range b.Series() {
		for _, m := range append(slices.Clone(s.Members), s.Method) {
			recs = append(recs, records.Select(b.Records, m)...)
		}
	}
	return recs
}

// endCaption adds the verdicts on the figure's claims, how the runs differ from the paper's, and missing data.
func (b *Builder) endCaption(c *Caption) {
	var numbers []claims.Verdict
	for _, id := range b.Spec.Claims {
		switch v := b.On(id); {
		case v == nil:
		case v.Column != "" || v.Whole():
			numbers = append(numbers, *v)
		default:
			c.Add("%s", verdictSentence(b.Experiment, *v))
		}
	}
	c.Add("%s", columnsSentence(numbers))
	if s := b.Experiment.Departure(b.drawn()); s != "" {
		c.Add("These runs have %s", s)
	}
	if s := b.partialSentence(); s != "" {
		c.Add("%s", s)
	}
}

// partialSentence counts the missing data: planned cells without a record, and runs that were interrupted, timed out,
// failed or were skipped.
func (b *Builder) partialSentence() string {
	have := map[string]bool{}
	odd := map[records.Status]int{}
	for _, r := range b.Records {
		have[r.Header.Cell] = true
		switch s := r.Status(); s {
		case records.Partial, records.Timeout, records.Memory, records.Failed, records.Skipped:
			odd[s]++
		}
	}
	missing := 0
	for _, p := range b.Experiment.Expected {
		if !have[p.Cell] {
			missing++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without a record", missing, printed.Count(len(b.Experiment.Expected), "planned run")))
	}
	for _, s := range []records.Status{records.Partial, records.Timeout, records.Memory, records.Failed, records.Skipped} {
		if odd[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", odd[s], s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Data is incomplete: " + strings.Join(parts, ", ")
}

// A Kind is a sort of figure. One declaration says which keys of a spec it takes, what is wrong with them together, and how its
// model is made from records. The loader, the schema, the reference and the report ask it.
type Kind struct {
	Name string // in specs
	Doc  string // what such a figure shows, in a sentence without a full stop

	Needs []string // keys that a spec must give, beside those of every figure
	May   []string // keys that a spec may give

	// Learnt says that it shows functions as they were learnt, which runs write if evaluate.surface is set. Its series name
	// methods, or Truth, and no metrics.
	Learnt bool

	// Check notes what is wrong with the keys of a figure together. Nil if nothing can be.
	Check func(f *claims.Figure, keys Keys)

	// Build gives a figure that has its title, its note and its style either curves or heat maps, adds to its caption what they
	// show, and to its warnings what is left out. The error wraps ErrNoData if only runs are missing.
	Build func(b *Builder, f *Figure) error
}

// Keys are what a spec gives for a figure: a kind's Check looks there and notes what is wrong.
type Keys interface {
	claims.Keys
	Measured(key, metric, method string) // notes at the key unless runs of the method measure the metric
	Varied(key, setting, method string)  // notes at the key unless the grid of the method varies the setting
}

// commonKeys are the keys of figures of every kind.
var commonKeys = []string{"id", "kind", "title", "source", "caption", "claims", "y_range", "x_label", "y_label"}

// Takes reports whether figures of the kind may have a key.
func (k *Kind) Takes(key string) bool {
	return slices.Contains(commonKeys, key) || slices.Contains(k.Needs, key) || slices.Contains(k.May, key)
}

var kinds = claims.Registry[Kind, claims.Figure]{Package: "figures", Noun: "figure"}

// Register adds a kind of figure that specs may name. It panics if the kind has no name or no words, cannot be built, has the
// name of another, or lists a key that no figure has.
func Register(k Kind) *Kind {
	if k.Name == "" || k.Doc == "" || k.Build == nil {
		panic(fmt.Sprintf("figures: a kind needs Name, Doc and Build, got %q", k.Name))
	}
	kinds.Add(k.Name, &k, slices.Concat(k.Needs, k.May))
	return &k
}

// Kinds lists the names of the kinds of figure in alphabetical order.
func Kinds() []string { return kinds.Names() }

// KindOf returns the kind of that name; figures of no kind are curves. For a name that is not registered, it is a kind that takes
// no keys of its own and builds nothing.
func KindOf(name string) *Kind {
	if name == "" {
		name = curvesName
	}
	if k := kinds.Get(name); k != nil {
		return k
	}
	return &Kind{Name: name}
}

const curvesName = "curves"
