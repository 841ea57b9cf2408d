package compute

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// A Device does the arithmetic of an engine: the engine checks shapes, counts the cost, maps points and holds to its limit of
// memory. Its own device is the host, the vector code of this package. Options.Device makes another one, which embeds the host
// and replaces some of the methods: what it lacks, or does not know, the host does. docs/compute.md says how to write and how to
// test one.
//
// Only one goroutine at a time calls the methods of a device and of its products. Operands are on the host, in float64, and only
// read; results do not share memory with them. p is the least precision: within its error bounds a device may compute as it
// likes.
type Device interface {
	// Kernel returns the operator of the kernel of a formula between the rows of x and z. Points are mapped already, and f.Scale
	// is not 0. x and z do not change as long as the product is used.
	Kernel(p Precision, f Formula, x, z Matrix) Product
	// Features returns the operator of the features of some blocks at the rows of x.
	Features(p Precision, f ProjectionMap, x Matrix, blocks Range) Product
	// Gemm does what Engine.Gemm does. If symmetric, c and op(a)·op(b) are symmetric, and the result must be so to the bit.
	Gemm(p Precision, c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64, symmetric bool)
	// Trsm, Cholesky and Syevd do what those of Engine do, in float64. Syevd gets a matrix of finite entries.
	Trsm(u Matrix, transpose bool, b Matrix)
	Cholesky(a Matrix) (ok bool)
	Syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool)
}

// A Product is an r×c matrix A as its device sees it.
type Product interface {
	// Mul sets dst to A·v, or to Aᵀ·v.
	Mul(dst, v Matrix, transpose bool)
	// Part returns the product whose row i is row rows[i] of A.
	Part(rows []int) Product
	// Entries sets the slice to(i) to row i of A, for all i. It may call to several times for a row, and on several goroutines.
	Entries(to func(i int) []float64)
}

// A Keeper is a Product that can keep its entries in the memory of its device. The engine keeps those of others on the host.
type Keeper interface {
	Product
	// Keep returns a product with the same entries, all of them evaluated. Several engines may use it at a time.
	Keep() Product
}

// host is the device that an engine is itself.
type host Engine

// devices are those of RegisterDevice. chosen is the name of the one that the fits of this process run on, "" for the host.
var devices, chosen = map[string]func(host Device) Device{}, os.Getenv("REPRO_DEVICE")

// RegisterDevice lets the environment variable REPRO_DEVICE name a device for Options.Device, on which the runner then fits. It
// is called in an init function.
func RegisterDevice(name string, device func(host Device) Device) { devices[name] = device }

// ChosenDevice returns the device that REPRO_DEVICE names, nil if it is not set.
func ChosenDevice() (device func(host Device) Device, err error) {
	device, ok := devices[chosen]
	if !ok && chosen != "" {
		return nil, fmt.Errorf("REPRO_DEVICE is %q, and this program has no such device: unset it, or choose one of %q", chosen, slices.Sorted(maps.Keys(devices)))
	}
	return device, nil
}

// An operator is the Operator of what any device made: it checks shapes and counts.
type operator struct {
	e          *Engine
	on         Product // nil after Release
	rows, cols int
	inputs     int // of an evaluation
	kind       entries
	single     bool // entries are float32 numbers
	stored     bool
	part       bool     // another operator has more rows, or is that of the engine that stored it
	held       *holding // of a stored matrix whose memory is limited
}

// entries are what the entries of an operator are.
type entries uint8

const (
	kernelValues      entries = iota
	featureValues             // of a ProjectionMap
	evaluatedFeatures         // of an Evaluator
	givenNumbers              // that are not evaluated
)

// operator returns the operator of what a device made, in the memory that products of the host have for it.
func (e *Engine) operator(on Product) *operator {
	var o *operator
	if h, ok := on.(interface{ own() *operator }); ok {
		o = h.own()
	} else {
		o = new(operator)
	}
	o.e, o.on = e, on
	return o
}

// like returns an operator of another product that has the properties of o.
func (o *operator) like(e *Engine, on Product) *operator {
	s := e.operator(on)
	*s = *o
	s.e, s.on = e, on
	return s
}

// own returns o: what embeds an operator has it.
func (o *operator) own() *operator { return o }

// operatorOf returns what op is on a device. It is empty for an operator that is not of this package.
func operatorOf(op Operator) *operator {
	if o, ok := op.(interface{ own() *operator }); ok {
		return o.own()
	}
	return &operator{}
}

func (o *operator) Dims() (r, c int) { return o.rows, o.cols }

func (o *operator) Select(rows []int) Operator {
	for _, i := range rows {
		if i < 0 || i >= o.rows {
			panic(fmt.Sprintf("compute: Select: row %d of an operator with %d rows", i, o.rows))
		}
	}
	s := o.like(o.e, o.on.Part(rows))
	s.rows, s.part = len(rows), true
	return s
}

func (o *operator) MulTo(dst, v Matrix) {
	mustShape("MulTo", dst, o.rows, v.Cols)
	mustShape("MulTo", v, o.cols, v.Cols)
	o.on.Mul(dst, v, false)
	o.count(v.Cols)
}

func (o *operator) MulTransTo(dst, v Matrix) {
	mustShape("MulTransTo", dst, o.cols, v.Cols)
	mustShape("MulTransTo", v, o.rows, v.Cols)
	o.on.Mul(dst, v, true)
	o.count(v.Cols)
}

// count adds the cost of a product with k columns.
func (o *operator) count(k int) {
	n, m, q := int64(o.rows), int64(o.cols), int64(k)
	c := Counters{Flops: 2 * n * m * q, Bytes: 8 * (n + m) * q}
	if o.stored {
		c.Bytes += o.bytes()
	} else {
		c = c.Add(o.evaluation())
	}
	o.e.count(c)
}

// evaluation returns the cost of evaluating all entries.
func (o *operator) evaluation() Counters {
	n, m, d := int64(o.rows), int64(o.cols), int64(o.inputs)
	c := Counters{Flops: 2 * n * m * d, Bytes: 8 * n * d}
	switch o.kind {
	case kernelValues:
		c.KernelEvals = n * m
		c.Bytes += 8 * m * d
	case featureValues:
		c.FeatureEvals = n * m
		c.Bytes += 8 * m * (d + 1)
	case evaluatedFeatures:
		c.FeatureEvals = n * m
	}
	return c
}

// bytes returns the size of the entries.
func (o *operator) bytes() int64 {
	if o.single {
		return 4 * int64(o.rows) * int64(o.cols)
	}
	return 8 * int64(o.rows) * int64(o.cols)
}

// matrix returns all entries.
func (o *operator) matrix() Matrix {
	m := o.e.Unset(o.rows, o.cols)
	if f, ok := o.on.(*evaluated); ok {
		f.fill(m, 0, f.blocks)
	} else {
		o.on.Entries(m.Row)
	}
	o.e.count(o.evaluation())
	return m
}
