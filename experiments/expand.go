package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/results/claims"
)

// A Cell is one run: a method of an experiment with one seed.
type Cell struct {
	Spec       *Spec
	Experiment string // id of the experiment
	Method     Method
	Seed       uint64
	Name       string // method and seed, unique in the experiment, fit for a file name

	// Settings hold all that decides the cell's numbers and nothing else, defaults resolved, as
	// JSON can hold it. They are the same under every profile that asks for the same run.
	Settings map[string]any
	Digest   string   // SHA-256 of Settings as canonical JSON, in hexadecimal
	Needs    []string // names of the cells that must have run before
}

// Budget returns the limits of the cell: the method's own, or the experiment's.
func (c *Cell) Budget() Budget { return c.Method.limits(c.Spec) }

// Loss returns the loss that the cell minimises: the method's own, or the experiment's.
func (c *Cell) Loss() losses.Config { return c.Method.loss(c.Spec) }

// Kernel returns the kernel of the cell: the method's own, or the experiment's.
func (c *Cell) Kernel() kernels.Config { return c.Method.kernel(c.Spec) }

// Memory returns how many bytes the cell may use for stored operators.
func (c *Cell) Memory() int64 { return int64(c.Spec.Memory * (1 << 30)) }

// Alone says whether the spec's cells run one at a time: their seconds are wanted, or their memory is large.
func (s *Spec) Alone() bool { return s.Repeat.Timed || s.Memory > defaultMemory }

// Data returns the data of the cell: the experiment's, of the method's own size if it has one, and with rows
// chosen by the cell's seed if they are to be chosen anew for each.
func (c *Cell) Data() datasets.Options {
	d := c.Method.data(c.Spec)
	if d.Resample {
		d.Seed += c.Seed
	}
	return d
}

// Precision returns the arithmetic of the cell's hot loops.
func (c *Cell) Precision() compute.Precision { return c.Spec.precision(c.Method) }

// Expand lists the cells of the spec by seed and then method, so that all curves fill evenly. A
// method that takes the time of another comes after it. With a memory above the default, cells of one
// kernel come one after another, because its matrix is kept for them, unless some wait for others.
// Expand reads nothing and computes nothing.
func (s *Spec) Expand() []Cell {
	var cells []Cell
	methods := s.inOrder()
	seeds := map[string]int{}
	for _, m := range methods {
		seeds[m.ID] = s.seeds(m, seeds)
	}
	for i := range s.Repeat.Seeds {
		digests := map[string]string{}
		for _, m := range methods {
			if i >= seeds[m.ID] {
				continue
			}
			c := s.cell(m, s.Repeat.First+uint64(i), digests)
			digests[m.ID] = c.Digest
			cells = append(cells, c)
		}
	}
	if s.Memory > defaultMemory && !slices.ContainsFunc(cells, func(c Cell) bool { return len(c.Needs) > 0 }) {
		return byKernel(cells)
	}
	return cells
}

