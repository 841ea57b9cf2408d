package lessons

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"repro/experiments"
	"repro/results/records"
)

// An expression is a compiled expression over records. Its runs are those of the lesson; last is the one that functions without
// run(id) read.
type expression struct {
	program *vm.Program
	last    string
	named   []string // ids of runs that it names
}

// A scope has the functions of expressions that read records. run(id) is the scope of another run.
type scope struct {
	Final    func(method, metric string) Value                             `expr:"final"`
	At       func(method, metric, x string, value float64) Value           `expr:"at"`
	Rate     func(method, metric, x string, window ...float64) Value       `expr:"rate"`
	Across   func(group, metric, key string) Value                         `expr:"across"`
	Reach    func(method, metric string, level float64, x ...string) Value `expr:"reach"`
	Claim    func(id string) Judged                                        `expr:"claim"`
	Diverged func(method string) bool                                      `expr:"diverged"`
	Run      func(id string) scope                                         `expr:"run"`
}

// readers lists the functions of scope by what their leading arguments of text are.
var readers = map[string][]string{
	"final": {"method", "metric"}, "at": {"method", "metric", "x"}, "rate": {"method", "metric", "x"}, "across": {"group", "metric", "key"},
	"reach": {"method", "metric", "", "x"}, "claim": {"claim"}, "diverged": {"method"},
}

// compile compiles an expression whose value is of the given kind: a truth (reflect.Bool) or a number (reflect.Struct, for
// Value). specs are the specs of the runs that come before it by id.
func compile(text string, want reflect.Kind, specs map[string]*experiments.Spec, last string) (*expression, error) {
	options := []expr.Option{expr.Env(scope{}), expr.DisableAllBuiltins()}
	if want == reflect.Bool {
		options = append(options, expr.AsBool())
	}
	program, err := expr.Compile(text, append(options, arithmetic()...)...)
	if err != nil {
		return nil, compileError(err)
	}
	if t := program.Node().Type(); want != reflect.Bool && t != reflect.TypeFor[Value]() {
		return nil, fmt.Errorf("want a number that is read from records, got %v; write final(…), at(…), rate(…), across(…), reach(…) or claim(…)", t)
	}
	c := checker{specs: specs, last: last}
	node := program.Node()
	ast.Walk(&node, &c)
	if len(c.errs) == 0 && !c.reads {
		c.errs = append(c.errs, errors.New("it reads no records, so its value would be a literal; use final, at, rate, across, reach, claim or diverged"))
	}
	return &expression{program, last, c.named}, errors.Join(c.errs...)
}

// compileError returns the message of an error of expr without the excerpt of the source.
func compileError(err error) error {
	if at := (*file.Error)(nil); errors.As(err, &at) {
		message := at.Message
		if name, ok := strings.CutPrefix(message, "unknown name "); ok {
			message += "; " + experiments.Suggest(name, functionNames())
		}
		return fmt.Errorf("column %d: %s", at.Column+1, message)
	}
	return err
}

// functionNames lists the functions that expressions have.
func functionNames() []string {
	names := []string{"run", "within", "below", "above", "width"}
	for name := range readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A checker finds unknown methods, metrics, abscissae, claims and runs in an expression.
type checker struct {
	specs map[string]*experiments.Spec
	last  string
	named []string // runs that the expression names
	reads bool
	errs  []error
}

// Visit implements ast.Visitor.
func (c *checker) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	name, run := "", c.last
	switch callee := call.Callee.(type) {
	case *ast.IdentifierNode:
		name = callee.Value
	case *ast.MemberNode:
		if property, ok := callee.Property.(*ast.StringNode); ok {
			name = property.Value
		}
		if of, ok := callee.Node.(*ast.CallNode); ok && len(of.Arguments) == 1 {
			run, _ = literal(of.Arguments[0])
		}
	}
	if name == "run" {
		c.argument(call.Arguments[0], "run", nil)
		if id, ok := literal(call.Arguments[0]); ok {
			c.named = append(c.named, id)
		}
		return
	}
	roles, ok := readers[name]
	if !ok {
		return
	}
	c.reads = true
	for i, role := range roles {
		if role != "" && i < len(call.Arguments) {
			c.argument(call.Arguments[i], role, c.specs[run])
		}
	}
}

// literal returns the text of a node that is a text in quotes.
func literal(n ast.Node) (string, bool) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// argument checks an argument of a reader against the spec whose records are read, which is nil if there is no run before.
func (c *checker) argument(n ast.Node, role string, spec *experiments.Spec) {
	text, ok := literal(n)
	fail := func(format string, args ...any) { c.errs = append(c.errs, fmt.Errorf(format, args...)) }
	if !ok {
		fail("the %s must be a text in quotes", role)
		return
	}
	if spec == nil && role != "run" {
		if len(c.errs) == 0 {
			fail("there is no run whose records it could read; move it after a run fence, or name a run")
		}
		return
	}
	if role == "key" {
		return // a wrong key is an error of the records
	}
	name := text
	if role == "metric" {
		name = strings.TrimSuffix(text, records.AverageSuffix)
	}
	if names := c.names(role, spec); !slices.Contains(names, name) {
		fail("unknown %s %q; %s", role, name, experiments.Suggest(name, names))
	}
	if (role == "x" || role == "metric") && records.Timed(name) {
		fail("%s is measured with the clock, so its answer would depend on the machine; use evals or flops", name)
	}
}

// names lists what an argument of a role may name.
func (c *checker) names(role string, spec *experiments.Spec) (names []string) {
	switch role {
	case "run":
		names = slices.Sorted(maps.Keys(c.specs))
	case "method":
		for _, m := range spec.Methods {
			names = append(names, m.ID)
		}
	case "group":
		for _, m := range spec.Methods {
			if m.Group != "" && !slices.Contains(names, m.Group) {
				names = append(names, m.Group)
			}
		}
	case "metric":
		names = slices.Concat(spec.Evaluate.Metrics, records.AbscissaNames())
	case "x":
		names = records.AbscissaNames()
	case "claim":
		for _, cl := range spec.Experiment().Claims {
			names = append(names, cl.ID)
		}
	}
	return names
}

// value runs an expression over the records of runs.
func (e *expression) value(runs Runs) (any, error) {
	out, err := expr.Run(e.program, runs.scope(e.last))
	if err != nil {
		return nil, compileError(err)
	}
	return out, nil
}

// holds evaluates an expression of truth.
func (e *expression) holds(runs Runs) (bool, error) {
	out, err := e.value(runs)
	if err != nil {
		return false, err
	}
	return out.(bool), nil
}

// number evaluates an expression of a number.
func (e *expression) number(runs Runs) (Value, error) {
	out, err := e.value(runs)
	if err != nil {
		return Value{}, err
	}
	return out.(Value), nil
}

// Judged is a claim of a spec: its number with the ends of its interval, and the verdict at the size of the run.
type Judged struct {
	Measured Value   `expr:"measured"`
	Low      float64 `expr:"low"`
	High     float64 `expr:"high"`
	Verdict  string  `expr:"verdict"`
}
