package losses

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Config is a loss in a spec: its name alone, or a table. Keys lists which of its keys a loss has.
type Config struct {
	Name    string  `toml:"name" want:"loss" doc:"loss function"`
	Delta   float64 `toml:"delta" want:">= 0" doc:"δ of huber: from squares to absolute values at this distance, 1 if left out [dai2014 §4]"`
	Epsilon float64 `toml:"epsilon" want:">= 0" doc:"ε of epsilon-insensitive: distances up to this cost nothing"`
	Tau     float64 `toml:"tau" want:">= 0" doc:"τ of quantile: which quantile is learnt, between 0 and 1"`
}

// A family is the losses of one name.
type family struct {
	keys []string // beside name
	make func(c Config) Loss
}

var families = map[string]family{
	"absolute":      {nil, func(Config) Loss { return Absolute{} }},
	"density-ratio": {nil, func(Config) Loss { return DensityRatio{} }},
	"epsilon-insensitive": {[]string{"epsilon"}, func(c Config) Loss {
		return EpsilonInsensitive{c.Epsilon}
	}},
	"hinge":         {nil, func(Config) Loss { return Hinge{} }},
	"huber":         {[]string{"delta"}, func(c Config) Loss { return Huber{c.Delta} }},
	"logistic":      {nil, func(Config) Loss { return Logistic{} }},
	"novelty":       {nil, func(Config) Loss { return Novelty{} }},
	"quantile":      {[]string{"tau"}, func(c Config) Loss { return Quantile{c.Tau} }},
	"softmax":       {nil, func(Config) Loss { return Softmax{} }},
	"square":        {nil, func(Config) Loss { return Square{} }},
	"squared-hinge": {nil, func(Config) Loss { return SquaredHinge{} }},
}

// Names lists the losses in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Keys lists the keys of the named loss in a spec, "name" first.
func Keys(name string) []string { return append([]string{"name"}, families[name].keys...) }

// Task returns what targets the named loss takes, whatever its parameters; empty if there is no such loss.
func Task(name string) string {
	f, ok := families[name]
	if !ok {
		return ""
	}
	return f.make(Config{}).Task()
}

// A KeyError says what is wrong with a key of a Config.
type KeyError struct{ Key, Text string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Text }

// Check returns a *KeyError if one of the keys given is not the loss's, if one that it needs is not
// given, or if the value of one is wrong. The loss is one of Names.
func (c Config) Check(given []string) error {
	for _, key := range given {
		if !slices.Contains(Keys(c.Name), key) {
			return &KeyError{key, fmt.Sprintf("is a key of %s, not of %s; remove it", strings.Join(takers(key), " and "), c.Name)}
		}
	}
	for _, key := range families[c.Name].keys {
		has := slices.Contains(given, key)
		switch need, got, ok := c.need(key); {
		case !has && key == "delta":
		case !has:
			return &KeyError{key, fmt.Sprintf("missing; loss %s needs a number %s", c.Name, need)}
		case !ok:
			return &KeyError{key, fmt.Sprintf("must be %s, got %v", need, got)}
		}
	}
	return nil
}

// need says what the value of a key must be, and whether it is that.
func (c Config) need(key string) (need string, got float64, ok bool) {
	switch key {
	case "delta":
		return "> 0 and finite", c.Delta, c.Delta > 0 && c.Delta <= math.MaxFloat64
	case "epsilon":
		return ">= 0 and finite", c.Epsilon, c.Epsilon >= 0 && c.Epsilon <= math.MaxFloat64
	case "tau":
		return "between 0 and 1", c.Tau, c.Tau > 0 && c.Tau < 1
	}
	panic("losses: no key " + key)
}

// takers lists the losses that have a key.
func takers(key string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(Keys(name), key) })
}

// Resolved returns c with δ = 1, Huber's in dai2014 §4, where the loss has one and c does not say.
func (c Config) Resolved() Config {
	if c.Name == "huber" && c.Delta == 0 {
		c.Delta = 1
	}
	return c
}

// given lists the keys that are not zero, beside name, and epsilon, for which zero will do.
func (c Config) given() (keys []string) {
	if c.Delta != 0 {
		keys = append(keys, "delta")
	}
	if c.Epsilon != 0 || slices.Contains(Keys(c.Name), "epsilon") {
		keys = append(keys, "epsilon")
	}
	if c.Tau != 0 {
		keys = append(keys, "tau")
	}
	return keys
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
	return f.make(c), nil
}
