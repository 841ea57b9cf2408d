"""Kernel ridge regression by conjugate gradients, in NumPy: a program that learns from the rows of a spec and predicts.

It solves (K + n nu I) a = y, so that f = sum of a_i k(x_i, .) minimises the mean of (f(x) - y)^2/2 plus nu/2 |f|^2.
"""

import numpy as np

from repro_serve import rows, serve


class Ridge:
    def __init__(self, start):
        train = rows(start["train"])
        self.y, self.x = train[:, 0], train[:, start["out"] :]
        self.sigma, self.shift = start["sigma"], len(self.x) * start["nu"]
        self.kernel = self.values(self.x)
        self.a, self.r = np.zeros(len(self.x)), self.y.copy()
        self.p, self.rr = self.r.copy(), self.r @ self.r

    def values(self, x):
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

    def value(self):
        return {"residual": np.linalg.norm(self.r)}

    def predict(self, x):
        return self.values(x) @ self.a


if __name__ == "__main__":
    serve(Ridge, version="1.0")
