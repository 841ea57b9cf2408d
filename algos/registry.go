package algos

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"repro/algos/compute"
	"repro/algos/params"
)

type entry struct {
	doc      string
	defaults func() Algorithm
}

var registry = map[string]entry{}

// fits holds a zero value of the type of the fits of every type of algorithm that declares it, numbers what fits of a type say of
// themselves by name.
var (
	fits    = map[reflect.Type]Fit{}
	numbers = map[reflect.Type]map[string]Number{}
)

// A Number is something that fits say of themselves under the name of a metric, such as a duality gap. It is computed when it is asked
// for, which does not change the fit.
type Number struct {
	name string
	of   func(Fit) (float64, error)
}

// Known is a Number that fits of the type F say: algos.Known("duality-gap", (*ksvm).gap).
func Known[F Fit](name string, of func(F) float64) Number {
	return Number{name, func(f Fit) (float64, error) { return of(f.(F)), nil }}
}

// Computed is a Number whose computation can fail.
func Computed[F Fit](name string, of func(F) (float64, error)) Number {
	return Number{name, func(f Fit) (float64, error) { return of(f.(F)) }}
}

// NumberOf returns the function that computes a number of a fit, nil if fits of its type do not say it. A fit around another one has its
// numbers if it returns that one as Unwrap.
func NumberOf(f Fit, name string) func() (float64, error) {
	if n, ok := numbers[reflect.TypeOf(f)][name]; ok {
		return func() (float64, error) { return n.of(f) }
	}
	if around, ok := f.(interface{ Unwrap() Fit }); ok {
		return NumberOf(around.Unwrap(), name)
	}
	return nil
}

// NumbersOf lists the numbers of a fit.
func NumbersOf(f Fit) []string { return slices.Sorted(maps.Keys(numbers[reflect.TypeOf(f)])) }

// Declare says that algorithms of a's type start fits of the type F, which say some numbers; F is Fit if they never start one.
func Declare[F Fit](a Algorithm, says ...Number) struct{} {
	var f F
	fits[reflect.TypeOf(a)] = f
	of := reflect.TypeFor[F]()
	if numbers[of] == nil {
		numbers[of] = map[string]Number{}
	}
	for _, n := range says {
		numbers[of][n.name] = n
	}
	return struct{}{}
}

// Declared returns a zero value of the type of Fit that a starts, such as (*krr)(nil), which is nil if a never starts one. The
// caller asks it for its interfaces only and must not call its methods: the loader refuses a spec that measures what the fits
// do not know. ok is false if nobody declared the type.
func Declared(a Algorithm) (f Fit, ok bool) {
	f, ok = fits[reflect.TypeOf(a)]
	return f, ok
}

// Register adds a method under its name in specs, with one line for lists, the type F of its fits and the numbers that these say. Each
// call of defaults must return a new method with its defaults. A package that holds methods registers each beside its type,
//
//	var _ = algos.Register[*krr]("krr", "exact kernel ridge regression", func() algos.Algorithm { return &KRR{} })
//
// A program knows the methods of all packages that it imports. Register panics if the name is taken.
func Register[F Fit](name, doc string, defaults func() Algorithm, says ...Number) struct{} {
	switch _, taken := registry[name]; {
	case taken:
		panic("algos: " + name + " registered twice")
	case name == "" || doc == "" || defaults == nil:
		panic("algos: " + name + ": a method needs a name, a line for lists and its defaults")
	}
	if err := params.CheckTags(defaults()); err != nil {
		panic("algos: " + name + ": " + err.Error())
	}
	registry[name] = entry{doc, defaults}
	return Declare[F](defaults(), says...)
}

// New returns a pointer to the named method with its defaults, for a spec to overwrite.
func New(name string) (Algorithm, error) {
	e, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", name)
	}
	return e.defaults(), nil
}

// Names lists the registered methods in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Doc returns the line that lists print for the named method, "" if there is not one of that name.
func Doc(name string) string { return registry[name].doc }

