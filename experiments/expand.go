package experiments

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/datasets"
	"repro/experiments/strict"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
)

// A Cell is one run: a method of an experiment with one seed.
type Cell struct {
	Spec       *Spec
	Experiment string // id of the experiment
	Method     Method
	Seed       uint64
	Name       string // method and seed, unique in the experiment, fit for a file name

	// Settings hold everything that decides the cell's numbers and nothing else, defaults included, in types that
	// JSON has. They are the same under every profile that asks for the same run.
	Settings map[string]any
	Digest   string   // SHA-256 of Settings as canonical JSON, in hexadecimal
	Needs    []string // names of the cells that must have run before

	unread bool // Settings lack the content of a file that is not here
}

// Alone reports whether the spec's cells run one at a time: because they are timed, or may use much memory.
func (s *Spec) Alone() bool { return s.Repeat.Timed || s.Memory > defaultMemory }

// Expand lists the cells of the spec by seed and then method, so that all curves grow evenly. A method that takes
// the time of another comes after it. With a memory above the default, cells with the same kernel follow each other
// because they share its stored matrix, unless some cells wait for others. Of data Expand reads the user's own files only, for
// their digests, once.
func (s *Spec) Expand() []Cell { return slices.Clone(s.cells()) }

// expand makes what Expand returns.
func (s *Spec) expand() []Cell {
	var cells []Cell
	methods := s.inOrder()
	seeds, settings, unread := map[string]int{}, map[string]map[string]any{}, map[string]bool{}
	encoded, share := map[string]digester{}, sharing{}
	for _, m := range methods {
		seeds[m.ID] = s.effective(&m).seeds(seeds)
		settings[m.ID], unread[m.ID] = s.settings(m, share)
		encoded[m.ID] = digesterOf(settings[m.ID])
	}
	for i := range s.Repeat.Seeds {
		digests := map[string]string{}
		for _, m := range methods {
			if i >= seeds[m.ID] {
				continue
			}
			c := s.cell(m, maps.Clone(settings[m.ID]), s.Repeat.First+uint64(i), digests)
			c.Digest = encoded[m.ID].of(c.Settings)
			digests[m.ID], c.unread = c.Digest, unread[m.ID]
			cells = append(cells, c)
		}
	}
	if s.Memory > defaultMemory && !slices.ContainsFunc(cells, func(c Cell) bool { return len(c.Needs) > 0 }) {
		return byKernel(cells)
	}
	return cells
}

// byKernel groups the cells with the same kernel and data size, in the order of the first cell of each group.
func byKernel(cells []Cell) []Cell {
	type matrix struct {
		kernel string
		data   MethodData
	}
	first := map[matrix]int{}
	of := func(c Cell) int {
		m := matrix{fmt.Sprint(c.Kernel()), c.Method.Data}
		if _, ok := first[m]; !ok {
			first[m] = len(first)
		}
		return first[m]
	}
	for _, c := range cells {
		of(c)
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return of(a) - of(b) })
	return cells
}

// inOrder lists the methods in the order of the spec, except that a method follows the one whose time it takes.
func (s *Spec) inOrder() []Method {
	var order []Method
	placed := map[string]bool{}
	for len(order) < len(s.Methods) {
		before := len(order)
		for _, m := range s.Methods {
			leader := s.effective(&m).budget().TimeOf
			if !placed[m.ID] && (leader == "" || placed[leader]) {
				order = append(order, m)
				placed[m.ID] = true
			}
		}
		if len(order) == before {
			panic("experiments: methods of " + s.ID + " wait for each other")
		}
	}
	return order
}

// cell makes one cell, without its digest. The settings are those of its method, to which it adds its own; the digests are those of the same
// seed's cells so far, by method.
func (s *Spec) cell(m Method, settings map[string]any, seed uint64, digests map[string]string) Cell {
	c := Cell{Spec: s, Experiment: s.ID, Method: m, Seed: seed, Name: cellName(m.ID, seed), Settings: settings}
	c.Settings["seed"] = seed
	if leader := c.Budget().TimeOf; leader != "" {
		c.Needs = []string{cellName(leader, seed)}
		c.Settings["time_of"] = digests[leader]
	}
	return c
}

// settings returns the settings of a method's cells, without the seed and the cell whose time they take. It reports whether they
// lack the content of a file.
func (s *Spec) settings(m Method, share sharing) (settings map[string]any, unread bool) {
	runs := s.effective(&m)
	_, program := m.Configured.(*External)
	evaluate := maps.Clone(share.of("evaluate", false, func() map[string]any { return strict.EncodeSet(s.Evaluate) }))
	measured := []any{}
	for _, m := range runs.metrics() {
		measured = append(measured, m.Name)
	}
	evaluate["metrics"] = measured
	settings = map[string]any{
		"data": share.of("data", m.Data != MethodData{}, func() map[string]any { return strict.EncodeSet(runs.data()) }),
		"problem": share.of("problem", m.Loss != nil || m.Kernel != nil || m.Nu != nil, func() map[string]any {
			problem := strict.EncodeSet(runs.problem())
			if s.Own() {
				delete(problem, "kernel")
			}
			return problem
		}),
		"budget": share.of("budget", m.Budget != nil || program || m.imported(), func() map[string]any {
			budget := strict.EncodeSet(runs.budget())
			delete(budget, "time_of") // an id decides no number; the digest of its cell does
			return budget
		}),
		"evaluate":  evaluate,
		"precision": runs.precision(),
		"algorithm": m.Algorithm,
		"method":    encodeMethod(m),
	}
	if runs.meshed() {
		settings["abscissae"] = s.abscissaSettings()
	}
	if m.imported() {
		settings["curves"] = s.curveSettings()
	}
	if s.Memory != defaultMemory {
		settings["memory"] = s.Memory
	}
	if v := algos.TraitsOf(m.Configured).Version; v != "" {
		settings["version"] = v
	}
	sums, unread := runs.content()
	if len(sums) > 0 {
		settings[records.ContentKey] = sums
	}
	return settings, unread
}