// byKernel brings cells with one kernel and as much data together, in the order of the first of each.
func byKernel(cells []Cell) []Cell {
	type matrix struct {
		kernel kernels.Config
		data   MethodData
	}
	first := map[matrix]int{}
	of := func(c Cell) int {
		m := matrix{c.Kernel(), c.Method.Data}
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

// inOrder lists the methods in the order of the spec, but each after the one whose time it takes.
func (s *Spec) inOrder() []Method {
	var order []Method
	placed := map[string]bool{}
	for len(order) < len(s.Methods) {
		before := len(order)
		for _, m := range s.Methods {
			need := m.limits(s).TimeOf
			if !placed[m.ID] && (need == "" || placed[need]) {
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

// seeds returns the number of seeds of a method: no more than those of the method it takes the time of.
func (s *Spec) seeds(m Method, of map[string]int) int {
	n := s.Repeat.Seeds
	if m.Seeds > 0 {
		n = min(n, m.Seeds)
	}
	if need := m.limits(s).TimeOf; need != "" {
		n = min(n, of[need])
	}
	return n
}

// cell makes one cell. The digests are those of the same seed's cells so far, by method.
func (s *Spec) cell(m Method, seed uint64, digests map[string]string) Cell {
	c := Cell{Spec: s, Experiment: s.ID, Method: m, Seed: seed, Name: cellName(m.ID, seed)}
	budget := encodeSet(m.limits(s))
	delete(budget, "time_of") // an id, which decides nothing; the cell it means does
	c.Settings = map[string]any{
		"data":      encodeSet(m.data(s)),
		"problem":   encodeSet(m.problem(s)),
		"budget":    budget,
		"evaluate":  encodeSet(s.Evaluate),
		"precision": s.precision(m),
		"algorithm": m.Algorithm,
		"method":    encodeMethod(m),
		"seed":      seed,
	}
	if s.Memory != defaultMemory {
		c.Settings["memory"] = s.Memory
	}
	if need := m.limits(s).TimeOf; need != "" {
		c.Needs = []string{cellName(need, seed)}
		c.Settings["time_of"] = digests[need]
	}
	c.Digest = digest(c.Settings)
	return c
}

// precision returns the arithmetic of a method's hot loops.
func (s *Spec) precision(m Method) compute.Precision {
	if _, ok := m.Settings.(algos.Exact); ok {
		return compute.Float64
	}
	return compute.Precision(s.Precision)
}

func cellName(id string, seed uint64) string { return fmt.Sprintf("%s-seed%d", id, seed) }

// digest returns the SHA-256 of settings as JSON with sorted keys.
func digest(settings map[string]any) string {
	text, err := json.Marshal(settings)
	if err != nil {
		panic("experiments: settings are not JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// encodeMethod returns the settings of a method that decide its numbers. Keys that are younger than records without
// them are left out at their defaults, with which those records were made.
func encodeMethod(method Method) map[string]any {
	v := reflect.ValueOf(method.Settings).Elem()
	m := encodeAll(v)
	if _, ok := method.Settings.(*External); ok {
		maps.DeleteFunc(m, func(key string, _ any) bool { return slices.Contains(undecided, key) })
		return m
	}
	for _, f := range fields(v.Type()) {
		if f.young && v.FieldByIndex(f.index).Equal(newSettings(method.Algorithm).FieldByIndex(f.index)) {
			delete(m, f.key)
		}
	}
	return m
}

// encodeSet returns the keys of a struct that are set, with their values.
func encodeSet(set any) map[string]any {
	m := encodeAll(reflect.ValueOf(set))
	maps.DeleteFunc(m, func(_ string, e any) bool {
		v := reflect.ValueOf(e)
		return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	})
	return m
}

// encodeAll returns all keys of a struct with their values.
func encodeAll(v reflect.Value) map[string]any {
	m := map[string]any{}
	for _, f := range fields(v.Type()) {
		m[f.key] = encode(v.FieldByIndex(f.index))
	}
	return m
}

func encode(v reflect.Value) any {
	if v.Type() == bandwidthType {
		if b := v.Interface().(kernels.Bandwidth); b.Rule == "" {
			return b.Value
		}
		return encodeSet(v.Interface())
	}
	if v.Type() == lossType {
		return encodeLoss(v.Interface().(losses.Config))
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if s, ok := v.Interface().(schedules.Schedule); ok {
			m := encodeAll(reflect.Indirect(reflect.ValueOf(s)))
			m["schedule"] = scheduleName(s)
			return m
		}
		return encode(v.Elem())
	case reflect.Struct:
		m := encodeAll(v)
		if v.Type() == kernelType {
			own := kernels.Keys(m["name"].(string))
			maps.DeleteFunc(m, func(key string, _ any) bool { return !slices.Contains(own, key) })
		}
		return m
	case reflect.Slice, reflect.Array:
		s := make([]any, v.Len())
		zero := true
		for i := range s {
			s[i] = encode(v.Index(i))
			zero = zero && v.Index(i).IsZero()
		}
		if v.Kind() == reflect.Array && zero {
			return []any{}
		}
		return s
	default:
		return v.Interface()
	}
}

// encodeLoss returns a loss as specs write it: its name, or a table if it has parameters.
func encodeLoss(c losses.Config) any {
	own := losses.Keys(c.Name)
	if len(own) == 1 {
		return c.Name
	}
	m := map[string]any{}
	for _, f := range fields(lossType) {
		if slices.Contains(own, f.key) {
			m[f.key] = reflect.ValueOf(c).FieldByIndex(f.index).Interface()
		}
	}
	return m
}

// Defaults returns the settings of the named algorithm at their defaults, as JSON can hold them.
func Defaults(algorithm string) (map[string]any, error) {
	a, err := newAlgorithm(algorithm)
	if err != nil {
		return nil, fmt.Errorf("unknown algorithm %s; %s", quote(algorithm), suggest(algorithm, AlgorithmNames()))
	}
	return encodeAll(reflect.ValueOf(a).Elem()), nil
}

// scheduleName returns the name of a schedule in specs.
func scheduleName(s schedules.Schedule) string {
	i := slices.IndexFunc(schedules.Names(), func(name string) bool {
		made, err := schedules.New(name)
		return err == nil && reflect.Indirect(reflect.ValueOf(made)).Type() == reflect.Indirect(reflect.ValueOf(s)).Type()
	})
	if i < 0 {
		panic(fmt.Sprintf("experiments: schedule %T has no name", s))
	}
	return schedules.Names()[i]
}

// Experiment returns what figures, tables and verdicts need to know of the spec.
func (s *Spec) Experiment() claims.Experiment {
	e := claims.Experiment{
		ID: s.ID, Paper: s.PaperInfo(), Title: s.Title, Source: s.Source,
		Claims: s.Claims, Figures: s.Figures, Tables: s.Tables, Ambiguities: s.Ambiguities,
		Profile: s.Profile, Metrics: s.Evaluate.described(),
	}
	for _, m := range s.Methods {
		e.Methods = append(e.Methods, claims.Method{ID: m.ID, Label: m.Label})
	}
	for _, c := range s.Expand() {
		e.Expected = append(e.Expected, claims.Planned{Cell: c.Name, Method: c.Method.ID, Digest: c.Digest})
	}
	return e
}
