"""The Python side of the comparison with other libraries.

Reads requests from standard input and answers each with one line of JSON on standard output:

    {"do": "load", "op": ..., "arrays": {name: {"file", "rows", "cols"}}, "numbers": {...}, "files": {...}} -> {}
    {"do": "run", "op": ...}                                                             -> {"seconds": ...}
    {"do": "result", "op": ..., "file": ...}    writes it as float64                     -> {"rows": ..., "cols": ...}
    {"do": "drop"}                              forgets what was loaded                  -> {}

An answer may be {"error": ...} instead. The first line, before any request, says which packages and which BLAS there are.
"""

import importlib
import json
import os
import sys
import time
import warnings

# What libraries print must not end up among the answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(**what):
    answers.write(json.dumps(what) + "\n")
    answers.flush()


packages = {}
for name in ["numpy", "scipy", "sklearn", "pandas", "torch"]:
    try:
        packages[name] = {"version": importlib.import_module(name).__version__}
    except Exception as e:  # a package of another NumPy fails with more than ImportError
        packages[name] = {"error": f"{type(e).__name__}: {e}"}


def has(name):
    return "version" in packages[name]


if not has("numpy"):
    answer(python=sys.version.split()[0], packages=packages, blas=[])
    sys.exit()

import numpy as np

if has("scipy"):
    import scipy.linalg
    import scipy.sparse
    import scipy.sparse.linalg
if has("sklearn"):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVC
if has("pandas"):
    import pandas
if has("torch"):
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))  # it starts one for a core, not for a processor


def blas():
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        try:
            name = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
        except Exception:  # NumPy before 1.25
            name = "unknown BLAS, for want of threadpoolctl"
        return [{"name": name}]
    return [
        {
            "name": i["internal_api"],
            "version": i["version"] or "",
            "core": i.get("architecture") or "",
            "threads": i["num_threads"],
        }
        for i in threadpool_info()
        if i["user_api"] == "blas"
    ]


class Op:
    """run(fresh()) is the work, of which only run is timed; result makes an array of what run returned."""

    def __init__(self, run, result=lambda r: r, fresh=lambda: None):
        self.run, self.result, self.fresh = run, result, fresh


def gemm(m, o, f):
    t = np.float32 if o["single"] else np.float64
    a, b = m["a"].astype(t), m["b"].astype(t)
    c = np.empty((len(a), b.shape[1]), t)
    return Op(lambda _: np.matmul(a, b, out=c))


def gaussian(x, z, half, sigma, k):
    """Sets k to the Gaussian kernel of x and z, whose half squared norms are half[0] and half[1]."""
    np.matmul(x, z.T, out=k)
    k -= half[0][:, None]
    k -= half[1]
    k *= 1 / sigma**2
    return np.exp(k, out=k)


def kernel_product(m, o, f):
    x, v = m["x"], m["v"]
    block = 400 if x.shape[1] > 50 else 100  # of 50 to 10,000 rows, about the fastest at 784 and at 2 inputs
    k = np.empty((block, len(x)))

    def run(_):
        half = (x**2).sum(1) / 2
        u = np.empty((len(x), v.shape[1]))
        for i in range(0, len(x), block):
            rows = x[i : i + block]
            u[i : i + block] = gaussian(rows, x, (half[i : i + block], half), o["sigma"], k[: len(rows)]) @ v
        return u

    return Op(run)


def batches_numpy(m, o, f):
    x, v = m["x"].astype(np.float32), m["v"].astype(np.float32)
    batch, u = int(o["batch"]), np.empty(m["v"].shape, np.float32)
    half = (x**2).sum(1) / 2

    def run(_):
        for i in range(0, len(x), batch):
            k = np.empty((len(x[i : i + batch]), len(x)), np.float32)
            u[i : i + batch] = gaussian(x[i : i + batch], x, (half[i : i + batch], half), np.float32(o["sigma"]), k) @ v
        return u

    return Op(run)


def batches_torch(m, o, f):
    x, v = torch.from_numpy(m["x"]).float(), torch.from_numpy(m["v"]).float()
    batch, u = int(o["batch"]), torch.empty(m["v"].shape)
    half = (x**2).sum(1) / 2

    def run(_):
        for i in range(0, len(x), batch):
            k = torch.addmm(-half - half[i : i + batch, None], x[i : i + batch], x.T)
            torch.mm(k.mul_(1 / o["sigma"] ** 2).exp_(), v, out=u[i : i + batch])
        return u

    return Op(run, lambda r: r.numpy())


def spectral(m, decompose):
    """Compares V diag(w) V'P instead of V, whose signs are free."""
    a, probe = m["a"], m["probe"]
    return Op(lambda _: decompose(a), lambda r: (r[1] * r[0]) @ (r[1].T @ probe))


