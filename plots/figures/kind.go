package figures

import (
	"fmt"
	"slices"

	"repro/results/claims"
)

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
	ClaimOf(id string) (c claims.Claim, known bool)
	Measured(key, metric, method string) // notes at the key unless runs of the method measure the metric
	Varied(key, setting, method string)  // notes at the key unless the grid of the method varies the setting
}

// commonKeys are the keys of figures of every kind.
var commonKeys = []string{"id", "kind", "title", "source", "caption", "claims", "y_range", "size", "font_size", "x_label", "y_label", "style"}

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
