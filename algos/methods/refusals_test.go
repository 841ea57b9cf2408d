package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// featureless is a kernel without random features.
type featureless struct{ compute.KernelFunc }

func (featureless) Name() string { return "featureless" }

// What a method does not solve it refuses, and says why.
func TestRefusals(t *testing.T) {
	type change = func(*algos.Problem)
	type settings = map[string]any
	kernel := func(k kernels.Kernel) change { return func(p *algos.Problem) { p.Kernel = k } }
	variances := func(p *algos.Problem) { p.Train = algostest.KernelTargets(p, algostest.Queries(3)).Train }
	asItIs := func(*algos.Problem) {}
	noNu := func(p *algos.Problem) { p.Nu = 0 }
	plain := kernel(featureless{kernels.Gaussian{Sigma: 1}})
	fileOrder := func(p *algos.Problem) { p.FileOrder = true }
	single := func(p *algos.Problem) {
		p.Engine, p.Nu = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32}), 1e-12
	}
	square, hinge, logistic := losses.Square{}, losses.Hinge{}, losses.Logistic{}
	step, few := constant(1), settings{"features": 4, "blocks": 2}
	const other = "method does not apply: "
	for _, c := range []struct {
		method   string
		settings settings
		loss     losses.Loss
		change   change
		says     string // "" if it starts
	}{
		{"krr", nil, hinge, asItIs, other + "krr needs the square loss, not hinge"},
		{"fogd", nil, hinge, asItIs, other + "fogd needs the square loss, not hinge"},
		{"taylor-expansion", nil, hinge, asItIs, other + "taylor-expansion needs the square loss, not hinge"},
		{"phi-awv", nil, hinge, asItIs, other + "phi-awv needs the square loss, not hinge"},
		{"nystrom-awv", nil, hinge, asItIs, other + "nystrom-awv needs the square loss, not hinge"},
		{"pros-n-kons", nil, hinge, asItIs, other + "pros-n-kons needs the square loss, not hinge"},
		{"random-features", nil, logistic, asItIs, other + "random-features needs the square loss, not logistic"},
		{"ksvm", nil, square, asItIs, other + "ksvm needs the hinge loss, not square"},
		{"svrg-rf", few, hinge, asItIs, other + "svrg-rf needs a smooth loss, not hinge"},
		{"svrg-rf", few, losses.Absolute{}, asItIs, other + "svrg-rf needs a smooth loss, not absolute"},
		{"r-rbcd", few, hinge, asItIs, other + "r-rbcd needs a smooth loss, not hinge"},
		{"r-rbcd", few, losses.Absolute{}, asItIs, other + "r-rbcd needs a smooth loss, not absolute"},
		{"r-rbcd", few, losses.DensityRatio{}, asItIs, other + "r-rbcd needs a smooth loss, not density-ratio"},
		{"eigenpro2", nil, hinge, noNu, other + "eigenpro2 needs a smooth loss, not hinge"},
		{"eigenpro2", nil, square, asItIs, other + "eigenpro2 has no regulariser, set nu = 0 instead of 0.125"},
		{"r-sbmd", few, losses.Novelty{}, asItIs, other + "r-sbmd learns no threshold, which the loss novelty needs"},
		{"r-pegasos", few, losses.Novelty{}, asItIs, other + "r-pegasos learns no threshold, which the loss novelty needs"},
		{"n-pegasos", few, losses.Novelty{}, asItIs, other + "n-pegasos learns no threshold, which the loss novelty needs"},
		{"krr", nil, losses.Novelty{}, asItIs, other + "krr needs the square loss, not novelty"},
		{"k-sdca", nil, losses.Softmax{}, asItIs, other + "k-sdca has no dual step for loss softmax"},
		{"r-sdca", few, losses.Softmax{}, asItIs, other + "r-sdca has no dual step for loss softmax"},
		{"n-sdca", few, losses.Novelty{}, asItIs, other + "n-sdca has no dual step for loss novelty"},

		{"ksvm", nil, hinge, noNu, other + "ksvm needs ν > 0"},
		{"k-sdca", nil, square, noNu, other + "k-sdca needs ν > 0, got 0; its f is a sum over 1/(νn)"},
		{"phi-awv", nil, square, noNu, other + "phi-awv needs ν > 0"},
		{"nystrom-awv", nil, square, noNu, other + "nystrom-awv needs ν > 0"},
		{"pros-n-kons", nil, square, noNu, other + "pros-n-kons needs ν > 0"},
		{"r-pegasos", few, hinge, noNu, other + "r-pegasos needs ν > 0 for its own step 1/(νt) and for its projection"},
		{"r-pegasos", settings{"features": 4, "step": step, "projection": true}, hinge, noNu, other + "r-pegasos needs ν > 0 for its own step 1/(νt) and for its projection"},
		{"r-pegasos", settings{"features": 4, "step": step}, hinge, noNu, ""},
		{"r-sbmd", few, square, noNu, other + "r-sbmd needs ν > 0 for its own step b/(ν(t + b - 1)), or a step"},
		{"r-sbmd", settings{"features": 4, "blocks": 2, "step": step}, square, noNu, ""},
		{"falkon", settings{"landmarks": 20}, square, single, `falkon: the ridge of nu = 1e-12 is lost in the rounding errors of float32; raise nu to 6e-09, or set precision = "float64"`},

		{"dsg", nil, square, plain, other + "dsg needs a kernel with random features, not featureless"},
		{"r-pegasos", few, square, plain, other + "r-pegasos needs a kernel with random features, not featureless"},
		{"r-sbmd", few, square, plain, other + "r-sbmd needs a kernel with random features, not featureless"},
		{"r-rbcd", few, square, plain, other + "r-rbcd needs a kernel with random features, not featureless"},
		{"r-sdca", few, square, plain, other + "r-sdca needs a kernel with random features, not featureless"},
		{"random-features", nil, square, plain, other + "random-features needs a kernel with random features, not featureless"},
		{"norma", nil, square, plain, ""},
		{"krr", nil, square, plain, ""},
		{"fogd", nil, square, kernel(kernels.ArcCosine{Order: 1}), other + "fogd needs a kernel whose random features are cosines, not arc-cosine"},
		{"phi-awv", nil, square, kernel(kernels.Cauchy{Sigma: 1}), other + "phi-awv has the Taylor functions of the Gaussian kernel, not of cauchy"},
		{"taylor-expansion", nil, square, kernel(kernels.Cauchy{Sigma: 1}), other + "taylor-expansion is of the Gaussian kernel, not of cauchy"},

		{"gp-operator", nil, square, asItIs, other + "gp-operator estimates a posterior variance, not a function of the data's targets; it needs kernel targets and the square loss"},
		{"gp-operator", nil, hinge, variances, other + "gp-operator estimates a posterior variance, not a function of the data's targets; it needs kernel targets and the square loss"},
		{"gp-operator", nil, square, func(p *algos.Problem) { plain(p); variances(p) }, other + "gp-operator needs a kernel with random features, not featureless"},
		{"sgd-rf", settings{"features": 4, "sampling": "replacement"}, square, fileOrder, other + "sgd-rf draws rows with replacement, which contradicts the order of the file"},
		{"n-pegasos", settings{"features": 21}, hinge, asItIs, other + "n-pegasos draws 21 landmarks from 20 training rows"},
		{"n-sbmd", settings{"features": 21, "blocks": 2}, square, asItIs, other + "n-sbmd draws 21 landmarks from 20 training rows"},
		{"n-rbcd", settings{"features": 21, "blocks": 2}, square, asItIs, other + "n-rbcd draws 21 landmarks from 20 training rows"},
		{"n-sdca", settings{"features": 21}, square, asItIs, other + "n-sdca draws 21 landmarks from 20 training rows"},
		{"nystrom-ridge", settings{"features": 21}, square, asItIs, other + "nystrom-ridge draws 21 landmarks from 20 training rows"},
		{"eigenpro4", settings{"centres": 21}, square, noNu, other + "eigenpro4 draws 21 centres from 20 training rows"},
		{"random-features", nil, square, func(p *algos.Problem) { p.Train = algostest.Draw("train", 4097, losses.Regression) },
			"random-features compares all pairs of at most 4096 training rows, and there are 4097; lower data.train"},

		{"r-sbmd", settings{"features": 8, "blocks": 9}, square, asItIs, "r-sbmd: blocks = 9 of features = 8 leave some empty; lower blocks"},
		{"n-rbcd", settings{"features": 4, "blocks": 5}, square, asItIs, "n-rbcd: blocks = 5 of features = 4 leave some empty; lower blocks"},
		{"gd", settings{"leap": true}, logistic, asItIs, other + "gd leaps with the square loss alone, not logistic: leave leap out"},
		{"gd", settings{"leap": true, "step": &schedules.Inverse{Gamma0: 1, T0: 1}}, square, asItIs, other + `gd leaps with a constant step alone: leave leap out, or give schedule = "constant"`},
		{"pros-n-kons", settings{"variant": "corrected"}, square, asItIs, `pros-n-kons: unknown variant "corrected": it is correct or released`},
		{"eigenpro", settings{"rule": "full", "eta": 5.}, square, noNu, `eigenpro: eta is of rule "code" alone: remove eta, or step and rule = "full"`},
		{"eigenpro", settings{"step": step, "eta": 5.}, square, noNu, `eigenpro: eta is of rule "code" alone: remove eta, or step and rule = "code"`},
		{"eigenpro-rf", settings{"rule": "full", "eta": 5.}, square, noNu, `eigenpro-rf: eta is of rule "code" alone: remove eta, or step and rule = "full"`},
		{"eigenpro-rf", settings{"step": step, "eta": 5.}, square, noNu, `eigenpro-rf: eta is of rule "code" alone: remove eta, or step and rule = "code"`},
		{"eigenpro2", settings{"exponent": 1.5}, square, noNu, "eigenpro2: exponent must be at most 1, got 1.5: eigenvalues are lowered to that of q, not below"},
		{"spectral-sketch", settings{"directions": 15, "sketch": 15}, square, noNu, "spectral-sketch: a sketch of 15 columns cannot find 15 eigenvectors and one eigenvalue more: raise sketch, best to four times directions"},
	} {
		p := algostest.Problem(20, c.loss)
		c.change(p)
		_, err := configured(t, c.method, c.settings).Start(p)
		if c.says == "" {
			assert.NoError(t, err, c.method)
		} else {
			assert.EqualError(t, err, c.says, "%s on %s", c.method, c.loss.Name())
		}
	}
}
