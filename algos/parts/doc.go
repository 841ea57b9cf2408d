// Package parts holds what fitting methods are built from. A method that uses them sees the same examples in the same
// order, the same random features, landmarks and subsample, and the same stored kernel matrix as the methods it is
// compared with; so a method from outside should take these where it can.
//
// # The data
//
//   - Order: which training rows a stochastic step uses. All methods of one seed and batch size agree on it.
//   - Gram: the kernel matrix of all training rows, kept in memory where there is room, and kept for the cells of a run
//     that follow. For methods that need K or rows of it; Expansion is the fit around it and Iterate one whose state is
//     the coefficients.
//   - Centres: the inputs of a growing set of training rows.
//
// # Features
//
//   - Features: a fixed feature matrix, of random features (DrawFeatures) or of landmarks (DrawLandmarks). Linear is a
//     stochastic fit of weights on them, LinearModel its predictor.
//   - FeatureOperator: random features that are not all in memory, with the spectrum of their covariance.
//   - Additive: a fit that adds terms (fresh random features, or kernel functions) at every step and shrinks the older
//     ones; it keeps running predictions, the averaged iterate and the threshold of novelty detection.
//
// # Spectra
//
//   - Symmetric decomposes a matrix; Leading finds the largest eigenvalues and stops where rounding begins.
//   - RSVD and NSVD approximate the leading Eigensystem of an operator from a sketch and from a block of it;
//     Gram.Decompose and FeatureOperator.Decompose apply them to a subsample of the training rows.
//
// # Steps
//
//   - Residual turns predictions into l'(u, y); Diverged is the error if they are not finite.
//   - OwnStep and KernelSteps are the step sizes of methods whose spec gives none.
//   - MoveMean is the running mean of averaged iterates.
//   - NoThreshold and Featured say that a method does not solve a problem. A method that learns no threshold calls
//     NoThreshold in Start, as the loss novelty has one; one that does is told so by LearnsThreshold.
//
// # Norms
//
// ExpansionNorms, ColumnProducts and ScaledSquares are the formulas of algos.Normed.
//
// # Costs
//
// GramCost, AdditiveCost, DecompositionCost and LeadingCost are the terms of algos.Coster that come from these parts.
package parts
