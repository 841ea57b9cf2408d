"""Conjugate gradients for Ax = b, A tridiagonal with 2.1 on the diagonal and -1 beside it, b = 1."""

import numpy as np
import repro

N = 100


def product(v):
    """Returns Av."""
    u = 2.1 * v
    u[1:] -= v[:-1]
    u[:-1] -= v[1:]
    return u


class CG:
    def start(self, problem):
        self.x = np.zeros(N)
        self.r = np.ones(N)
        self.p, self.rr = self.r.copy(), self.r @ self.r

    def step(self):
        q = product(self.p)
        alpha = self.rr / (self.p @ q)
        self.x += alpha * self.p
        self.r -= alpha * q
        before, self.rr = self.rr, self.r @ self.r
        self.p = self.r + self.rr / before * self.p

    def values(self):
        residual = np.ones(N) - product(self.x)
        return {"residual": np.linalg.norm(residual) / np.sqrt(N)}


repro.method(CG, version="1.0")
