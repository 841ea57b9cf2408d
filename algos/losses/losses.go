// Package losses holds the loss functions l(u, y) of the experiments with their (sub)gradients in u.
package losses

import (
	"fmt"
	"maps"
	"slices"

	"repro/algos/params"
)

// A Loss is l(u, y) for a row of outputs u and a row of targets y of the same length, convex in u.
// Losses of independent outputs are summed over the row. All losses here are comparable values. A loss whose dual problem is known
// implements Dual too.
type Loss interface {
	// Name is the loss's name in specs.
	Name() string
	// Value returns l(u, y).
	Value(u, y []float64) float64
	// Gradient writes a subgradient of l in u at (u, y) to dst; dst may be u.
	Gradient(dst, u, y []float64)
	// Smoothness bounds the second derivative of l in u, the largest eigenvalue of the Hessian where
	// outputs are coupled; +Inf if l is not smooth.
	Smoothness() float64
	// Task says what targets the loss takes.
	Task() string
}

// What the targets of a loss are: the words of [data] task in specs.
const (
	Regression = "regression" // real numbers
	Binary     = "binary"     // 1 or -1
	Multiclass = "multiclass" // a row per example with 1 for its class and 0 elsewhere
	None       = "none"       // not used by the loss
)

// independent sums a loss of one output over a row.
func independent(u, y []float64, l func(u, y float64) float64) (s float64) {
	for i, v := range u {
		s += l(v, y[i])
	}
	return s
}

// A Family is the losses of one name, which differ in their parameters: Doc is a line for lists, Keys are the parameters
// that a spec gives beside name, and Make returns the loss of a Config. Make is called with values that have been
// checked, and with the zero Config to learn the loss's task.
type Family = params.Family[func(c Config) Loss]

// A Key is a parameter of a family. Its name is a key of Config, or any other: the value of that one is in the table
// params of the spec, and in Config.Params.
type Key = params.Key

// Positive is the key of a positive, finite number.
func Positive(name string) Key { return params.Positive(name) }

// Register adds the losses of a name, before any spec is loaded: in an init function, for example. It panics if the
// name is taken. Losses must be comparable values.
func Register(name string, f Family) { registry.Register(name, f) }

// Names lists the losses in alphabetical order.
func Names() []string { return registry.Names() }

// Doc returns the line that lists print for the named loss, "" if there is not one of that name.
func Doc(name string) string { return registry.Families[name].Doc }

// Keys lists the keys of the named loss in a spec, "name" first.
func Keys(name string) []string { return registry.Keys(name) }

// OwnKeys lists the keys that c has.
func (c Config) OwnKeys() []string { return Keys(c.Name) }

// ValidParams returns values for the named loss's table params, for tests that go through all losses; nil if it has no such table.
func ValidParams(name string) map[string]float64 {
	if values := registry.Table(name); len(values) > 0 {
		return values
	}
	return nil
}

// Task returns what targets the named loss takes; it does not depend on the parameters. It is "" if there is no such loss.
func Task(name string) string {
	f, ok := registry.Families[name]
	if !ok {
		return ""
	}
	return f.Make(Config{}).Task()
}

// Check returns a *params.Error if one of the keys given is not the loss's, if one that it needs is not given, or if the
// value of one is wrong. The loss is one of Names.
func (c Config) Check(given []string) error { return registry.Check(c.params(), given) }

func (c Config) params() params.Config {
	return params.Config{Name: c.Name, Table: c.Params, Own: map[string]float64{"delta": c.Delta, "epsilon": c.Epsilon, "tau": c.Tau}}
}

