package datasets

import (
	"context"
	"errors"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// fit fits the transforms o asks for on training rows.
func (o Options) fit(ctx context.Context, train Samples) (steps []transforms.Transform, err error) {
	scale, err := o.fitScale(transforms.Over(ctx, train))
	if scale != nil {
		steps = append(steps, scale)
	}
	if err != nil || o.PCA == 0 {
		return steps, err
	}
	reduce, err := transforms.FitPCA(ctx, transforms.Mapped(train, steps),
		transforms.PCAOptions{Components: o.PCA, Rows: o.PCARows, Uncentred: o.PCAUncentred, Seed: o.Seed})
	return append(steps, reduce), unfit("pca", err)
}

// finish fits the transforms on the training rows and puts the transformed training and test rows into the set. Rows in
// memory are transformed in place; others when they are used, unless in_memory is set. Test rows are kept in memory.
func (o Options) finish(ctx context.Context, set *Set, train, test Samples) error {
	steps, err := o.fit(ctx, train)
	if err != nil {
		return err
	}
	t, err := transforms.Load(ctx, test, steps, set.bound())
	if err != nil {
		return err
	}
	set.TestX, set.TestY = t.X, t.Y
	if _, here := train.(transforms.InMemory); here || o.InMemory {
		set.Train, err = transforms.Load(ctx, train, steps, set.bound())
		return err
	}
	set.Train = transforms.Mapped(train, steps)
	return nil
}

// fitScale fits the scaling of inputs that o asks for on training rows; nil if it asks for none.
func (o Options) fitScale(rows transforms.Scanner) (transforms.Transform, error) {
	var a transforms.Affine
	var err error
	if o.Scale.Divide > 0 {
		return transforms.Quotient{Divisor: o.Scale.Divide}, nil
	}
	switch o.Scale.Rule {
	case "zscore":
		a, err = transforms.ZScore(rows)
	case "minmax":
		lo, hi := bounds(o.ScaleRange)
		a, err = transforms.MinMax(rows, lo, hi)
	case "unit-norm":
		return transforms.UnitNorm{}, nil
	default:
		return nil, nil
	}
	return a, unfit("scale", err)
}

// bounds returns the ends of a range, 0 and 1 if it is left out.
func bounds(r [2]float64) (lo, hi float64) {
	if r == [2]float64{} {
		return 0, 1
	}
	return r[0], r[1]
}

// scaleTargets fits the scaling of targets that o asks for on train, applies it to train and test in place, and sets TargetUnit.
func (o Options) scaleTargets(set *Set, train, test compute.Matrix) error {
	set.TargetUnit = 1
	var a transforms.Affine
	var err error
	switch o.TargetScale {
	case "zscore":
		a, err = transforms.ZScore(transforms.AllOf(train))
	case "minmax":
		lo, hi := bounds(o.TargetRange)
		a, err = transforms.MinMax(transforms.AllOf(train), lo, hi)
	default:
		return nil
	}
	if err != nil {
		return unfit("target_scale", err)
	}
	set.TargetUnit = a.Unit(0)
	a.Apply(train, train, nil)
	a.Apply(test, test, nil)
	return nil
}

// unfit returns an *OptionError for the option key if err says that a transform cannot be fitted, else err.
func unfit(key string, err error) error {
	var wrong *transforms.FitError
	if errors.As(err, &wrong) {
		return optionErrorf(key, "%s", wrong.Text)
	}
	return err
}
