package experiments

import (
	"errors"
	"reflect"
	"strings"

	"repro/datasets"
	"repro/experiments/spectree"
	"repro/experiments/strict"
)

func (c checker) data() {
	d, n := c.spec.Data, c.tree.Find("data")
	before := len(c.List)
	for _, key := range []string{"file", "test_file"} {
		if f := n.Find(key); f != nil && c.source.Catalog {
			c.Add(f.Place, "data."+key, "a spec of the catalog has no folder on disk; register a data set and name it as data.name")
		}
	}
	if e := n.Find("scale", "divide"); e != nil && d.Scale.Divide == 0 {
		c.Add(e.Place, "data.scale.divide", "must be > 0, got 0; leave it out to keep the inputs as they are")
	}
	d.Task = c.spec.task(c.spec.Problem.Loss)
	var wrong *datasets.OptionError
	if err := d.Check(); len(c.List) == before && errors.As(err, &wrong) {
		c.Add(spectree.At(c.tree, strings.Split(wrong.Key, ".")...), wrong.Key, "%s", wrong.Text)
	}
	if e := c.tree.Find("evaluate", "predictions"); e != nil && c.spec.Evaluate.Predictions && len(c.List) == before {
		if train, test, _ := d.Shape(); d.Stream || train > 0 && test == 0 {
			c.Add(e.Place, "evaluate.predictions", "there are no test rows whose predictions it could write; give the data a test set, or remove it")
		}
	}
	if len(c.List) == before {
		c.dataOfMethods()
	}
}

// dataOfMethods checks methods with data of their own. Data read from files has its number of inputs, and another number of
// training rows only if no scaling is fitted on them: it would change the scaling too.
func (c checker) dataOfMethods() {
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Join(spectree.Entry("method", n, i), "data")
		for _, f := range strict.Fields(reflect.TypeFor[MethodData]()) {
			if e := n.Find("data", f.Key); e != nil && f.Type.Kind() != reflect.String && reflect.ValueOf(m.Data).FieldByIndex(f.Index).IsZero() {
				c.Add(e.Place, spectree.Join(path, f.Key), "0 stands for the experiment's own value; give another, or remove it")
			}
		}
		if m.Data == (MethodData{}) {
			continue
		}
		s, err := datasets.Describe(c.spec.Data.Name)
		files := err != nil || !s.Generated()
		switch {
		case files && m.Data.Inputs > 0:
			c.Add(spectree.At(n, "data", "inputs"), spectree.Join(path, "inputs"), "the experiment's data is read from files, which have their own number of inputs; remove it")
			continue
		case files && m.Data.Outputs > 0:
			c.Add(spectree.At(n, "data", "outputs"), spectree.Join(path, "outputs"), "the experiment's data is read from files, which have their own targets; remove it")
			continue
		case files && m.Data.Train > 0 && c.spec.Data.Fitted():
			c.Add(spectree.At(n, "data", "train"), spectree.Join(path, "train"), "the experiment's data is read from files, and its scaling is fitted on the training rows: another number of them would change it; remove it")
			continue
		}
		runs := c.spec.effective(m)
		d := runs.data()
		d.Task = c.spec.task(runs.loss())
		var wrong *datasets.OptionError
		if errors.As(d.Check(), &wrong) {
			key := strings.TrimPrefix(wrong.Key, "data.")
			c.Add(spectree.At(n, "data", key), spectree.Join(path, key), "%s", wrong.Text)
		}
	}
}
