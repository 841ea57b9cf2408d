"""scikit-learn's SGDRegressor on random features of the Gaussian kernel: mini-batches of 10 rows, without an average."""

import numpy as np
import repro
import sklearn
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDRegressor


class SGD:
    def start(self, problem):
        self.x, self.y = problem.x, problem.y
        self.features = RBFSampler(gamma=1 / (2 * problem.sigma**2), n_components=300, random_state=problem.seed)
        self.features.fit(self.x)
        self.fit = SGDRegressor(alpha=problem.nu, fit_intercept=False, eta0=1.0, power_t=0.5, random_state=problem.seed)
        self.random = np.random.default_rng(problem.seed)

    def step(self):
        batch = self.random.integers(len(self.x), size=10)
        self.fit.partial_fit(self.features.transform(self.x[batch]), self.y[batch])

    def predict(self, x):
        if not hasattr(self.fit, "coef_"):
            return np.zeros(len(x))
        return self.fit.predict(self.features.transform(x))


repro.method(SGD, name="scikit-learn", version=sklearn.__version__)
