"""Lets `repro run` ask a method for its steps: the protocol of command.serve."""

import base64
import functools
import json
import os
import pickle
import sys

PROTOCOL = 1


class Problem(dict):
    """What a method gets: seed, threads and the budget's steps and, if there are rows, in, out, loss, kernel, sigma and nu.

    With format = "npy" in the spec, x and y are the training rows: y has a column for each output, or is a vector if there is one.
    """

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    @functools.cached_property
    def rows(self):
        return load(self.train)

    @property
    def x(self):
        return self.rows[:, -self["in"] :]

    @property
    def y(self):
        y = self.rows[:, : -self["in"]]
        return y[:, 0] if y.shape[1] == 1 else y


def load(name):
    import numpy

    return numpy.load(name)


def method(cls, name=None, version="", saves=True, again=True):
    """Answers the requests of repro with an object of a class, until the last one. In a module that is imported it does nothing.

    start(problem)  begins, at a Problem
    step()          makes one step; True if there is nothing more to do
    values()        returns the numbers that the method reports of itself, by name; may be missing
    predict(x)      returns the predictions of the rows of x, if there are rows

    What the method prints goes to the log of the cell. Its state is saved by pickle, so that an interrupted run continues. One process
    serves many seeds, so that imports are paid once: each start makes a new object. again=False has a process for each seed.
    """
    if sys._getframe(1).f_globals.get("__name__") != "__main__":
        return
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # stdout is for replies only
    sys.stdout.reconfigure(line_buffering=True)  # what is printed reaches the log of its cell
    fit = None
    for line in sys.stdin:
        r = json.loads(line)
        a = {"id": r["id"]}
        if r["request"] == "hello":
            a.update(protocol=PROTOCOL, name=name or getattr(cls, "__name__", "method"), version=version, save=saves, again=again)
        elif r["request"] == "start":
            fit = cls()
            fit.start(Problem(r))
        elif r["request"] == "step":
            a["made"] = 0
            while a["made"] < r["n"] and not a.get("done"):
                a["done"] = bool(fit.step())
                a["made"] += 1
        elif r["request"] == "value":
            a["values"] = {key: float(v) for key, v in getattr(fit, "values", dict)().items()}
        elif r["request"] == "predict":
            import numpy

            a["base64"] = base64.b64encode(numpy.ascontiguousarray(fit.predict(load(r["rows"])), "<f8").tobytes()).decode()
        elif r["request"] == "save":
            with open(r["file"], "wb") as f:
                pickle.dump(fit, f)
        elif r["request"] == "restore":
            with open(r["file"], "rb") as f:
                fit = pickle.load(f)
        elif r["request"] == "stop":
            return
        else:
            a["error"] = "no such request: " + r["request"]
        replies.write(json.dumps(a) + "\n")
        replies.flush()