func cellName(id string, seed uint64) string { return fmt.Sprintf("%s-seed%d", id, seed) }

func (c *Cell) effective() effective { return c.Spec.effective(&c.Method) }

// Budget returns the limits of the cell.
func (c *Cell) Budget() Budget { return c.effective().budget() }

// Problem returns the problem that the cell solves.
func (c *Cell) Problem() Problem { return c.effective().problem() }

// Loss returns the loss that the cell minimises.
func (c *Cell) Loss() losses.Config { return c.effective().loss() }

// Kernel returns the kernel of the cell.
func (c *Cell) Kernel() kernels.Config { return c.effective().kernel() }

// Metrics lists what is measured of the cell.
func (c *Cell) Metrics() []*metrics.Metric { return c.effective().metrics() }

// NeedsReference says whether a metric compares with the solver that evaluate.reference names.
func (c *Cell) NeedsReference() bool {
	return slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Reference })
}

// MeasuresTraining says whether a metric is of predictions at the training rows.
func (c *Cell) MeasuresTraining() bool {
	return slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Training })
}

// MeasuresFitted says whether a metric takes the predictions of an algos.Fitter at the training rows.
func (c *Cell) MeasuresFitted() bool {
	return slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Fitted })
}

// MeasuresLimit says whether a metric asks an algos.Stepper for its largest step.
func (c *Cell) MeasuresLimit() bool {
	return slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Limit })
}

// LooksBack says whether a metric compares with a regression on all examples of a stream so far.
func (c *Cell) LooksBack() bool {
	return slices.ContainsFunc(c.Metrics(), func(m *metrics.Metric) bool { return m.Hindsight })
}

// TooLong returns what is wrong with a stream of that many rows, if a metric compares with a regression on all of them; empty
// if nothing is.
func (c *Cell) TooLong(rows int) string { return c.effective().tooLong(rows) }

// Precision returns the arithmetic of the cell's hot loops.
func (c *Cell) Precision() compute.Precision { return c.effective().precision() }

// Memory returns how many bytes the cell may use for stored operators.
func (c *Cell) Memory() int64 { return int64(c.Spec.Memory * (1 << 30)) }

// Data returns the data of the cell. With data.resample the cell's seed chooses the rows.
func (c *Cell) Data() datasets.Options {
	d := c.effective().data()
	if d.Resample {
		d.Seed += c.Seed
	}
	return d
}

// Ran reports whether a record has the cell's settings. If a file of the cell is not here, its content is the record's.
func (c *Cell) Ran(h records.Header) bool {
	return h.Digest == c.Digest ||
		c.unread && len(h.OtherContent(c.Settings)) == 0 && c.Digest == digest(h.WithContent(c.Settings[records.ContentKey]))
}

// Programs returns the paths of the files of the cell's program, by their paths from the spec's folder. Those that are elsewhere begin
// with .. or are absolute.
func (c *Cell) Programs() map[string]string {
	if program, ok := c.Method.Configured.(*External); ok {
		return program.watch(c.Spec.Dir()).paths
	}
	return nil
}

// Unwatched says in a line what the cell's program may read without that a change of it runs the cell again; empty if nothing is known.
func (c *Cell) Unwatched() string {
	program, ok := c.Method.Configured.(*External)
	if !ok {
		return ""
	}
	not := program.watch(c.Spec.Dir()).not
	if len(not) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: method %s: a change of %s does not repeat its runs; name the files in the method's key files", c.Experiment, c.Method.ID, printed.List(not))
}

// Touched lists the files of the cell that have changed since the spec was expanded, and those that files matches only since then.
func (c *Cell) Touched() (changed, added []string) {
	now, _ := c.effective().content()
	before, _ := c.Settings[records.ContentKey].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if sum, ok := before[name]; !ok {
			added = append(added, name)
		} else if sum != now[name] {
			changed = append(changed, name)
		}
	}
	return changed, added
}

// Curve returns the curve of a cell of an imported method, and the table it is in.
func (c *Cell) Curve() (*imports.Curve, *imports.Table, error) {
	s := c.Spec
	t, err := s.ReadCurves()
	if err != nil {
		return nil, nil, err
	}
	name, seed := cmp.Or(c.Method.Configured.(*Imported).Curve, c.Method.ID), strconv.FormatUint(c.Seed, 10)
	if i := int(c.Seed - s.Repeat.First); len(s.Curves.Seeds) > 0 {
		seed = s.Curves.Seeds[i]
	}
	curve, methods := t.Curve(name, seed), t.Methods()
	fix := ""
	switch {
	case curve != nil && len(curve.Points) > 0:
		return curve, t, nil
	case curve != nil:
		fix = "all its values are empty"
	case !slices.Contains(methods, strings.TrimSpace(name)):
		fix = "set curve to what the file calls the method; " + printed.Suggest(name, methods)
	case slices.Contains(t.Seeds(), strings.TrimSpace(seed)):
		return nil, t, fmt.Errorf("%s has %w", t.Files[0].Name, ErrAbsent)
	default:
		fix = "the file has no rows of that seed; give the method fewer seeds, or list those of the file in curves.seeds"
	}
	return nil, t, fmt.Errorf("%s has no curve of method %s and seed %s; %s", t.Files[0].Path, printed.Quote(name), printed.Quote(seed), fix)
}