// Train fits a to p in memory and returns the predictor. It makes at most the given number of steps, fewer if the method
// is done. It does not close the fit, whose model it returns. If p has no engine, Train uses one in float64 on all processors; it does not change p. An error of Start means
// that the method does not solve p, an error of a step that the fit diverged or cannot be computed.
func Train(p *Problem, a Algorithm, steps int) (Model, error) {
	if p.Train == nil || p.Kernel == nil || p.Loss == nil {
		return nil, errors.New("algos: Train: the problem needs training samples, a kernel and a loss")
	}
	if p.Engine == nil {
		with := *p
		with.Engine = compute.NewEngine(compute.Options{})
		p = &with
	}
	if err := Check(p); err != nil {
		return nil, err
	}
	f, err := a.Start(p)
	if err != nil {
		return nil, err
	}
	for range steps {
		progress, err := f.Step()
		if err != nil {
			return nil, err
		}
		if progress.Done {
			break
		}
	}
	return f.Model(), nil
}

// Unsupported asks a method, without reading a row, whether it solves problems like p. It returns what Start returns if that wraps
// ErrUnsupported, and nil if Start comes as far as the rows or the engine, which p need not have. The laws hold every algorithm to
// saying so before.
//
// Start is asked about few rows if there are more, because it may hold numbers for each, and about ten times as many, up to a
// million, while it refuses these: it may draw more of them. No answer depends on more, nor on the number of outputs. A method
// whose fit would take more than 64 GB is not asked, because Start may allocate weights.
func Unsupported(a Algorithm, p *Problem) (why error) {
	const fewRows, mostRows, mostBytes = 1000, 1_000_000, 64e9
	n := min(p.Train.Len(), mostRows)
	in, out := p.Train.Dims()
	if c, ok := a.(Coster); ok && !(c.Cost(Size{N: n, In: in, Out: out, Steps: 1, Evals: 1}).Bytes <= mostBytes) {
		return nil
	}
	asked := min(n, fewRows)
	for why = refused(a, p, asked); why != nil && asked < n; why = refused(a, p, asked) {
		asked = min(n, 10*asked)
	}
	return why
}

// refused is Unsupported with n rows like those of p.
func refused(a Algorithm, p *Problem, n int) error {
	in, _ := p.Train.Dims()
	asked := *p
	asked.Engine = compute.NewEngine(compute.Options{Threads: 1, Device: func(compute.Device) compute.Device { return notYet{} }})
	defer asked.Engine.Retire()
	asked.Train = NoRows{n, in, 1}
	if t, ok := p.Train.(KernelTargets); ok {
		_, own := t.Samples.Dims()
		t.Samples = NoRows{n, in, own}
		asked.Train = t
	}
	defer func() {
		if r := recover(); r != nil && r != errCame {
			panic(r) // a fault of Start
		}
	}()
	f, err := a.Start(&asked)
	if errors.Is(err, ErrUnsupported) {
		return err
	} else if err == nil {
		Close(f)
	}
	return nil
}

// errCame is what NoRows and notYet panic with: Start came as far as the rows, or the engine.
var errCame any = errors.New("algos: there are no rows, and nothing is computed")

// NoRows are samples of a size whose rows cannot be read.
type NoRows struct{ N, In, Out int }

func (r NoRows) Len() int                                   { return r.N }
func (r NoRows) Dims() (in, out int)                        { return r.In, r.Out }
func (NoRows) Gather([]int, compute.Matrix, compute.Matrix) { panic(errCame) }
func (NoRows) Whole() (x, y compute.Matrix, ok bool)        { panic(errCame) }

// notYet is the device of an engine that must not compute.
type notYet struct{}

func (notYet) Kernel(compute.Precision, compute.Formula, compute.Matrix, compute.Matrix) compute.Product {
	panic(errCame)
}
func (notYet) Features(compute.Precision, compute.ProjectionMap, compute.Matrix, compute.Range) compute.Product {
	panic(errCame)
}
func (notYet) Gemm(compute.Precision, compute.Matrix, float64, compute.Matrix, bool, compute.Matrix, bool, float64, bool) {
	panic(errCame)
}
func (notYet) Trsm(compute.Matrix, bool, compute.Matrix)                   { panic(errCame) }
func (notYet) Cholesky(compute.Matrix) bool                                { panic(errCame) }
func (notYet) Syevd(compute.Matrix, int) ([]float64, compute.Matrix, bool) { panic(errCame) }
