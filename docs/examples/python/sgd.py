"""Stochastic gradient descent on f(x) = |x|^2/2 with noisy gradients and the step size 1/t."""

import numpy as np
import repro


class SGD:
    def start(self, problem):
        self.random = np.random.default_rng(problem.seed)
        self.x, self.t = np.ones(10), 0

    def step(self):
        self.t += 1
        gradient = self.x + self.random.standard_normal(10)
        self.x -= gradient / self.t

    def values(self):
        return {"gap": self.x @ self.x / 2}


repro.method(SGD, version="1.0")
