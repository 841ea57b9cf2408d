package claims

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"repro/results/records"
	"repro/results/stats"
)

// A Kind is a sort of claim. One declaration says which keys of a spec it takes, how its number is measured and judged, and how
// verdicts, figures, the report and the gate speak of it.
type Kind struct {
	Name string // in specs and verdicts
	Doc  string // what such a claim says, in a sentence

	Number bool     // it has a published or derived number
	Needs  []string // keys that a spec must give, beside those of every claim
	May    []string // keys that a spec may give

	// Check notes what is wrong with the keys of a claim together. Nil if nothing can be.
	Check func(c *Claim, keys Keys)

	// Sided says why smaller or larger values of the metric must be better. It is nil or empty if neither need be.
	Sided func(c *Claim) string

	// Line returns the form of the line that the claim fits to its curve, which then needs stats.RatePoints points in the window;
	// nil if it fits none.
	Line func(c *Claim) *stats.Form

	// Split returns the claims of other kinds that loading makes of a claim, which cannot be across a grid. Nil leaves it as it is.
	Split func(c Claim) []Claim

	// Measure returns the numbers of a claim from the complete records of its methods: one for each rival, or one, with a value
	// and a seed for each record or pair. Claim.Read reads a metric in the claim's unit. Numbers measured before an error are
	// returned with it.
	Measure func(c Claim, recs []*records.Record) ([]Measurement, error)

	Quantity Quantity // what the number measures

	// Differs reports whether numbers with this accepted region are differences instead. Nil if they never are.
	Differs func(accept [2]*float64) bool

	// Accept returns the numbers of a quantity that the claim accepts. If nil, these are the published or derived number with
	// its tolerance.
	Accept func(c Claim, of Quantity) (Region, error)

	Strict bool // the accepted numbers lie below a bound, and the bound itself is not accepted

	// Margin is the largest change of the number between two versions of the program that the gate accepts, as a share of it
	// where changes are ratios. It is 0 if it follows from the number itself. If nil, it is half of the tolerance.
	Margin func(c Claim) float64

	Called string // what the number is called: slope, factor, place, or value if empty

	// Holds and Deviates say in a sentence what was found for a claim that holds and for one that does not. In them stand
	// {method}, {rivals}, {metric}, {quantity}, {number}, and {paper} for the paper's number in brackets. If Deviates is empty,
	// it is Holds with ", which deviates" after it.
	Holds, Deviates string
}

// Keys are what a spec gives for a claim: a kind's Check looks there and notes what is wrong.
type Keys interface {
	Has(key string) bool
	Place(key string) string               // the key, with its line, for a message
	Wrong(key, format string, args ...any) // at the key or, if the claim does not have it, at the claim
}

// Keys of claims of every kind.
var (
	commonKeys = []string{
		"id", "kind", "statement", "source", "words", "drawn", "ours", "method", "metric", "holds", "min_rows", "min_steps", "exact",
		"description", "same_as", "fitted", "counts_as", "counts_why", "deviates_because",
	}
	numberKeys = []string{"published", "published_is", "published_says", "derived", "derivation", "visible", "visible_why"} // of a claim with a number
)

// Takes reports whether claims of the kind may have a key.
func (k *Kind) Takes(key string) bool {
	return slices.Contains(commonKeys, key) || k.Number && slices.Contains(numberKeys, key) ||
		slices.Contains(k.Needs, key) || slices.Contains(k.May, key)
}

// needless notes a key that has no effect without another.
func needless(keys Keys, without, key string) {
	if keys.Has(key) {
		keys.Wrong(key, "has no effect without %s; give that too, or remove it", without)
	}
}

var kinds = Registry[Kind, Claim]{Package: "claims", Noun: "claim"}

// Register adds a kind of claim that specs may name. It panics if the kind has no name, no words or the name of another, or
// if it lists a key that no claim has.
func Register(k Kind) *Kind {
	keys := slices.Concat(k.Needs, k.May)
	switch {
	case k.Name == "" || k.Doc == "" || k.Holds == "" && k.Split == nil:
		panic(fmt.Sprintf("claims: a kind needs Name, Doc and Holds, got %q", k.Name))
	case k.Measure == nil && k.Split == nil:
		panic(fmt.Sprintf("claims: kind %q cannot be measured", k.Name))
	case k.Split != nil && slices.Contains(keys, "across"):
		panic(fmt.Sprintf("claims: kind %q splits its claims, and claims across a grid are not split", k.Name))
	}
	kinds.Add(k.Name, &k, keys)
	return &k
}

// Kinds lists the names of the kinds of claim in alphabetical order.
func Kinds() []string { return kinds.Names() }

// KindOf returns the kind of that name. For a name that is not registered, such as one in the verdicts of another program, it
// is a kind that takes no keys and measures nothing.
func KindOf(name string) *Kind {
	if k := kinds.Get(name); k != nil {
		return k
	}
	return &Kind{Name: name, Holds: "{metric} of {method} is {number}{paper}"}
}

// Quantity returns what the claim's number measures. A comparison with rivals that is not relative compares by a difference or,
// of an order, by a ratio where the values allow it.
func (c Claim) Quantity() Quantity {
	k := KindOf(c.Kind)
	if k.Differs != nil && !c.Relative {
		return Difference
	}
	return k.Quantity
}

// Accepts returns the numbers of a quantity that the claim accepts.
func (c Claim) Accepts(of Quantity) (Region, error) {
	if accept := KindOf(c.Kind).Accept; accept != nil {
		return accept(c, of)
	}
	return accepted(c)
}

// single makes the Measure of a kind without rivals.
func single(measure func(Claim, []*records.Record) (Measurement, error)) func(Claim, []*records.Record) ([]Measurement, error) {
	return func(c Claim, recs []*records.Record) ([]Measurement, error) {
		m, err := measure(c, recs)
		return []Measurement{m}, err
	}
}

// A Registry holds the kinds of tables of specs that become a T, by name. Several goroutines may use it at a time.
type Registry[Kind, T any] struct {
	Package string // "claims"
	Noun    string // "claim"

	lock  sync.RWMutex
	kinds map[string]*Kind
}

// Add adds a kind that lists keys. It panics if the name is taken, or if tables that become a T cannot have one of the keys.
func (r *Registry[Kind, T]) Add(name string, k *Kind, keys []string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.kinds[name] != nil {
		panic(fmt.Sprintf("%s: kind %q is registered twice", r.Package, name))
	}
	for _, key := range keys {
		if !isKey[T](key) {
			panic(fmt.Sprintf("%s: kind %q lists the key %q, which no %s has", r.Package, name, key, r.Noun))
		}
	}
	if r.kinds == nil {
		r.kinds = map[string]*Kind{}
	}
	r.kinds[name] = k
}

// Names lists the kinds in alphabetical order.
func (r *Registry[Kind, T]) Names() []string {
	r.lock.RLock()
	defer r.lock.RUnlock()
	return slices.Sorted(maps.Keys(r.kinds))
}

// Get returns the kind of that name, nil if there is none.
func (r *Registry[Kind, T]) Get(name string) *Kind {
	r.lock.RLock()
	defer r.lock.RUnlock()
	return r.kinds[name]
}

// isKey reports whether tables of specs that become a T may have the key.
func isKey[T any](key string) bool {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("toml") == key {
			return true
		}
	}
	return false
}
