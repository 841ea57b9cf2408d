package experiments

import (
	"reflect"
	"slices"
	"strings"

	"repro/algos"
	"repro/plots/figures"
)

// ids checks that the ids in an array of tables can name files and are unique, whatever their case.
func (c checker) ids(key string) {
	first := map[string]*node{}
	for i, n := range c.tree.find(key).items() {
		id, path := n.find("id").text(), join(entry(key, n, i), "id")
		if !validID(id) {
			c.add(at(n, "id"), path, "%s cannot name a file; %s", quote(id), idRule)
		}
		if key == "method" && id == figures.Truth {
			c.add(at(n, "id"), path, `"truth" is the generating function in figures; choose another id`)
		}
		if other := first[strings.ToLower(id)]; other != nil {
			c.add(at(n, "id"), path, "is also the id of %s; rename one", beside("another "+key, other))
		}
		first[strings.ToLower(id)] = n
	}
	if key == "method" && len(c.tree.find(key).items()) == 0 {
		c.add(at(c.tree, key), key, "there is no method; write [[method]]")
	}
}

// items checks that ambiguities are told apart by their items.
func (c checker) items() {
	first := map[string]*node{}
	for i, n := range c.tree.find("ambiguity").items() {
		if other := first[idOf(n)]; other != nil {
			c.add(at(n, "item"), entry("ambiguity", n, i)+".item", "is also the item of %s; merge the two", beside("another ambiguity", other))
		}
		first[idOf(n)] = n
	}
}

// budgets checks that every method stops, and that none waits for itself.
func (c checker) budgets() {
	s := c.spec
	for i, n := range c.tree.find("method").items() {
		m := &s.Methods[i]
		if _, program := m.Configured.(*External); program {
			continue
		}
		switch b, path := s.effective(m).budget(), join(entry("method", n, i), "budget"); {
		case b.Steps > 0 || b.Seconds > 0 || b.TimeOf != "":
		case b.Epochs > 0:
			if countless(m.Configured) {
				c.add(at(n, "budget"), path, "epochs set no limit, because %s has no batches that make up an epoch; give it budget = { steps = … }", m.Algorithm)
			}
		case m.Budget != nil:
			c.add(at(n, "budget"), path, "sets no limit; give epochs, steps, seconds or time_of")
		default:
			c.add(at(c.tree, "budget"), "budget", "sets no limit; give epochs, steps or seconds")
		}
		if m.Budget != nil && m.Budget.TimeOf != "" {
			c.timeOf(n, join(entry("method", n, i), "budget"), m)
		}
	}
}

// countless reports whether an algorithm makes steps that do not make up epochs.
func countless(a algos.Algorithm) bool {
	_, batches := a.(algos.Batcher)
	_, direct := a.(algos.Direct)
	return !batches && !direct
}

// timeOf checks that the method whose time m takes exists and does not wait for m itself.
func (c checker) timeOf(n *node, path string, m *Method) {
	e := n.find("budget", "time_of")
	if sec := n.find("budget", "seconds"); m.Budget.Seconds > 0 {
		c.add(e.place, path+".time_of", "contradicts %s; keep one", beside("seconds", sec))
		return
	}
	chain := []string{m.ID}
	for next := m; next.Budget != nil && next.Budget.TimeOf != ""; {
		id := next.Budget.TimeOf
		i := slices.IndexFunc(c.spec.Methods, func(x Method) bool { return x.ID == id })
		switch {
		case i < 0 && next != m:
			return // noted at its own place
		case i < 0 && len(c.spec.members(id)) > 0:
			c.add(e.place, path+".time_of", "%q is a grid; name one of %s", id, strings.Join(c.spec.members(id), ", "))
			return
		case i < 0:
			c.add(e.place, path+".time_of", "unknown method %s; %s", quote(id), Suggest(id, idsOf(c.tree.find("method"))))
			return
		case id == m.ID && len(chain) == 1:
			c.add(e.place, path+".time_of", "names the method itself; name another")
			return
		case slices.Contains(chain, id):
			c.add(e.place, path+".time_of", "waits for itself: %s; give one of them a limit of its own", strings.Join(append(chain, id), " → "))
			return
		}
		chain = append(chain, id)
		next = &c.spec.Methods[i]
	}
}

// averages reports whether the method keeps the average of its iterates: its setting Average is true.
func (m *Method) averages() bool { return hasAverage(m) && average(m).Bool() }

// hasAverage reports whether the method has that setting.
func hasAverage(m *Method) bool { return average(m).IsValid() && average(m).Kind() == reflect.Bool }

func average(m *Method) reflect.Value {
	return reflect.ValueOf(m.Configured).Elem().FieldByName("Average")
}
