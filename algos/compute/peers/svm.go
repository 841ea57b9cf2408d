package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/datasets"
	"repro/datasets/transforms"
)

// svmTrainOp is the candidate that is LIBSVM's program instead of an op of peer.py.
const svmTrainOp = "svm-train"

// svmTolerance is how far decision values may differ: LIBSVM's default of 1e-3 for violations of the optimality conditions leaves
// differences of that order.
const svmTolerance = 1e-2

// svm is a support vector machine with a bias on a9a, or on n generated rows. The peers have LIBSVM's default tolerance. We stop at
// the smallest relative duality gap that a peer reached.
func svm(e *compute.Engine, lib *datasets.Library, n int) work {
	const c, sigma = 1, 4
	w := work{
		name: "exact SVM", tolerance: svmTolerance,
		peers: []candidate{{"LIBSVM svm-train (1 thread)", svmTrainOp, nil}, {"scikit-learn SVC (1 thread)", "svc", learn}},
	}
	rows := n
	load := func(context.Context) (x, y compute.Matrix, err error) {
		x, y = generatedLabels(n)
		return x, y, nil
	}
	w.shape = fmt.Sprintf("n=%d d=%d C=%d", n, generatedInputs, c)
	if lib != nil {
		if ok, _ := lib.Available("a9a"); ok {
			rows, w.shape = a9aRows, fmt.Sprintf("a9a C=%d σ=%d", c, sigma)
			load = func(ctx context.Context) (x, y compute.Matrix, err error) {
				s, err := lib.Open(ctx, datasets.Options{Name: "a9a"}, "binary", 0, "")
				if err != nil {
					return x, y, err
				}
				x, y = (&algos.Problem{Train: s.Train}).Dense()
				return x, y, nil
			}
		}
	}
	w.bytes = min(8*float64(rows)*float64(rows), methods.KSVMRows) + 2*svmCache*1e6
	w.setup = func(ctx context.Context, dir string) (*task, error) {
		x, y, err := load(ctx)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, "rows.libsvm")
		if err := os.WriteFile(file, libsvmText(x, y), 0o600); err != nil {
			return nil, err
		}
		kernel := kernels.Gaussian{Sigma: sigma}
		t := &task{
			arrays:  map[string]compute.Matrix{"x": x, "y": y},
			numbers: map[string]float64{"c": c, "gamma": 1. / (2 * sigma * sigma), "tol": 1e-3, "cache_mb": svmCache},
			files:   map[string]string{"libsvm": file},
		}
		t.comparable = func(coef compute.Matrix) compute.Matrix {
			values, _ := expand(e, kernel, x, coef)
			return values
		}
		t.ours = func(peers []compute.Matrix) side {
			gap := 1e-3
			for _, coef := range peers {
				gap = min(gap, relativeGap(e, kernel, x, y, coef, c))
			}
			gap = max(gap, 1e-10) // rounding errors of float64 are not far below
			t.note = fmt.Sprintf("to a relative duality gap of %.1e", gap)
			p := &algos.Problem{
				Train: transforms.InMemory{X: x, Y: y}, Kernel: kernel, Loss: losses.Hinge{}, Nu: 1 / (c * float64(x.Rows)), Engine: e,
			}
			return fitted(p, &methods.KSVM{Gap: gap, Bias: true}, x)(peers)
		}
		return t, nil
	}
	return w
}

const (
	a9aRows         = 32_561
	svmCache        = 1000 // MB that a peer may use to keep rows of the kernel matrix
	generatedInputs = 20
)

// generatedLabels returns n rows with three decimals, which text holds exactly, and the signs of a noisy quadratic function of them.
func generatedLabels(n int) (x, y compute.Matrix) {
	x, y = normals(n, generatedInputs, "x"), normals(n, 1, "y")
	for i := range n {
		row := x.Row(i)
		for j, v := range row {
			row[j] = math.Round(1000*v) / 1000
		}
		y.Data[i] = math.Copysign(1, row[0]*row[1]+row[2]+0.5*y.Data[i])
	}
	return x, y
}

// expand returns Σ_i c_i k(x_i, ·) + b at the rows of x, for the column (c, b), and Σ_ij c_i c_j k(x_i, x_j).
func expand(e *compute.Engine, k kernels.Kernel, x, coef compute.Matrix) (values compute.Matrix, norm float64) {
	n := x.Rows
	var rows []int
	var c []float64
	for i, v := range coef.Data[:n] {
		if v != 0 {
			rows, c = append(rows, i), append(c, v)
		}
	}
	values = compute.NewMatrix(n, 1)
	if len(rows) > 0 {
		e.Kernel(k, x, x.Select(rows)).MulTo(values, compute.Matrix{Rows: len(c), Cols: 1, Stride: 1, Data: c})
	}
	for i, at := range rows {
		norm += c[i] * values.Data[at]
	}
	for i := range values.Data {
		values.Data[i] += coef.Data[n]
	}
	return values, norm
}