// Config is a loss in a spec: a name, or a table. Keys lists which of the keys a loss has.
type Config struct {
	Name    string  `toml:"name" want:"loss" must:"yes" short:"yes" doc:"name of the loss"`
	Delta   float64 `toml:"delta" want:">= 0" doc:"δ > 0 of huber: the error |u - y| from which the loss is linear, 1 if left out [dai2014 §4]"`
	Epsilon float64 `toml:"epsilon" want:">= 0" doc:"ε of epsilon-insensitive: errors |u - y| up to ε cost nothing"`
	Tau     float64 `toml:"tau" want:">= 0" doc:"τ of quantile: the quantile to learn, between 0 and 1"`

	Params map[string]float64 `toml:"params" doc:"parameters of a loss that a program registered, by name"`
}

// The parameters of the losses of this package.
var (
	delta   = Positive("delta").Or0()
	epsilon = params.NonNegative("epsilon")
	tau     = Key{Name: "tau", Need: "between 0 and 1", OK: func(v float64) bool { return v > 0 && v < 1 }}
)

// registry holds the losses of this package and those of Register.
var registry = params.Registry[func(c Config) Loss]{
	Package: "losses", Noun: "loss", Own: slices.Collect(maps.Keys(Config{}.params().Own)), Families: families,
}

var families = map[string]Family{
	"absolute":      {Doc: "|u - y|: learns the conditional median [dai2014 §4, remark]", Make: func(Config) Loss { return Absolute{} }},
	"density-ratio": {Doc: "-2u if y = 1, 2 exp(u) if y = -1: learns the log ratio of two densities [dai2014 eq. (8)]", Make: func(Config) Loss { return DensityRatio{} }},
	"epsilon-insensitive": {Doc: "max(0, |u - y| - ε): support vector regression [dai2014 §4]", Keys: []Key{epsilon}, Make: func(c Config) Loss {
		return EpsilonInsensitive{c.Epsilon}
	}},
	"hinge":         {Doc: "max(0, 1 - uy): support vector machine [dai2014 §4]", Make: func(Config) Loss { return Hinge{} }},
	"huber":         {Doc: "(u - y)²/2 if |u - y| ≤ δ, δ(|u - y| - δ/2) otherwise: robust regression [dai2014 §4]", Keys: []Key{delta}, Make: func(c Config) Loss { return Huber{c.Delta} }},
	"logistic":      {Doc: "log(1 + exp(-uy)): logistic regression [dai2014 §4]", Make: func(Config) Loss { return Logistic{} }},
	"novelty":       {Doc: "max(0, τ - f), the threshold τ being learnt: novelty detection [dai2014 §4]", Make: func(Config) Loss { return Novelty{} }},
	"quantile":      {Doc: "max(τ(y - u), (1-τ)(u - y)), the pinball loss: learns the conditional τ-quantile [dai2014 §4]", Keys: []Key{tau}, Make: func(c Config) Loss { return Quantile{c.Tau} }},
	"softmax":       {Doc: "log Σ_c exp(u_c) - Σ_c y_c u_c: multi-class logistic regression [dai2014 §4]", Make: func(Config) Loss { return Softmax{} }},
	"square":        {Doc: "(u - y)²/2: kernel ridge regression [dai2014 §4]", Make: func(Config) Loss { return Square{} }},
	"squared-hinge": {Doc: "max(0, 1 - uy)²/2: support vector machine with squared hinge loss [dai2014 §4, remark]", Make: func(Config) Loss { return SquaredHinge{} }},
}

// Resolved returns c with δ = 1, Huber's in dai2014 §4, where the loss has one and c does not say.
func (c Config) Resolved() Config {
	if c.Name == "huber" && c.Delta == 0 {
		c.Delta = 1
	}
	return c
}

// New returns the loss of a configuration.
func New(c Config) (Loss, error) {
	f, ok := registry.Families[c.Name]
	if !ok {
		return nil, fmt.Errorf("unknown loss %q", c.Name)
	}
	c = c.Resolved()
	if err := registry.CheckSet(c.params()); err != nil {
		return nil, fmt.Errorf("loss %s: %w", c.Name, err)
	}
	return f.Make(c), nil
}
