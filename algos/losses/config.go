package losses

import (
	"fmt"
	"math"
)

// Config is a loss in a spec: a name, or a table. Keys lists which of the keys a loss has.
type Config struct {
	Name    string  `toml:"name" want:"loss" doc:"loss function"`
	Delta   float64 `toml:"delta" want:">= 0" doc:"δ of huber: from squares to absolute values at this distance, 1 if left out [dai2014 §4]"`
	Epsilon float64 `toml:"epsilon" want:">= 0" doc:"ε of epsilon-insensitive: distances up to this cost nothing"`
	Tau     float64 `toml:"tau" want:">= 0" doc:"τ of quantile: which quantile is learnt, between 0 and 1"`

	Params map[string]float64 `toml:"params" doc:"further parameters of a loss that a program registered, by name"`
}

// The parameters of the losses of this package.
var (
	delta   = Key{Name: "delta", Need: "> 0 and finite", OK: func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }, Optional: true}
	epsilon = Key{Name: "epsilon", Need: ">= 0 and finite", OK: func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }}
	tau     = Key{Name: "tau", Need: "between 0 and 1", OK: func(v float64) bool { return v > 0 && v < 1 }}
)

var families = map[string]Family{
	"absolute":      {"|u - y|: the conditional median", nil, func(Config) Loss { return Absolute{} }},
	"density-ratio": {"logarithm of the ratio of two densities, from a sample of each", nil, func(Config) Loss { return DensityRatio{} }},
	"epsilon-insensitive": {"max(0, |u - y| - ε): support vector regression", []Key{epsilon}, func(c Config) Loss {
		return EpsilonInsensitive{c.Epsilon}
	}},
	"hinge":         {"max(0, 1 - uy): support vector machine", nil, func(Config) Loss { return Hinge{} }},
	"huber":         {"squares up to the distance δ, absolute values beyond: robust regression", []Key{delta}, func(c Config) Loss { return Huber{c.Delta} }},
	"logistic":      {"log(1 + exp(-uy)): logistic regression", nil, func(Config) Loss { return Logistic{} }},
	"novelty":       {"max(0, τ - f) with a threshold τ that is learnt: novelty detection", nil, func(Config) Loss { return Novelty{} }},
	"quantile":      {"pinball loss: the conditional τ-quantile", []Key{tau}, func(c Config) Loss { return Quantile{c.Tau} }},
	"softmax":       {"multi-class logistic regression, one output a class", nil, func(Config) Loss { return Softmax{} }},
	"square":        {"(u - y)²/2: ridge regression", nil, func(Config) Loss { return Square{} }},
	"squared-hinge": {"max(0, 1 - uy)²/2: the l2-SVM", nil, func(Config) Loss { return SquaredHinge{} }},
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
	f, ok := families[c.Name]
	if !ok {
		return nil, fmt.Errorf("unknown loss %q", c.Name)
	}
	c = c.Resolved()
	if err := c.Check(c.given()); err != nil {
		return nil, fmt.Errorf("loss %s: %w", c.Name, err)
	}
	return f.Make(c), nil
}