// relativeGap returns (P - D)/P for P = ‖f‖²/2 + C Σ max(0, 1 - y(f + b)) and D = Σ y_i c_i - ‖f‖²/2. It is +Inf if c is not
// feasible: unless 0 ≤ y_i c_i ≤ C.
func relativeGap(e *compute.Engine, k kernels.Kernel, x, y, coef compute.Matrix, c float64) float64 {
	values, norm := expand(e, k, x, coef)
	primal, dual := norm/2, -norm/2
	for i, v := range values.Data {
		primal += c * max(0, 1-y.Data[i]*v)
		beta := y.Data[i] * coef.Data[i]
		if beta < 0 || beta > c*(1+1e-9) { // but for roundings
			return math.Inf(1)
		}
		dual += beta
	}
	return (primal - dual) / primal
}

// libsvmText returns rows as LIBSVM reads them. Numbers have eight digits, as in LIBSVM's models.
func libsvmText(x, y compute.Matrix) []byte {
	var text []byte
	for i := range x.Rows {
		text = strconv.AppendFloat(text, y.Data[i], 'g', -1, 64)
		text = append(text, libsvmRow(x.Row(i))...)
		text = append(text, '\n')
	}
	return text
}

// libsvmRow returns the inputs of a row: " 1:0.5 7:1".
func libsvmRow(x []float64) []byte {
	var text []byte
	for j, v := range x {
		if v != 0 {
			text = append(text, ' ')
			text = strconv.AppendInt(text, int64(j+1), 10)
			text = append(text, ':')
			text = strconv.AppendFloat(text, v, 'g', 8, 64)
		}
	}
	return text
}

// svmTrain is LIBSVM's program. Its time includes reading the rows and writing the model.
type svmTrain struct {
	ctx     context.Context
	command []string
	model   string
	x, y    compute.Matrix
}

func newSVMTrain(ctx context.Context, program, dir string, t *task) (*svmTrain, error) {
	number := func(name string) string { return strconv.FormatFloat(t.numbers[name], 'g', -1, 64) }
	model := filepath.Join(dir, "model")
	return &svmTrain{
		ctx: ctx, model: model, x: t.arrays["x"], y: t.arrays["y"],
		command: []string{program, "-q", "-s", "0", "-t", "2", "-c", number("c"), "-g", number("gamma"), "-e", number("tol"), "-m", number("cache_mb"), t.files["libsvm"], model},
	}, nil
}

func (s *svmTrain) run() (float64, error) {
	begin := time.Now()
	cmd := exec.CommandContext(s.ctx, s.command[0], s.command[1:]...)
	cmd.Env = peerEnvironment(os.Environ(), 1) // it has threads only if it was built with OpenMP
	out, err := cmd.CombinedOutput()
	seconds := time.Since(begin).Seconds()
	if err != nil {
		return 0, peerError(fmt.Sprintf("%s: %v: %s", strings.Join(s.command, " "), err, bytes.TrimSpace(out)))
	}
	return seconds, nil
}

func (s *svmTrain) result() (compute.Matrix, error) {
	f, err := os.Open(s.model)
	if err != nil {
		return compute.Matrix{}, err
	}
	defer f.Close()
	coef, err := readModel(f, s.x, s.y)
	if err != nil {
		return compute.Matrix{}, fmt.Errorf("the model of %s: %w", s.command[0], err)
	}
	return coef, nil
}

// readModel reads a model of svm-train that was fitted to the rows of x, and returns the column of y_iα_i and the bias. It finds
// the row of a support vector by its text; of rows with the same text and label, which are interchangeable, it takes one after
// another.
func readModel(r *os.File, x, y compute.Matrix) (compute.Matrix, error) {
	type key struct {
		positive bool
		text     string
	}
	rows := map[key][]int{}
	for i := range x.Rows {
		k := key{y.Data[i] > 0, string(bytes.TrimSpace(libsvmRow(x.Row(i))))}
		rows[k] = append(rows[k], i)
	}
	coef := compute.NewMatrix(x.Rows+1, 1)
	sign, vectors := 1.0, 0 // -1 if the first label is -1, for which decision values of the model are positive
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for heading := true; lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if heading {
			name, value, _ := strings.Cut(line, " ")
			switch name {
			case "SV":
				heading = false
			case "label":
				if strings.HasPrefix(value, "-1") {
					sign = -1
				}
			case "rho":
				rho, err := strconv.ParseFloat(value, 64)
				if err != nil {
					return coef, err
				}
				coef.Data[x.Rows] = -rho
			}
			continue
		}
		word, text, _ := strings.Cut(line, " ")
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return coef, err
		}
		k := key{sign*v > 0, text}
		if len(rows[k]) == 0 {
			return coef, fmt.Errorf("the support vector %q is no training row of its label", text)
		}
		coef.Data[rows[k][0]], rows[k] = v, rows[k][1:]
		vectors++
	}
	if err := lines.Err(); err != nil {
		return coef, err
	}
	if vectors == 0 {
		return coef, errors.New("it has no support vectors")
	}
	coef.Scale(sign)
	return coef, nil
}
