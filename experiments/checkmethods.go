package experiments

import (
	"slices"
	"strings"

	"repro/algos"
	"repro/experiments/spectree"
	"repro/plots/figures"
	"repro/results/printed"
)

// ids checks that what the entries of an array of tables are addressed by is unique, whatever its case, and that ids can name
// files.
func (c checker) ids(key, name string) {
	first := map[string]*spectree.Node{}
	for i, n := range c.tree.Find(key).Items() {
		id, path := n.Find(name).Text(), spectree.Join(spectree.Entry(key, n, i), name)
		if name == "id" && !spectree.ValidID(id) {
			c.Add(spectree.At(n, name), path, "%s cannot name a file; %s", printed.Quote(id), spectree.IDRule)
		}
		if key == "method" && id == figures.Truth {
			c.Add(spectree.At(n, name), path, `"truth" is the generating function in figures; choose another id`)
		}
		if other := first[strings.ToLower(id)]; other != nil {
			c.Add(spectree.At(n, name), path, "is also the %s of %s; rename one", name, spectree.Beside("another "+key, other))
		}
		first[strings.ToLower(id)] = n
	}
	if key == "method" && len(c.tree.Find(key).Items()) == 0 {
		c.Add(spectree.At(c.tree, key), key, "there is no method; write [[method]]")
	}
}

// budgets checks that every method stops, and that none waits for itself.
func (c checker) budgets() {
	s := c.spec
	for i, n := range c.tree.Find("method").Items() {
		m := &s.Methods[i]
		if p, program := m.Configured.(*External); program && !p.Stepped() || m.imported() {
			continue
		}
		switch b, path := s.effective(m).budget(), spectree.Join(spectree.Entry("method", n, i), "budget"); {
		case b.Steps > 0 || b.Seconds > 0 || b.TimeOf != "":
		case b.Epochs > 0:
			if countless(m.Configured) {
				c.Add(spectree.At(n, "budget"), path, "epochs set no limit, because %s has no batches that make up an epoch; give it budget = { steps = … }", m.Algorithm)
			}
		case m.Budget != nil:
			c.Add(spectree.At(n, "budget"), path, "sets no limit; give epochs, steps, seconds or time_of")
		default:
			c.Add(spectree.At(c.tree, "budget"), "budget", "sets no limit; give epochs, steps or seconds")
		}
		if m.Budget != nil && m.Budget.TimeOf != "" {
			c.timeOf(n, spectree.Join(spectree.Entry("method", n, i), "budget"), m)
		}
	}
}

// countless reports whether an algorithm makes steps that do not make up epochs.
func countless(a algos.Algorithm) bool {
	t := algos.TraitsOf(a)
	return !t.Batches() && !t.Direct
}

// timeOf checks that the method whose time m takes exists and does not wait for m itself.
func (c checker) timeOf(n *spectree.Node, path string, m *Method) {
	e := n.Find("budget", "time_of")
	chain := []string{m.ID}
	for next := m; next.Budget != nil && next.Budget.TimeOf != ""; {
		id := next.Budget.TimeOf
		i := slices.IndexFunc(c.spec.Methods, func(x Method) bool { return x.ID == id })
		switch {
		case i < 0 && next != m:
			return // noted at its own place
		case i < 0 && len(c.spec.members(id)) > 0:
			c.Add(e.Place, path+".time_of", "%q is a grid; name one of %s", id, strings.Join(c.spec.members(id), ", "))
			return
		case i < 0:
			c.Add(e.Place, path+".time_of", "unknown method %s; %s", printed.Quote(id), printed.Suggest(id, spectree.IDs(c.tree.Find("method"))))
			return
		case id == m.ID && len(chain) == 1:
			c.Add(e.Place, path+".time_of", "names the method itself; name another")
			return
		case slices.Contains(chain, id):
			c.Add(e.Place, path+".time_of", "waits for itself: %s; give one of them a limit of its own", strings.Join(append(chain, id), " → "))
			return
		}
		chain = append(chain, id)
		next = &c.spec.Methods[i]
	}
}
