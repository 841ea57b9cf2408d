package experiments

import (
	"fmt"
	"strings"

	"repro/algos"
	"repro/experiments/spectree"
)

// The kinds of problem.
const (
	kernelKind = "kernel"
	ownKind    = "own"
)

// Own says whether the methods of the spec have a problem of their own, without rows, loss and kernel.
func (s *Spec) Own() bool { return s.Problem.Kind == ownKind }

// ownKind names the kind of the problem, for a message.
func (c checker) ownKind() string {
	return spectree.Beside(`problem.kind = "own"`, c.tree.Find("problem", "kind"))
}

// ofRows lists keys, of the spec and of a method, that have no meaning without rows that are the same for all methods.
var ofRows = struct{ spec, method []string }{
	[]string{"data", "problem.loss", "problem.nu", "problem.nu_n", "problem.kernel", "problem.targets", "budget.epochs",
		"evaluate.reference", "evaluate.predictions", "evaluate.surface"},
	[]string{"loss", "kernel", "nu", "data", "budget.epochs"},
}

// task checks what is learnt from what: data, loss and kernel, or a problem that the methods know.
func (c checker) task() {
	if !c.spec.Own() {
		c.data()
		c.problem()
	}
	refuse := func(n *spectree.Node, path string, keys []string) {
		for _, key := range keys {
			if e := n.Find(strings.Split(key, ".")...); e != nil && c.spec.Own() {
				c.Add(e.Place, spectree.Join(path, key), "contradicts %s: the methods know their problem, which has no rows; remove it", c.ownKind())
			}
		}
	}
	refuse(c.tree, "", ofRows.spec)
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Entry("method", n, i)
		refuse(n, path, ofRows.method)
		program, external := m.Configured.(*External)
		switch own := algos.TraitsOf(m.Configured).Own; {
		case external && c.spec.Own() && len(program.Command.Train) > 0:
			c.Add(spectree.At(n, "command"), path+".command.train", "learns from rows, and %s has none; use command.serve or command.run", c.ownKind())
		case external:
		case own && !c.spec.Own():
			c.Add(spectree.At(n, "algorithm"), path+".algorithm", "%s has a problem of its own and learns from no rows; write problem.kind = \"own\", or remove it", m.Algorithm)
		case !own && c.spec.Own():
			c.Add(spectree.At(n, "algorithm"), path+".algorithm", "%s learns from rows, and %s has none; choose a method with a problem of its own", m.Algorithm, c.ownKind())
		}
	}
	c.axes()
}

// axes checks that what is read against an abscissa has a place on it.
func (c checker) axes() {
	for _, array := range []string{"claim", "figure", "table"} {
		for i, n := range c.tree.Find(array).Items() {
			for _, key := range []string{"x", "at.x"} {
				e := n.Find(strings.Split(key, ".")...)
				wrong := c.onAxis(e.Text())
				if wrong == "" && e.Text() == "epoch" && c.spec.Own() && c.spec.Curves.File == "" {
					wrong = fmt.Sprintf("an epoch is a pass over rows, and %s has none; count steps", c.ownKind())
				}
				path := spectree.Join(spectree.Entry(array, n, i), key)
				if wrong != "" {
					c.Add(e.Place, path, "%s", wrong)
				} else if e != nil && array == "claim" {
					c.against(n, e.Place, path, e.Text())
				}
			}
		}
	}
}
