package losses_test

import (
	"fmt"
	"log"
	"math"

	"repro/algos/losses"
)

// LogCosh is l(u, y) = s²·log cosh((u - y)/s), which is quadratic near 0 and linear far from it.
type LogCosh struct{ Scale float64 }

func (LogCosh) Name() string        { return "log-cosh" }
func (LogCosh) Smoothness() float64 { return 1 }
func (LogCosh) Task() string        { return losses.Regression }

func (l LogCosh) Value(u, y []float64) (sum float64) {
	for i, v := range u {
		sum += l.Scale * l.Scale * math.Log(math.Cosh((v-y[i])/l.Scale))
	}
	return sum
}

func (l LogCosh) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = l.Scale * math.Tanh((v-y[i])/l.Scale)
	}
}

func init() {
	losses.Register("log-cosh", losses.Family{
		Doc:  "s²·log cosh((u - y)/s): squares near 0, absolute values far from it",
		Keys: []losses.Key{{Name: "scale", Need: "> 0", OK: func(v float64) bool { return v > 0 }}},
		Make: func(c losses.Config) losses.Loss { return LogCosh{c.Params["scale"]} },
	})
}

// A spec asks for the loss with loss = { name = "log-cosh", params = { scale = 2.0 } }.
func ExampleRegister() {
	l, err := losses.New(losses.Config{Name: "log-cosh", Params: map[string]float64{"scale": 2}})
	if err != nil {
		log.Fatal(err)
	}
	g := make([]float64, 1)
	l.Gradient(g, []float64{3}, []float64{1})
	fmt.Println(losses.Doc("log-cosh"), losses.Task("log-cosh"))
	fmt.Printf("l(3, 1) = %.4f, l'(3, 1) = %.4f\n", l.Value([]float64{3}, []float64{1}), g[0])

	_, err = losses.New(losses.Config{Name: "log-cosh", Params: map[string]float64{"scale": -1}})
	fmt.Println(err)
	// Output:
	// s²·log cosh((u - y)/s): squares near 0, absolute values far from it regression
	// l(3, 1) = 1.7351, l'(3, 1) = 1.5232
	// loss log-cosh: params.scale: must be > 0, got -1
}