def eigh(m, o, f):
    return spectral(m, np.linalg.eigh)


def eigsh(m, o, f):
    return spectral(m, lambda a: scipy.sparse.linalg.eigsh(a, k=int(o["k"])))


def eigh_part(m, o, f):
    n = len(m["a"])
    part = [n - int(o["k"]), n - 1]
    return spectral(m, lambda a: scipy.linalg.eigh(a, subset_by_index=part, check_finite=False))


def cholesky(m, o, f):
    a, probe = m["a"], m["probe"]
    return Op(
        lambda c: scipy.linalg.lapack.dpotrf(c, lower=0, clean=0, overwrite_a=1)[0],
        lambda u: np.triu(u) @ probe,
        lambda: np.array(a, order="F"),
    )


def ridge_scipy(m, o, f):
    x, y = m["x"], m["y"]

    def run(_):
        half = (x**2).sum(1) / 2
        k = gaussian(x, x, (half, half), o["sigma"], np.empty((len(x), len(x))))
        k.flat[:: len(x) + 1] += o["ridge"]
        return scipy.linalg.solve(k.T, y, assume_a="pos", overwrite_a=True, check_finite=False)  # k.T needs no copy

    return Op(run)


def ridge_sklearn(m, o, f):
    model = KernelRidge(alpha=o["ridge"], kernel="rbf", gamma=1 / (2 * o["sigma"] ** 2))
    return Op(lambda _: model.fit(m["x"], m["y"]), lambda r: r.dual_coef_)


def svc(m, o, f):
    x, y = m["x"], m["y"].ravel()
    if np.count_nonzero(x) < x.size / 4:
        x = scipy.sparse.csr_matrix(x)
    model = SVC(C=o["c"], gamma=o["gamma"], tol=o["tol"], cache_size=o["cache_mb"])

    def result(r):
        coef = np.zeros(len(y) + 1)
        c = r.dual_coef_
        coef[r.support_] = c.toarray().ravel() if scipy.sparse.issparse(c) else c.ravel()
        coef[-1] = r.intercept_[0]
        return coef

    return Op(lambda _: model.fit(x, y), result)


def features_numpy(m, o, f):
    x, w, b = m["x"], m["w"], m["b"].ravel()

    def run(_):
        z = x @ w
        z += b
        np.cos(z, out=z)
        z *= np.sqrt(2)
        return z

    return Op(run, lambda z: z @ m["probe"])


def features_sklearn(m, o, f):
    sampler = RBFSampler(n_components=m["w"].shape[1], random_state=0).fit(m["x"][:2])
    sampler.random_weights_, sampler.random_offset_ = m["w"], m["b"].ravel()
    scale = np.sqrt(m["w"].shape[1])  # its features have the factor sqrt(2/D)
    return Op(lambda _: sampler.transform(m["x"]), lambda z: z @ m["probe"] * scale)


def csv_numpy(m, o, f):
    return Op(lambda _: np.loadtxt(f["csv"], delimiter=","))


def csv_pandas(m, o, f):
    return Op(lambda _: pandas.read_csv(f["csv"], header=None).to_numpy())


OPS = {f.__name__: f for f in (
    gemm, kernel_product, batches_numpy, batches_torch, eigh, eigsh, eigh_part, cholesky, ridge_scipy, ridge_sklearn, svc,
    features_numpy, features_sklearn, csv_numpy, csv_pandas,
)}
loaded, results = {}, {}


def load(q):
    arrays = {
        name: np.fromfile(a["file"]).reshape(a["rows"], a["cols"]) for name, a in (q.get("arrays") or {}).items()
    }
    loaded[q["op"]] = OPS[q["op"]](arrays, q.get("numbers") or {}, q.get("files") or {})
    return {}


def run(q):
    op = loaded[q["op"]]
    results.pop(q["op"], None)  # frees its memory
    given = op.fresh()
    begin = time.perf_counter()
    r = op.run(given)
    seconds = time.perf_counter() - begin
    results[q["op"]] = r
    return {"seconds": seconds}


def result(q):
    r = np.asarray(loaded[q["op"]].result(results.pop(q["op"])), np.float64)
    r = np.ascontiguousarray(r.reshape(len(r), -1))
    r.tofile(q["file"])
    return {"rows": r.shape[0], "cols": r.shape[1]}


def drop(q):
    loaded.clear()
    results.clear()
    return {}


DO = {"load": load, "run": run, "result": result, "drop": drop}

warnings.simplefilter("ignore")
answer(python=sys.version.split()[0], packages=packages, blas=blas())
for line in sys.stdin:
    try:
        q = json.loads(line)
        what = DO[q["do"]](q)
    except Exception as e:
        what = {"error": f"{type(e).__name__}: {e}"}
    answer(**what)
