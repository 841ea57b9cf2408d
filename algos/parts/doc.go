// Package parts holds what fitting methods are built from. Methods that use it see the same examples in the same order,
// the same random features, landmarks and subsample, and the same stored kernel matrix, so that a comparison is fair. A
// method from outside this repository should use these parts where it can.
//
// # The data
//
//   - Order: which training rows a stochastic step uses. It depends on the seed and on the examples seen so far.
//   - Gram: the kernel matrix K of all training rows. It is stored if there is memory, and reused by the next cells of a run.
//     NewUnstoredGram evaluates entries of K in every product instead.
//   - Centres: the inputs of a growing set of training rows.
//
// # Fits to embed
//
// A Span is a fit of f = Σ_j w_j φ_j. It has the problem and its Order, and implements Model, State and the abilities that follow from its
// form: the averaged iterate, norm and footprint. A method embeds it, or one of these, and writes Step.
//
//   - Iterate: f = Σ_i α_i k(x_i, ·) over all training rows; the method gd is an example.
//   - Linear: f(x) = ⟨w, z(x)⟩ on fixed Features; r-pegasos is an example.
//   - Additive: a growing sum of terms (fresh random features, or kernel functions) whose older coefficients shrink at every step, with
//     running predictions and the threshold of novelty detection; norma is an example.
//   - Span itself: with Points, f = Σ_i α_i k(z_i, ·) of any points, as in krr; with a FeatureOperator, as in sgd-rf.
//
// # Features
//
//   - Features: a fixed feature map. DrawFeatures draws random features, DrawPairs pairs of sines and cosines, DrawLandmarks Nyström
//     features. A Drawing, RandomFeatures or NystromSettings, draws either for a method that comes on both.
//   - FeatureOperator: random features as an operator that need not be stored, with the spectrum of their covariance.
//   - KORS: which points of a stream enter a dictionary. Basis: orthonormal coordinates on the span of a growing set.
//   - Cut and CheckBlocks: the blocks of coordinates of block methods.
//
// # Matrices and spectra
//
//   - Gram.Decompose and FeatureOperator.Decompose: the leading Eigensystem from a subsample of the training rows, by
//     RSVD or NSVD, which take any operator. SketchOf and SketchOfOne are numbers of columns for their sketches.
//   - Symmetric: all eigenvalues of a symmetric matrix. Leading: the largest ones, down to where rounding errors begin.
//   - Approximate: K from a few pivots. Shifted: a Cholesky factor where rounding errors ask for more on the diagonal.
//   - View: numbers as a matrix.
//
// # Steps
//
//   - Residual replaces predictions by l'(u, y) and reports whether they were finite. Diverged is the error if not.
//   - OwnStep: the step size for a spec that gives none. StartIterate: an Iterate with its step sizes.
//   - Conjugates: preconditioned conjugate gradients.
//   - AddRows adds to some rows of a matrix. MoveMean updates an average of iterates. Nonzero tests for a number other than 0.
//
// # Problems that a method does not solve
//
//   - Solves returns an error if a problem misses what a method needs: SquareLoss, HingeLoss, SmoothLoss, PositiveNu, ZeroNu, or NoThreshold,
//     for a method that learns no threshold of novelty detection. A method that learns one asks LearnsThreshold, or embeds Additive.
//   - Featured returns an error if the kernel has no random features.
//
// # Norms
//
// ColumnProducts and ScaledSquares are the formulas of norms. KernelSum is Σ_i α_i k(z_i, ·).
//
// # Costs
//
// GramCost, AdditiveCost and Drawing.FeaturesCost start the Cost of methods on a Gram, an Additive or Features. AddRowsOfK,
// AddKernelSteps, AddApproximation, AddDecomposition, AddDecompositionOfK, AddSketch and AddLeading add the cost of the part that their
// name ends with.
package parts
