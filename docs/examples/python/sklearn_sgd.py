"""scikit-learn's SGDRegressor on random features of the Gaussian kernel: mini-batches of 10 rows, without an average."""

import numpy as np
import sklearn
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDRegressor

from repro_serve import rows, serve


class SGD:
    def __init__(self, start):
        train = rows(start["train"])
        self.y, self.x = train[:, 0], train[:, 1:]
        self.features = RBFSampler(gamma=1 / (2 * start["sigma"] ** 2), n_components=300, random_state=start["seed"])
        self.features.fit(self.x)
        self.fit = SGDRegressor(alpha=start["nu"], fit_intercept=False, eta0=1.0, power_t=0.5, random_state=start["seed"])
        self.random = np.random.default_rng(start["seed"])

    def step(self):
        batch = self.random.integers(len(self.x), size=10)
        self.fit.partial_fit(self.features.transform(self.x[batch]), self.y[batch])

    def value(self):
        return {}

    def predict(self, x):
        if not hasattr(self.fit, "coef_"):
            return np.zeros(len(x))
        return self.fit.predict(self.features.transform(x))


if __name__ == "__main__":
    serve(SGD, name="scikit-learn", version=sklearn.__version__)
