"""Solvers of scikit-learn on rows of classes: sklearn_solvers.py nystroem|fourier|boosting FEATURES."""

import sys

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDRegressor

from repro_serve import rows, serve

BATCH, TREES = 256, 20


class Solver:
    def __init__(self, start):
        train, self.out = rows(start["train"]), start["out"]
        self.classes, self.x = train[:, 0], train[:, 1:]
        self.seed, self.fitted = start["seed"], False

    def value(self):
        return {}

    def predict(self, x):
        return self.values(x) if self.fitted else np.zeros((len(x), self.out))


class Linear(Solver):
    """Averaged SGD on features, which are computed a batch at a time. Its constant step is the 1/(4R²) of Bach and Moulines (2013)."""

    def __init__(self, start, features):
        super().__init__(start)
        self.features = features(gamma=1 / (2 * start["sigma"] ** 2), n_components=int(sys.argv[2]), random_state=self.seed).fit(self.x)
        self.y = self.classes[:, None]  # -1 and 1; of more classes, a column of zeros and ones for each
        if self.out > 1:
            self.y = (self.y == np.arange(1, self.out + 1)).astype(float)
        sgd = dict(alpha=start["nu"], fit_intercept=False, learning_rate="constant", eta0=0.25, average=True, shuffle=False)
        self.fits = [SGDRegressor(**sgd) for _ in range(self.out)]
        self.random = np.random.default_rng(self.seed)

    def step(self):
        batch = self.random.integers(len(self.x), size=BATCH)
        z = self.features.transform(self.x[batch])
        for fit, y in zip(self.fits, self.y[batch].T):
            fit.partial_fit(z, y)
        self.fitted = True

    def values(self, x):
        z = self.features.transform(x)
        return np.column_stack([fit.predict(z) for fit in self.fits])


class Boosting(Solver):
    """A step adds trees. Its values are log-odds."""

    def __init__(self, start):
        super().__init__(start)
        self.fit = HistGradientBoostingClassifier(max_iter=0, warm_start=True, early_stopping=False, random_state=self.seed)

    def step(self):
        self.fit.set_params(max_iter=self.fit.max_iter + TREES).fit(self.x, self.classes)
        self.fitted = True

    def values(self, x):
        return self.fit.decision_function(x)


METHODS = {"nystroem": lambda s: Linear(s, Nystroem), "fourier": lambda s: Linear(s, RBFSampler), "boosting": Boosting}

if __name__ == "__main__":
    serve(METHODS[sys.argv[1]], name="scikit-learn " + sys.argv[1], version=sklearn.__version__)
