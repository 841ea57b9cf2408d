"""Judges convergence claims about curves, and guards them in tests.

    >>> import repro
    >>> runs = [[5 / t + seed / t**2 for t in range(1, 101)] for seed in range(10)]
    >>> v = repro.rate({"sgd": runs}, order=-1, at_most=True)
    >>> assert v.reproduced, v

Curves are the values of one method, or a dictionary of methods: one list for each run (seed), or one run alone. Lists, NumPy arrays, pandas
objects (a DataFrame has a column for each run) and tensors of torch are taken as they are. x has their places, 1, 2, 3, ... if left out.

The other arguments are the keys of a claim in a spec, such as tolerance, at_most, window, statistic, at and published_is, and those of
the curves: metric (its name), better ("smaller", "larger" or "neither"), signed, deterministic (nothing is drawn at random) and name. A
number may be a text such as "0.30", which has the digits of the paper.
"""

import json
import math
import os
import shutil
import subprocess
import sysconfig

from .guard import reference
from .served import method

__all__ = ["Verdict", "call", "curve", "geometric", "method", "order", "program", "rate", "reach", "reference", "value"]

SCHEMA = 1
OF_CURVES = ("abscissa", "better", "deterministic", "metric", "name", "signed")  # keys of a request that are not those of its claim


def rate(curves, order=None, x=None, **keys):
    """Judges the exponent p with which curves fall as x^p: the slope of their logarithm.

    >>> runs = [[3 / t ** (2 + seed / 100) for t in range(1, 51)] for seed in range(5)]
    >>> rate(runs, order=-2, tolerance=0.1).reproduced
    True
    """
    return judge("rate", curves, x, {"number": order}, keys, number="order")


def geometric(curves, factor=None, x=None, **keys):
    """Judges the factor by which curves fall in every unit of x, as rho in rho^t.

    >>> runs = [[seed * 0.9**t for t in range(60)] for seed in range(1, 6)]
    >>> round(geometric(runs, factor=0.9, tolerance=0.01).measured, 4)
    0.9
    """
    return judge("geometric", curves, x, {"number": factor}, keys, number="factor")


def value(curves, number=None, x=None, **keys):
    """Judges the value at the end, or at a place: at={"value": 100}.

    >>> value([[1, 0.1], [1, 0.11], [1, 0.12]], 0.2, at_most=True).reproduced
    True
    """
    return judge("value", curves, x, {"number": number}, keys)


def reach(curves, target=None, number=None, x=None, **keys):
    """Judges the place at which curves reach the target to stay.

    >>> runs = [[(50 + seed) / t for t in range(1, 201)] for seed in range(5)]
    >>> reach(runs, target=1, number=100, at_most=True).verdict
    'reproduced'
    """
    return judge("reach", curves, x, {"target": target, "number": number}, keys)


def order(curves, best=None, x=None, **keys):
    """Judges whether the method named best is better than all others.

    >>> order({"a": [[1.0], [1.1], [0.9]], "b": [[2.0], [2.3], [1.9]]}, best="a").reproduced
    True
    """
    return judge("order", curves, x, {"method": best}, keys, method="best")


def curve(curves, points=None, x=None, **keys):
    """Judges whether curves are a published one: points [x, y], or with their errors [x, y, x_error, y_error].

    published_is says what it shows: "run", "mean of 5", "median of 5" or "theorem".

    >>> runs = [[(1 + 0.01 * seed) / t for t in range(1, 21)] for seed in (-2, -1, 0, 1, 2)]
    >>> curve(runs, [[1, 1], [5, 0.2], [10, 0.1], [20, 0.05]], published_is="mean of 5").verdict
    'reproduced'
    """
    return judge("curve", curves, x, {"points": points}, keys)


def judge(kind, curves, x, main, keys, **names):
    """Judges a claim of a kind. names are what error messages call keys of the claim."""
    request = ask(kind, curves, x, dict(main, **keys))
    return Verdict(request, call(request, names), names)


