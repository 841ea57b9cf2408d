"""Solvers of scikit-learn and NumPy on rows of classes: sklearn_solvers.py nystroem|fourier|boosting|ridge FEATURES."""

import sys

import numpy as np
import repro
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDRegressor

BATCH, TREES = 256, 20


class Solver:
    def start(self, problem):
        self.x, self.classes, self.out = problem.x, problem.y, problem.out
        self.seed, self.gamma, self.fitted = problem.seed, 1 / (2 * problem.sigma**2), False
        self.y = self.classes[:, None]  # -1 and 1; of more classes, a column of zeros and ones for each
        if self.out > 1:
            self.y = (self.y == np.arange(1, self.out + 1)).astype(float)

    def predict(self, x):
        return self.scores(x) if self.fitted else np.zeros((len(x), self.out))


class Linear(Solver):
    """Averaged SGD on features, which are computed a batch at a time. Its constant step is the 1/(4R²) of Bach and Moulines (2013)."""

    def __init__(self, features):
        self.kind = features

    def start(self, problem):
        super().start(problem)
        self.features = self.kind(gamma=self.gamma, n_components=int(sys.argv[2]), random_state=self.seed).fit(self.x)
        sgd = dict(alpha=problem.nu, fit_intercept=False, learning_rate="constant", eta0=0.25, average=True, shuffle=False)
        self.fits = [SGDRegressor(**sgd) for _ in range(self.out)]
        self.random = np.random.default_rng(self.seed)

    def step(self):
        batch = self.random.integers(len(self.x), size=BATCH)
        z = self.features.transform(self.x[batch])
        for fit, y in zip(self.fits, self.y[batch].T):
            fit.partial_fit(z, y)
        self.fitted = True

    def scores(self, x):
        z = self.features.transform(x)
        return np.column_stack([fit.predict(z) for fit in self.fits])


class Boosting(Solver):
    """A step adds trees. Its values are log-odds."""

    def start(self, problem):
        super().start(problem)
        self.fit = HistGradientBoostingClassifier(max_iter=0, warm_start=True, early_stopping=False, random_state=self.seed)

    def step(self):
        self.fit.set_params(max_iter=self.fit.max_iter + TREES).fit(self.x, self.classes)
        self.fitted = True

    def scores(self, x):
        return self.fit.decision_function(x)


class Ridge(Solver):
    """Nyström ridge regression in NumPy, by the features L⁻¹k(S, x) of landmarks S, LLᵀ = k(S, S). One step solves it."""

    def start(self, problem):
        super().start(problem)
        self.shift = len(self.x) * problem.nu

    def kernel(self, x):
        squares = (x * x).sum(1)[:, None] + (self.s * self.s).sum(1) - 2 * x @ self.s.T
        return np.exp(-self.gamma * np.maximum(squares, 0))

    def step(self):
        m = int(sys.argv[2])
        self.s = self.x[np.random.default_rng(self.seed).choice(len(self.x), m, replace=False)]
        chol = np.linalg.cholesky(self.kernel(self.s) + 1e-10 * m * np.eye(m))
        z = np.linalg.solve(chol, self.kernel(self.x).T)
        w = np.linalg.solve(z @ z.T + self.shift * np.eye(m), z @ self.y)
        self.w, self.fitted = np.linalg.solve(chol.T, w), True

    def scores(self, x):
        return self.kernel(x) @ self.w


METHODS = {"ridge": Ridge, "nystroem": lambda: Linear(Nystroem), "fourier": lambda: Linear(RBFSampler), "boosting": Boosting}

library = np if sys.argv[1] == "ridge" else sklearn
repro.method(METHODS[sys.argv[1]], name=f"{library.__name__} {sys.argv[1]}", version=library.__version__)
