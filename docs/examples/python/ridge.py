"""Kernel ridge regression by conjugate gradients, in NumPy: a program that learns from the rows of a spec and predicts.

It solves (K + n nu I) a = y, so that f = sum of a_i k(x_i, .) minimises the mean of (f(x) - y)^2/2 plus nu/2 |f|^2.
"""

import numpy as np
import repro


class Ridge:
    def start(self, problem):
        self.x, self.y, self.sigma = problem.x, problem.y, problem.sigma
        self.kernel, self.shift = self.gram(self.x), len(self.x) * problem.nu
        self.a, self.r = np.zeros(len(self.x)), self.y.copy()
        self.p, self.rr = self.r.copy(), self.r @ self.r

    def gram(self, x):
        """Returns k(x, z) for all pairs of a row of x and a training row z."""
        squares = (x**2).sum(1)[:, None] + (self.x**2).sum(1) - 2 * x @ self.x.T
        return np.exp(-squares / (2 * self.sigma**2))

    def step(self):
        if self.rr < 1e-28 * len(self.y):
            return True
        q = self.kernel @ self.p + self.shift * self.p
        alpha = self.rr / (self.p @ q)
        self.a += alpha * self.p
        self.r -= alpha * q
        before, self.rr = self.rr, self.r @ self.r
        self.p = self.r + self.rr / before * self.p

    def values(self):
        return {"residual": np.linalg.norm(self.r)}

    def predict(self, x):
        return self.gram(x) @ self.a


repro.method(Ridge, version="1.0")
