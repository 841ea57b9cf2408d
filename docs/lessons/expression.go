package lessons

import (
	"regexp"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

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

// Judged is a claim of a spec: its number, and the verdict at the size of the run.
type Judged struct {
	Measured Value  `expr:"measured"`
	Verdict  string `expr:"verdict"`
}

// compile compiles an expression over records.
func compile(text string, more ...expr.Option) (*vm.Program, error) {
	return expr.Compile(text, append(append(arithmetic(), expr.Env(scope{}), expr.DisableAllBuiltins()), more...)...)
}

// evaluate returns the value of an expression of a lesson. Functions without run(id) read the run last.
func (runs Runs) evaluate(last, text string) any {
	var out any
	program, err := compile(text)
	if err == nil {
		out, err = expr.Run(program, runs.scope(last))
	}
	if err != nil {
		panic("lessons: " + text + ": " + err.Error())
	}
	return out
}

// holds evaluates an expression of truth.
func (runs Runs) holds(last, text string) bool { return runs.evaluate(last, text).(bool) }

// number evaluates an expression of a number.
func (runs Runs) number(last, text string) Value { return runs.evaluate(last, text).(Value) }

// placeholder matches the place of a number in a text.
var placeholder = regexp.MustCompile(`(?s){{\s*(.*?)\s*}}`)

// fill writes a text with the numbers of the records, with … for each if runs is nil.
func (runs Runs) fill(last, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if runs == nil {
			return "…"
		}
		return runs.number(last, placeholder.FindStringSubmatch(found)[1]).String()
	})
}
