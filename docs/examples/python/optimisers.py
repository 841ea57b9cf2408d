"""Four optimisers on problems of their own. The first argument says which one."""

import sys

import numpy as np
import repro


class SGD:
    """|x|^2/2 with noisy gradients and the step size 1/t: the expected gap is 5/t."""

    def start(self, problem):
        self.random = np.random.default_rng(problem.seed)
        self.x, self.t = np.zeros(10), 0

    def step(self):
        self.t += 1
        gradient = self.x + self.random.standard_normal(10)
        self.x = self.x - gradient / self.t

    def values(self):
        return {"gap": self.x @ self.x / 2}


class Momentum:
    """A quadratic around 1 with the eigenvalues 0.01 to 1, by the heavy ball with the best settings: the factor is 9/11 a step."""

    def start(self, problem):
        self.random = np.random.default_rng(problem.seed)
        self.a = np.linspace(0.01, 1, 20)
        self.x = self.random.standard_normal(20)
        self.v = np.zeros(20)

    def step(self):
        gradient = self.a * (self.x - 1)
        self.v = (9 / 11) ** 2 * self.v - (2 / 1.1) ** 2 * gradient
        self.x = self.x + self.v

    def values(self):
        return {"distance": np.linalg.norm(self.x - 1)}


class Epochs:
    """The mean of (x - a_i)^2/2 over 16 numbers, each once an epoch in an order drawn anew, and the step size 1/epoch per number."""

    def start(self, problem):
        self.random = np.random.default_rng(problem.seed)
        self.a = np.linspace(-1, 1, 16) ** 3 + 0.5
        self.x, self.t, self.order = 3.0, 0, None

    def step(self):  # an epoch
        self.t += 1
        self.order = self.random.permutation(16)
        for i in self.order:
            self.x -= 0.2 / self.t * (self.x - self.a[i])

    def values(self):
        return {"gap": (self.x - self.a.mean()) ** 2 / 2}


class Adam:
    """Adam on |x|^2/2 with noisy gradients. Its first step has the length 0.1 in every coordinate, whatever the gradient."""

    def start(self, problem):
        self.random = np.random.default_rng(problem.seed)
        self.x, self.m, self.v, self.t = np.ones(10), np.zeros(10), np.zeros(10), 0

    def step(self):
        self.t += 1
        gradient = self.x + 0.1 * self.random.standard_normal(10)
        self.m = 0.9 * self.m + 0.1 * gradient
        self.v = 0.999 * self.v + 0.001 * gradient**2
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        self.x = self.x - 0.1 * m / (np.sqrt(v) + 1e-12)

    def values(self):
        return {"gap": self.x @ self.x / 2, "moved": np.abs(self.x - 1).mean()}


repro.method({"sgd": SGD, "momentum": Momentum, "epochs": Epochs, "adam": Adam}[sys.argv[1]], version="1.0")
