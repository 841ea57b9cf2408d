"""Finite elements of degree 1 or 2 for -Δu + u = f on the unit square: the errors on five meshes, as CSV.

The solution is u = e^x sin πy. Its normal derivative is given at x = 0 and x = 1, and u = 0 at y = 0 and y = 1.

    python3 poisson.py 2
"""

import sys

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

# A rule of degree 4 on triangles [Dunavant 1985]: barycentric coordinates, and weights that add up to 1.
BARY = np.array([np.roll([a, b, b], k) for a, b in ((0.108103018168070, 0.445948490915965), (0.816847572980459, 0.091576213509771)) for k in range(3)])
WEIGHTS = np.repeat([0.223381589678011, 0.109951743655322], 3)
# Gauss' rule with three points on [0, 1].
GAUSS = 0.5 + np.sqrt(0.15) * np.array([-1, 0, 1])
GAUSS_WEIGHTS = np.array([5, 8, 5]) / 18
SIDES = [(0, 1), (1, 2), (2, 0)]


def u(x, y):
    return np.exp(x) * np.sin(np.pi * y)


def gradient(x, y):
    return np.stack([u(x, y), np.pi * np.exp(x) * np.cos(np.pi * y)], axis=-1)


def f(x, y):
    return np.pi**2 * u(x, y)


def basis(degree, bary):
    """The values of the basis [point, node], and the derivatives in barycentric coordinates [point, node, 3]."""
    unit = np.eye(3)
    if degree == 1:
        return bary, np.broadcast_to(unit, (len(bary), 3, 3))
    values = [l * (2 * l - 1) for l in bary.T] + [4 * bary[:, i] * bary[:, j] for i, j in SIDES]
    slopes = [np.outer(4 * bary[:, i] - 1, unit[i]) for i in range(3)]
    slopes += [4 * (np.outer(bary[:, i], unit[j]) + np.outer(bary[:, j], unit[i])) for i, j in SIDES]
    return np.stack(values, axis=1), np.stack(slopes, axis=1)


def triangulate(degree, n):
    """The square in n × n cells of two triangles: coordinates of the nodes, the nodes of each triangle, the lattice of all nodes."""
    m = degree * n + 1
    lattice = np.arange(m * m).reshape(m, m)
    points = np.stack(np.divmod(np.arange(m * m), m), axis=1) / (m - 1)
    triangles = []
    for corners in ([(0, 0), (1, 0), (0, 1)], [(1, 1), (0, 1), (1, 0)]):
        nodes = degree * np.array(corners)
        if degree == 2:
            nodes = np.concatenate([nodes, [(nodes[i] + nodes[j]) // 2 for i, j in SIDES]])
        triangles.append(np.stack([lattice[i : m - degree + i : degree, j : m - degree + j : degree].ravel() for i, j in nodes], axis=1))
    return points, np.concatenate(triangles), lattice


def errors(degree, n):
    """The errors in L2 and in the seminorm of H1."""
    points, triangles, lattice = triangulate(degree, n)
    values, slopes = basis(degree, BARY)
    corners = points[triangles[:, :3]]
    affine = np.insert(corners, 0, 1, axis=2)  # rows (1, x, y): its inverse has the coefficients of the barycentric coordinates
    area = abs(np.linalg.det(affine)) / 2
    gradients = np.einsum("qkc,tdc->tqkd", slopes, np.linalg.inv(affine)[:, 1:])
    x = np.moveaxis(np.einsum("qc,tcd->tqd", BARY, corners), 2, 0)

    stiffness = np.einsum("t,q,tqid,tqjd->tij", area, WEIGHTS, gradients, gradients, optimize=True)
    mass = np.einsum("t,q,qi,qj->tij", area, WEIGHTS, values, values)
    load = np.einsum("t,q,tq,qi->ti", area, WEIGHTS, f(*x), values)
    rows, columns = np.broadcast_arrays(triangles[:, :, None], triangles[:, None, :])
    A = coo_array(((stiffness + mass).ravel(), (rows.ravel(), columns.ravel()))).tocsc()
    b = np.bincount(triangles.ravel(), load.ravel())

    trace = basis(degree, np.stack([1 - GAUSS, GAUSS, 0 * GAUSS], axis=1))[0][:, [0, 1] if degree == 1 else [0, 3, 1]]
    for column, normal in ((0, -1), (-1, 1)):
        edges = np.stack([lattice[column, k : degree * (n - 1) + 1 + k : degree] for k in range(degree + 1)], axis=1)
        y = points[edges[:, :1], 1] + GAUSS / n
        flux = normal * gradient(points[edges[:, :1], 0], y)[..., 0]
        np.add.at(b, edges, np.einsum("q,eq,qi->ei", GAUSS_WEIGHTS / n, flux, trace))

    solution, free = np.zeros(len(points)), lattice[:, 1:-1].ravel()
    solution[free] = spsolve(A[free][:, free], b[free])
    wrong = np.einsum("qi,ti->tq", values, solution[triangles]) - u(*x)
    slope = np.einsum("tqid,ti->tqd", gradients, solution[triangles]) - gradient(*x)
    return np.sqrt(np.einsum("t,q,tq->", area, WEIGHTS, wrong**2)), np.sqrt(np.einsum("t,q,tqd->", area, WEIGHTS, slope**2))


print("h,l2,h1")
for n in (4, 8, 16, 32, 64):
    print(1 / n, *errors(int(sys.argv[1]), n), sep=",")
