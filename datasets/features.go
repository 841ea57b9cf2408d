package datasets

import (
	"context"
	"fmt"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// Sources of features that a paper computed with a network of its own or from a database, and did not
// publish. The user brings them, as two arrays of NumPy (train.npy with a row a sample and
// train-labels.npy with a number a sample; test.npy and test-labels.npy) or as LIBSVM text
// (train.libsvm and test.libsvm). Uncompressed arrays are read from the disk row by row when they are
// used, and may be larger than memory.
var _ = brought(Source{
	Name:     "mnist8m",
	Title:    "MNIST8M, ten digits: features of the last max-pooling layer of a convolutional network",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (6): 8.1 million training rows of 1568 inputs, from two convolution layers with 16 and 32 filters",
	Task:     taskMulticlass, Dims: 1568, Rows: 8_100_000, TestRows: 10_000,
}, "labels 0 to 9")

var _ = brought(Source{
	Name:     "cifar10",
	Title:    "CIFAR-10: features of the top max-pooling layer of a convolutional network",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (7): 2304 inputs, of the network with two convolution and two local layers that cuda-convnet specifies",
	Task:     taskMulticlass, Dims: 2304, Rows: 50_000, TestRows: 10_000,
}, "labels 0 to 9")

var _ = brought(Source{
	Name:     "imagenet",
	Title:    "ImageNet 2012: features of the last pooling layer of Alex-net",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (8): 1.3 million training rows of 9216 inputs",
	Task:     taskMulticlass, Dims: 9216, Rows: 1_281_167, TestRows: 50_000,
}, "labels 0 to 999")

var _ = brought(Source{
	Name:     "molecularspace",
	Title:    "MolecularSpace (Clean Energy Project): power conversion efficiency from Coulomb matrices in steps",
	Citation: citeDai,
	Notes: "dai2014 Table 4 (10): 2.3 million molecules, whose 2850 different entries of a random Coulomb matrix are taken apart into steps " +
		"as those of qm7 are; any number of inputs is taken",
	Task: taskRegression, Rows: 2_300_000,
}, "power conversion efficiencies")

// brought registers a source that the user brings. The numbers of rows are the paper's; the files may
// have others.
func brought(s Source, targets string) struct{} {
	shape := "rows × inputs"
	if s.Dims > 0 {
		shape = fmt.Sprintf("rows × %d", s.Dims)
	}
	if s.Licence == "" {
		s.Licence = "that of the data the features were made of"
	}
	labels, text := "rows", ", or train.libsvm and test.libsvm"
	if s.outputs > 1 {
		labels, text = fmt.Sprintf("rows × %d", s.outputs), ""
	}
	s.Bring = fmt.Sprintf("train.npy (%s), train-labels.npy (%s: %s), test.npy and test-labels.npy in the same way%s", shape, labels, targets, text)
	canonical := broughtForms[0]
	s.Format, s.training, s.Files = canonical.format, canonical.training, canonical.files
	if s.outputs <= 1 { // text has one label a row
		s.others = broughtForms[1:]
	}
	if s.Substitute == "" {
		s.Substitute = "features that the user brought: the paper's were not published"
	}
	return register(&s)
}

// broughtForms are those that data a user brings may have.
var broughtForms = []form{
	{format: "npy", training: 2, brought: true, files: []RemoteFile{{Name: "train.npy"}, {Name: "train-labels.npy"}, {Name: "test.npy"}, {Name: "test-labels.npy"}}},
	{format: "libsvm", training: 1, brought: true, files: []RemoteFile{{Name: "train.libsvm"}, {Name: "test.libsvm"}}},
}

// citeDai is the paper whose features are named first.
const citeDai = "Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Sec. 7.4 and 7.5"

// openFeatures loads a source that the user brings.
func openFeatures(ctx context.Context, o Options, s *Source, inputs []*input) (*Set, error) {
	for _, in := range inputs {
		in.remote = nil // nothing is known of the files
	}
	var set *Set
	var err error
	if inputs[0].format == "npy" {
		set, err = openArrays(ctx, o, s, inPairs(inputs))
	} else {
		set, err = open(ctx, o, s.Name, inputs)
	}
	if err != nil {
		return nil, err
	}
	set.Substitute = s.Substitute
	return set, nil
}

// openArrays makes a set of arrays, of which features stay on the disk if they are not compressed.
func openArrays(ctx context.Context, o Options, s *Source, pairs []*input) (*Set, error) {
	if s.outputs > 1 && o.TargetScale != "" && o.TargetScale != "none" {
		return nil, optionErrorf("target_scale", "%s has %d targets a row, which would each have a unit of its own: scale them in the file", s.Name, s.outputs)
	}
	set := &Set{Name: s.Name, Task: o.Task, memory: pairs[0].memory}
	var parts []*arrayRows
	for _, in := range pairs {
		rows, err := loadArrays(ctx, in)
		if err != nil {
			return nil, err
		}
		parts = append(parts, rows)
		set.Files = append(set.Files, rows.files...)
	}
	all := parts[0]
	if len(parts) > 1 && parts[1].in != all.in {
		return nil, formats.Faultf(formats.ErrFormat, "%s: %d inputs, the training rows have %d", pairs[1].path, parts[1].in, all.in)
	}
	if o.Stream && len(parts) > 1 {
		all.append(parts[1])
		parts = parts[:1]
	}
	train, held, err := o.choose(all.y)
	if err != nil {
		return nil, err
	}
	tested := all
	if len(parts) > 1 {
		tested = parts[1]
		held = o.ofClasses(transforms.Span(0, tested.Len()), tested.y)
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, err
	}
	targets := []compute.Matrix{all.y}
	if tested != all {
		targets = append(targets, tested.y)
	}
	o.relabel(targets...)
	if err := o.scaleTargets(set, transforms.Pick(all.y, train), targets...); err != nil {
		return nil, err
	}
	return set, o.finish(ctx, set, transforms.Subset{Samples: all, Rows: train}, transforms.Subset{Samples: tested, Rows: held})
}
