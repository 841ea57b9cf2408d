package scaling

// A Problem is a training set.
type Problem struct{ Rows, Inputs, Outputs float64 }

// DoublySGD returns the mean step of one pass of doubly stochastic gradients [dai2014 Algorithm 1] with batches of b examples
// and f new features a step. Step t sums the (t-1)f features so far and then evaluates f new ones.
func (p Problem) DoublySGD(b, f float64) Step {
	steps := p.Rows / b
	before := f * (steps - 1) / 2
	return Step{
		Rows: b, Inputs: p.Inputs, Outputs: p.Outputs, Terms: before + f, Values: b * (before + f),
		Changed: f, Held: sumBytes * p.Outputs * f * steps,
	}
}

// SGDRF returns a step of stochastic gradients on m random features [carratino2018] with batches of b examples: the features are
// evaluated for the predictions and again for the gradient.
func (p Problem) SGDRF(b, m float64) Step {
	return Step{
		Rows: b, Inputs: p.Inputs, Outputs: p.Outputs, Terms: m, Values: 2 * b * m,
		Changed: m, Held: sumBytes * p.Outputs * m,
	}
}

// EigenPro returns a step of EigenPro 2 [Ma and Belkin 2019, Algorithm 1] with batches of b examples, on the given number of
// centres: all training rows, or fewer for an iteration that is projected on centres [EigenPro 3 and 4]. The correction along q
// directions evaluates the batch at the subsample once more, and adds q sums for each output. Its products with the q eigenvectors
// and what a projection takes are left out.
func (p Problem) EigenPro(b, centres, subsample, q float64) Step {
	return Step{
		Rows: b, Inputs: p.Inputs, Outputs: p.Outputs, Terms: centres, Values: b * (centres + subsample),
		Changed: b, Summed: q, Held: centres * (sumBytes*p.Outputs + inputBytes*p.Inputs),
	}
}
