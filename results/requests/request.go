// Package requests reads curves and one claim about them from JSON, for programs in other languages: what a spec and the files
// of its curves say, without files. docs/python.md has the keys.
package requests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	_ "repro/experiments" // what the words in tags stand for
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// Schema is the version of the format of requests and answers.
const Schema = 1

// A Request is what a program asks.
type Request struct {
	Schema   int             `json:"schema"`
	Name     string          `json:"name"`     // of the experiment in the report; curves if left out
	Curves   map[string]runs `json:"curves"`   // by method: the values of each run, null where not finite
	X        axis            `json:"x"`        // the places of all curves, or by method; 1, 2, 3, ... if left out
	Metric   string          `json:"metric"`   // what the values are; value if left out
	Better   string          `json:"better"`   // smaller, larger or neither; smaller if left out
	Signed   bool            `json:"signed"`   // values can be negative
	Abscissa string          `json:"abscissa"` // what x is: a discretisation parameter such as h; steps or epochs if left out
	Claim    json.RawMessage `json:"claim"`    // the keys of [[claim]] in a spec; number is short for derived, points for the points of a published curve
	Accepted *Accepted       `json:"accepted"`
	Report   string          `json:"report"` // folder for the report; none is written if left out
	Figure   bool            `json:"figure"` // the answer has the figure as SVG

	Deterministic bool `json:"deterministic"` // nothing is drawn at random, so that one run decides
}

// An Accepted is what the curves are compared with.
type Accepted struct {
	File string `json:"file"` // FOLDER/NAME.json; the reasons are in FOLDER/NAME.tsv
	Why  string `json:"why"`  // accepts the curves and the claim for this reason; empty to compare

	FailOn []string `json:"fail_on"` // as --fail-on of check; its default if left out
}

// A Fault is what is wrong with a key of a request. Its text does not name the key.
type Fault struct {
	Key  string `json:"key"`
	Text string `json:"message"`
}

func (f Fault) Error() string { return f.Key + ": " + f.Text }

func fault(key, format string, args ...any) error { return Fault{key, fmt.Sprintf(format, args...)} }

// runs are the values of the runs of a method: one list a run, or one alone.
type runs [][]*float64

// UnmarshalJSON implements json.Unmarshaler.
func (r *runs) UnmarshalJSON(text []byte) error {
	var one []*float64
	if json.Unmarshal(text, &one) == nil {
		*r = runs{one}
		return nil
	}
	return json.Unmarshal(text, (*[][]*float64)(r))
}

// An axis has the places of the values: of all methods under the empty name, or by method.
type axis map[string][]float64

// UnmarshalJSON implements json.Unmarshaler.
func (a *axis) UnmarshalJSON(text []byte) error {
	var all []float64
	if json.Unmarshal(text, &all) == nil {
		*a = axis{"": all}
		return nil
	}
	return json.Unmarshal(text, (*map[string][]float64)(a))
}

// Read reads a request. Errors are Faults.
func Read(text []byte) (r Request, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, wrongJSON("request", err)
	}
	if r.Schema != Schema {
		return r, fault("schema", "is %d, and this program answers %d; install the same version of both", r.Schema, Schema)
	}
	return r, nil
}