def ask(kind, curves, x, keys):
    """Returns the request about curves and a claim."""
    curves = curves if isinstance(curves, dict) else {"method": curves}
    request = {"schema": SCHEMA, "curves": {}, "claim": {"kind": kind}}
    places = {} if x is None or isinstance(x, dict) else None
    for name, v in curves.items():
        if hasattr(v, "columns") and hasattr(v, "to_numpy"):
            v, index = v.to_numpy().T, v.index
            if places is not None and type(index).__name__ != "RangeIndex":
                places[str(name)] = index
        runs = plain(v, "curves." + str(name))
        if not isinstance(runs, list):
            raise TypeError("curves.%s: is one number; give one list of values for each run" % name)
        request["curves"][str(name)] = runs if runs and all(isinstance(r, list) for r in runs) else [runs]
    if x is not None or places:
        x = places if x is None else x
        request["x"] = {str(k): plain(v, "x") for k, v in x.items()} if isinstance(x, dict) else plain(x, "x")
    for key, v in keys.items():
        if v is not None:
            v = v if isinstance(v, dict) else plain(v, key, texts=True)
            if key == "at" and not isinstance(v, dict):
                v = {"value": v}
            (request if key in OF_CURVES else request["claim"])[key] = v
    return request


def plain(v, key, texts=False):
    """Returns an array, a tensor or nested lists as lists of numbers, None where they are not finite."""
    if hasattr(v, "detach"):  # a tensor of torch
        v = v.detach().cpu()
    if hasattr(v, "to_numpy"):
        v = v.to_numpy()
    elif not hasattr(v, "tolist") and hasattr(v, "__array__"):
        v = v.__array__()
    if hasattr(v, "tolist"):
        v = v.tolist()
    if isinstance(v, (int, float)):
        return v if math.isfinite(v) else None
    if isinstance(v, str) and texts:
        return v
    if isinstance(v, (str, bytes, dict)) or not hasattr(v, "__iter__"):
        raise TypeError("%s: %r is no number; give lists or arrays of numbers" % (key, v))
    return [plain(u, key, texts) for u in v]


def program():
    """Returns the path of the program repro: that of REPRO_PROGRAM, the one that was installed with this package, or that of PATH."""
    name = "repro.exe" if os.name == "nt" else "repro"
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")  # of pip install --target
    user = sysconfig.get_path("scripts", os.name + "_user")
    for path in [os.environ.get("REPRO_PROGRAM")] + [os.path.join(d, name) for d in (sysconfig.get_path("scripts"), beside, user) if d]:
        if path and os.path.isfile(path):
            return path
    found = shutil.which(name)
    if not found:
        raise RuntimeError("the program repro is not installed; install the wheel again, or name it in REPRO_PROGRAM")
    return found


def call(request, names=None):
    """Sends a request to the program and returns its answer; docs/python.md has the keys of both. Mistakes are ValueErrors."""
    __tracebackhide__ = True
    p = subprocess.run([program(), "call"], input=json.dumps(request, allow_nan=False).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        answer = json.loads(p.stdout)
    except ValueError:
        raise RuntimeError("%s call ended with status %d: %s" % (program(), p.returncode, p.stderr.decode(errors="replace").strip())) from None
    if "error" in answer:
        key = answer["error"]["key"]
        raise ValueError("%s: %s" % ((names or {}).get(key, key), answer["error"]["message"]))
    return answer


class Verdict:
    """The verdict on a claim.

    verdict is "reproduced", "deviates", "inconclusive", "not comparable" or "failed"; measured, low and high are the number and its
    interval, None where there is none; data has everything that `repro judge --json` prints of a verdict.
    """

    def __init__(self, request, answer, names=None):
        self.request, self.names, self.data, self.sentence = request, names, answer["verdict"], answer["sentence"]
        self.verdict, self.reason = self.data["verdict"], self.data["reason"]
        self.reproduced = self.verdict == "reproduced"
        self.measured, self.low, self.high = (self.data[key] for key in ("measured", "low", "high"))

    def __str__(self):
        return "\n".join([self.sentence, self.reason] + ["warning: " + w for w in self.data.get("warnings", [])])

    def __repr__(self):
        return "<Verdict %s>" % self.sentence

    def _repr_html_(self):
        from html import escape

        figure = call(dict(self.request, figure=True), self.names)["figure"]
        return "<p><b>%s</b></p><p>%s</p>%s" % (escape(self.sentence), escape(self.reason), figure[figure.index("<svg") :])

    def report(self, folder):
        """Writes the report with its figures into a folder and returns the path of report.html."""
        return call(dict(self.request, report=os.fspath(folder)), self.names)["report"]
