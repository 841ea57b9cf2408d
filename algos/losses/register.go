package losses

import "repro/algos/params"

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

// Doc returns the line that lists print for the named loss, "" if there is none of that name.
func Doc(name string) string { return registry.Families[name].Doc }

// Keys lists the keys of the named loss in a spec, "name" first.
func Keys(name string) []string { return registry.Keys(name) }

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