// wrongJSON says at which key JSON is not what is wanted.
func wrongJSON(key string, err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		want := map[reflect.Kind]string{reflect.Float64: "number", reflect.Int: "whole number", reflect.Bool: "true or false", reflect.String: "text", reflect.Slice: "list"}[wrong.Type.Kind()]
		return fault(wrong.Field, "has a %s where a %s belongs", wrong.Value, cmp.Or(want, wrong.Type.String()))
	}
	return fault(key, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// mostName is the longest name of a method.
const mostName = 200

// names matches what names of experiments, claims and metrics may be: files and anchors are called after them.
var names = regexp.MustCompile(`^[A-Za-z0-9][\w.@-]*$`)

// Experiment returns the request as an experiment with one claim, and the records of its curves. id is PAPER/NAME; that of the
// request's name if it is empty.
func (r Request) Experiment(id string) (exp claims.Experiment, recs []*records.Record, err error) {
	id, r.Metric, r.Better = cmp.Or(id, "own/"+cmp.Or(r.Name, "curves")), cmp.Or(r.Metric, "value"), cmp.Or(r.Better, "smaller")
	paper, name, _ := strings.Cut(id, "/")
	switch _, isCost := records.AbscissaOf(r.Metric); {
	case !names.MatchString(paper) || !names.MatchString(name):
		return exp, nil, fault("name", "%s is no name of a file; use letters, digits, - and _", printed.Quote(id))
	case !names.MatchString(r.Metric) || isCost:
		return exp, nil, fault("metric", "%s cannot name a metric; use letters, digits, - and _, and no name of a cost such as step", printed.Quote(r.Metric))
	case !slices.Contains([]string{"smaller", "larger", "neither"}, r.Better):
		return exp, nil, fault("better", "is %s; want smaller, larger or neither", printed.Quote(r.Better))
	case r.Abscissa != "" && r.mesh().Name == "":
		return exp, nil, fault("abscissa", "%s is no name of which it is known which values are finer; %s", printed.Quote(r.Abscissa), printed.Suggest(r.Abscissa, printed.Each(records.Meshes, func(m records.Abscissa) string { return m.Name })))
	case r.Abscissa == r.Metric:
		return exp, nil, fault("metric", "is %s, and so is the abscissa; name the values otherwise", printed.Quote(r.Metric))
	case r.Abscissa != "" && len(r.X) == 0:
		return exp, nil, fault("x", "missing; give the values of %s", printed.Quote(r.Abscissa))
	case len(r.Curves) == 0:
		return exp, nil, fault("curves", "is empty; give each method its runs, one list of values a run")
	}
	exp = claims.Experiment{ID: id, Title: name, Profile: "paper", Metrics: []claims.Metric{{Name: r.Metric, Words: r.Metric, Better: r.Better, Signed: r.Signed}},
		Original: claims.Original{Settings: map[string]map[string]any{}}}
	whole := true
	for _, method := range slices.Sorted(maps.Keys(r.Curves)) {
		all, isWhole, err := r.records(id, method)
		if err != nil {
			return exp, nil, err
		}
		whole, recs = whole && isWhole, append(recs, all...)
		exp.Methods, exp.Imported = append(exp.Methods, claims.Method{ID: method, Label: method, Deterministic: r.Deterministic}), append(exp.Imported, method)
		exp.Original.Settings[method] = all[0].Header.Settings
		for _, rec := range all {
			exp.Expected = append(exp.Expected, claims.Planned{Cell: rec.Header.Cell, Method: method})
		}
	}
	x := "step"
	if r.Abscissa != "" {
		x, exp.Abscissae = r.Abscissa, []records.Abscissa{r.mesh()}
	} else if !whole {
		x = "epoch"
	}
	claim, err := r.claim(x)
	if err != nil {
		return exp, nil, err
	}
	exp.Claims = []claims.Claim{claim}
	exp.Original.Claims = exp.Claims
	exp.Figures = []claims.Figure{r.figure(claim, x)}
	return exp, recs, nil
}

// mesh returns the discretisation parameter that x is; without a name if it is none.
func (r Request) mesh() records.Abscissa {
	m, _ := records.MeshOf(r.Abscissa)
	return m
}

// figure is the figure of a claim about curves against x.
func (r Request) figure(c claims.Claim, x string) claims.Figure {
	f := claims.Figure{ID: "curves", X: cmp.Or(c.X, x), Y: r.Metric, Scale: "loglog", Claims: []string{c.ID}}
	below := func(v *float64) bool { return v != nil && *v <= 0 }
	for _, all := range r.Curves {
		if slices.ContainsFunc(all, func(run []*float64) bool { return slices.ContainsFunc(run, below) }) {
			f.Scale = "linear"
		}
	}
	value, _, _, err := printed.Parse(c.Number())
	switch {
	case err != nil || f.Scale == "linear":
	case c.Kind == "rate":
		f.Guides = []claims.Guide{{Slope: value, Label: "slope " + c.Number()}}
	case c.Kind == "geometric":
		f.Scale, f.Guides = "semilogy", []claims.Guide{{Factor: value, Label: "factor " + c.Number()}}
	}
	return f
}

// places returns the places of the values of a method's runs, nil if none are given, and the order in which points have them: by rising x,
// unless meshes get finer. whole reports whether they are steps.
func (r Request) places(method string) (x []float64, order []int, whole bool, err error) {
	x, given := r.X[method]
	if !given {
		x, given = r.X[""]
	}
	if len(r.X) > 0 && !given {
		return nil, nil, false, fault("x", "has no places for method %s; give one list for all, or one for each", printed.Quote(method))
	}
	whole = true
	for i, v := range x {
		if order = append(order, i); !(v >= 0) || math.IsInf(v, 0) {
			return nil, nil, false, fault("x", "%v is no place on an axis, which has finite numbers from 0 on", v)
		}
		whole = whole && v == math.Trunc(v) && v < 1<<53
	}
	rising := func(i, j int) int { return cmp.Compare(x[i], x[j]) }
	if m := r.mesh(); m.Name != "" { // from coarse to fine
		whole = false
		slices.SortStableFunc(order, func(i, j int) int {
			if m.Finer == records.FinerSmaller {
				i, j = j, i
			}
			return rising(i, j)
		})
	} else if r.Deterministic && len(x) > 1 && slices.IsSortedFunc(order, func(i, j int) int { return rising(j, i) }) { // widths of meshes, the finest last
		whole = false
	} else {
		slices.SortStableFunc(order, rising)
	}
	return x, order, whole, nil
}

// records returns the records of a method's runs, whose seeds are 1, 2, 3, .... whole reports whether their places are steps.
func (r Request) records(id, method string) (all []*records.Record, whole bool, err error) {
	if method == "" || len(method) > mostName || printed.Visible(method) != method {
		return nil, false, fault("curves", "%s cannot name a method; use 1 to %d bytes without control characters", printed.Quote(method), mostName)
	}
	x, order, whole, err := r.places(method)
	if err != nil {
		return nil, false, err
	}
	settings := map[string]any{"algorithm": records.Imported}
	if !whole {
		settings["method"] = map[string]any{"x": x} // which no step shows
	}
	for i, run := range r.Curves[method] {
		seed := i + 1
		switch {
		case len(run) == 0:
			return nil, false, fault("curves."+method, "run %d has no value; give one list of values a run", seed)
		case r.Deterministic && !slices.EqualFunc(run, r.Curves[method][0], equal):
			return nil, false, fault("deterministic", "runs 1 and %d of %s differ, so that something is drawn at random; leave it out", seed, printed.Quote(method))
		case x != nil && len(run) != len(x):
			return nil, false, fault("x", "has %s, and run %d of %s has %s; give a place for each value", printed.Count(len(x), "place"), seed, printed.Quote(method), printed.Count(len(run), "value"))
		}
		rec := &records.Record{
			Header: records.Header{Line: "header", Schema: records.Schema, Experiment: id, Cell: fmt.Sprintf("%s-seed%d", method, seed), Method: method, Label: method,
				Algorithm: records.Imported, Seed: uint64(seed), Profile: "paper", Settings: settings, Provenance: records.Provenance{Source: records.Imported}},
			End: &records.End{Line: "end", Status: records.Done, Reason: "there are no more points"},
		}
		for k := range run {
			p := records.Point{Line: "point", Step: k + 1, Epoch: float64(k + 1)}
			at := k
			if x != nil {
				at = order[k]
				if p.Epoch = x[at]; whole {
					p.Step = int(x[at])
				}
				if k > 0 && p.Epoch == rec.Points[k-1].Epoch {
					return nil, false, fault("x", "has %v twice; keep one value at each place", p.Epoch)
				}
			}
			p.Values = map[string]*float64{r.Metric: run[at]}
			if r.Abscissa != "" {
				p.Values[r.Abscissa] = &x[at]
			}
			rec.Points = append(rec.Points, p)
		}
		if last := rec.Points[len(run)-1]; last.Values[r.Metric] == nil {
			rec.End.Status, rec.End.Reason = records.Diverged, fmt.Sprintf("%s is not finite at the end", r.Metric)
		}
		all = append(all, rec)
	}
	return all, whole, nil
}

// equal reports whether two values are the same, or both not finite.
func equal(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// wording stands for the reasons in words that a spec must give and a request need not.
const wording = "given"

// claim returns the claim of a request whose curves are against x: that of the same keys in a spec.
func (r Request) claim(x string) (c claims.Claim, err error) {
	tree, err := nodeOf(r.Claim)
	if err != nil || tree.Table() == nil {
		return c, fault("claim", "missing; give an object with the kind, such as {\"kind\": \"rate\", \"number\": -1}")
	}
	k := keys{Node: tree}
	name := tree.Find("kind").Text()
	if !slices.Contains(claims.Kinds(), name) {
		return c, fault("kind", "%s is no kind of claim; %s", printed.Quote(name), printed.Suggest(name, claims.Kinds()))
	}
	kind := claims.KindOf(name)
	if kind.Measure == nil {
		return c, fault("kind", "is that of a whole column of a table; claim each value")
	}
	if err := k.takes(kind); err != nil {
		return c, err
	}
	k.rename("number", "derived")
	var points *spectree.Node
	if points = tree.Find("points"); points != nil {
		k.rename("points", "curve")
		tree.Table().Set("curve", &spectree.Node{Value: "published"})
	}
	if err := k.decode(&c); err != nil {
		return c, err
	}
	if points != nil {
		if c.Reference, err = published(points); err != nil {
			return c, err
		}
	}
	c.ID, c.Metric, c.Statement = cmp.Or(c.ID, c.Kind), r.Metric, cmp.Or(c.Statement, c.Kind)
	if kind.Takes("x") {
		c.X = cmp.Or(c.X, x)
		tree.Table().Set("x", &spectree.Node{Value: c.X})
	}
	if !names.MatchString(c.ID) {
		return c, fault("id", "%s cannot name a claim; use letters, digits, - and _", printed.Quote(c.ID))
	}
	if c.At.Value != 0 {
		c.At.X = cmp.Or(c.At.X, x)
	}
	if c.Tolerance != 0 {
		c.Why = cmp.Or(c.Why, wording)
	}
	if c.Derived != "" {
		c.Derivation = cmp.Or(c.Derivation, wording)
	}
	if err := r.methods(&c); err != nil {
		return c, err
	}
	return c, k.check(&c, r.Better, r.Abscissa)
}

// nodeOf returns JSON as a tree. What is null is left out.
func nodeOf(text json.RawMessage) (*spectree.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return node(v), nil
}

func node(v any) *spectree.Node {
	n := &spectree.Node{Value: v}
	switch v := v.(type) {
	case json.Number:
		n.Digits = v.String()
		if whole, err := v.Int64(); err == nil {
			n.Value = whole
		} else { // beyond the largest number it is infinite
			n.Value, _ = v.Float64()
		}
	case []any:
		items := make([]*spectree.Node, len(v))
		for i, e := range v {
			items[i] = node(e)
		}
		n.Value = items
	case map[string]any:
		t := spectree.NewTable()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if v[key] != nil {
				t.Set(key, node(v[key]))
			}
		}
		n.Value = t
	}
	return n
}

// published returns the published curve with some points.
func published(points *spectree.Node) (*claims.PublishedCurve, error) {
	var wrong spectree.Mistakes
	c := &claims.PublishedCurve{ID: "published", Figure: "the published curve", Obtained: "data"}
	strict.Decode(points, &c.Points, "points", nil, &wrong)
	if len(wrong.List) > 0 {
		return nil, fault("points", "is not a list of [x, y] or [x, y, x_error, y_error]")
	}
	if wrong, i := c.Wrong(); wrong != "" {
		return nil, fault("points", "%s (point %d)", wrong, i+1)
	}
	return c, nil
}

// methods sets the methods of a claim that names none: the only one there is, and all others as its rivals.
func (r Request) methods(c *claims.Claim) error {
	all := slices.Sorted(maps.Keys(r.Curves))
	if c.Method == "" {
		if len(all) > 1 {
			return fault("method", "missing; say which of %s the claim is about", printed.List(all))
		}
		c.Method = all[0]
	}
	if claims.KindOf(c.Kind).Takes("against") && len(c.Against) == 0 {
		c.Against = slices.DeleteFunc(slices.Clone(all), func(m string) bool { return m == c.Method })
		if len(c.Against) == 0 {
			return fault("curves", "has one method; a claim of kind %s compares two or more", printed.Quote(c.Kind))
		}
	}
	for _, m := range c.Methods() {
		if !slices.Contains(all, m) {
			return fault("method", "%s has no curves; %s", printed.Quote(m), printed.Suggest(m, all))
		}
	}
	return nil
}

// keys are what a request gives for its claim, which its kind checks.
type keys struct {
	*spectree.Node
	own   [][2]string // names that a request has for keys of a spec, with these
	wrong error
}

// rename gives a key of the request its name in a spec, if it is there.
func (k *keys) rename(key, inSpec string) {
	if n := k.Find(key); n != nil {
		k.Table().Remove(key)
		k.Table().Set(inSpec, n)
		k.own = append(k.own, [2]string{key, inSpec})
	}
}

// Has implements claims.Keys.
func (k *keys) Has(key string) bool { return k.Find(key) != nil }

// Place implements claims.Keys.
func (k *keys) Place(key string) string { return key }

// Wrong implements claims.Keys. The first counts.
func (k *keys) Wrong(key, format string, args ...any) {
	for _, own := range k.own {
		if key == own[1] {
			key = own[0]
		}
	}
	if k.wrong == nil {
		k.wrong = fault(key, format, args...)
	}
}

// takes says which key a claim of the kind does not have.
func (k *keys) takes(kind *claims.Kind) error {
	all := []string{}
	for _, f := range strict.Fields(reflect.TypeFor[claims.Claim]()) {
		if kind.Takes(f.Key) && f.Key != "metric" {
			all = append(all, f.Key)
		}
	}
	for key, with := range map[string]bool{"number": kind.Number, "points": kind.Takes("curve")} {
		if with {
			all = append(all, key)
		}
	}
	for _, key := range k.Table().Keys {
		if !slices.Contains(all, key) {
			return fault(key, "is no key of a claim of kind %q; %s", kind.Name, printed.Suggest(key, all))
		}
	}
	return nil
}

// decode reads the claim by the tags of its keys, as of a spec. A request may leave out what a spec must say in words.
func (k *keys) decode(c *claims.Claim) error {
	var found spectree.Mistakes
	strict.Decode(k.Node, c, "", map[string][]string{"abscissa": printed.Each(records.Meshes, func(m records.Abscissa) string { return m.Name })}, &found)
	for key, wrong := range found.All() {
		if top, _, _ := strings.Cut(key, "."); k.Has(top) {
			k.Wrong(key, "%s", wrong)
		}
	}
	return k.wrong
}

// check says what is wrong with a claim, as loading a spec does.
func (k *keys) check(c *claims.Claim, better, abscissa string) error {
	kind := claims.KindOf(c.Kind)
	if k.Has("across") {
		k.Wrong("across", "needs the settings of a grid, which a request does not have; write a spec")
	}
	for _, key := range kind.Needs {
		if given := map[string]bool{"against": true, "curve": c.Reference != nil}; !k.Has(key) && !given[key] {
			if key == "curve" {
				key = "points"
			}
			k.Wrong(key, "missing; a claim of kind %q needs it", c.Kind)
		}
	}
	if kind.Number && c.Number() == "" {
		k.Wrong("number", "missing; a claim of kind %q needs it, or published", c.Kind)
	}
	if c.Number() != "" {
		if _, _, _, err := printed.Parse(c.Number()); err != nil {
			k.Wrong(c.NumberKey(), "%s is not a number as papers print them; write one such as 3.1", printed.Quote(c.Number()))
		}
	}
	if _, known := claims.RunsOf(c.PublishedIs); (c.Published != "" || c.Curve != "") && !known {
		k.Wrong("published_is", `is %s; say whether the printed number is "run", "mean of K", "median of K" or "theorem"`, printed.Quote(c.PublishedIs))
	}
	if w := c.Window; k.Has("window") && !(0 < w[0] && w[0] < w[1]) {
		k.Wrong("window", "want [low, high] with 0 < low < high, got [%v, %v]", w[0], w[1])
	}
	if k.Has("target") && c.Target == 0 {
		k.Wrong("target", "must be > 0, got 0")
	}
	for _, x := range []string{c.X, c.At.X} {
		if !slices.Contains([]string{"", "step", "epoch", abscissa}, x) {
			k.Wrong("x", "%s is no abscissa of curves in a request; want step or epoch", printed.Quote(x))
		}
	}
	if kind.Sided != nil && better == "neither" && kind.Sided(c) != "" {
		k.Wrong("better", "neither smaller nor larger values are better, so %s", kind.Sided(c))
	}
	if kind.Check != nil {
		kind.Check(c, k)
	}
	return k.wrong
}
