"""Stochastic gradient descent on f(x) = |x|^2/2 with noisy gradients and the step size 1/t."""

import numpy as np

from repro_serve import serve


class SGD:
    def __init__(self, start):
        self.random = np.random.default_rng(start["seed"])
        self.x, self.t = np.ones(10), 0

    def step(self):
        self.t += 1
        gradient = self.x + self.random.standard_normal(10)
        self.x -= gradient / self.t

    def value(self):
        return {"gap": self.x @ self.x / 2}


if __name__ == "__main__":
    serve(SGD, version="1.0")
