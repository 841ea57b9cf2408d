package losses

import (
	"fmt"
	"maps"
	"slices"

	"repro/algos/params"
)

// Config is a loss in a spec: a name, or a table. Keys lists which of the keys a loss has.
type Config struct {
	Name    string  `toml:"name" want:"loss" doc:"name of the loss"`
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
