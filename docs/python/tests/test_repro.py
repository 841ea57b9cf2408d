"""What docs/python.md promises, of the installed wheel: python -m pytest docs/python/tests."""

import json
import math
import re

import pytest

import repro

pytest_plugins = ["pytester"]
RUNS = [[5 / t * (1 + 0.1 * math.sin(seed * t)) for t in range(1, 61)] for seed in range(1, 7)]


class Tensor:
    """What torch has of a tensor that needs a gradient: no list of it without detach."""

    def __init__(self, rows):
        self.detach = lambda: self
        self.cpu = lambda: setattr(self, "tolist", lambda: rows) or self


class Frame:
    """What pandas has of a table with a column for each run."""

    def __init__(self, columns, index, array):
        self.columns, self.index, self.to_numpy = columns, index, lambda: array


def test_what_is_taken():
    want = repro.rate(RUNS, order=-1, tolerance=0.1).measured
    taken = [{"a": RUNS}, {"a": [tuple(r) for r in RUNS]}, Tensor(RUNS), [Tensor(r) for r in RUNS]]
    places = [None, range(1, 61)]
    np = pytest.importorskip("numpy")
    taken += [np.array(RUNS), {"a": np.array(RUNS)}, list(np.array(RUNS))]
    places += [np.arange(1, 61), {"a": np.arange(1, 61), "method": np.arange(1.0, 61)}]
    for curves in taken:
        for x in places:
            assert repro.rate(curves, order=np.float64(-1), x=x, tolerance=0.1).measured == want
    frame = Frame(list(range(6)), np.arange(1, 61), np.array(RUNS).T)
    assert repro.rate(frame, order=-1, tolerance=0.1).measured == want


@pytest.mark.parametrize(
    "message, ask",
    [
        ("order: missing", lambda: repro.rate(RUNS)),
        ("tolerance: missing: a rate that is not printed", lambda: repro.rate(RUNS, order=-1)),
        ("factor: must be between 0 and 1", lambda: repro.geometric(RUNS, factor=2, tolerance=0.1)),
        ("best: missing; say which of a, b", lambda: repro.order({"a": RUNS, "b": RUNS})),
        ("target: missing", lambda: repro.reach(RUNS, number=3)),
        ("published_is: is", lambda: repro.curve(RUNS, [[1, 1], [2, 2], [3, 3]])),
        ('windw: is no key of a claim of kind "rate"; did you mean "window"?', lambda: repro.rate(RUNS, order=-1, windw=[1, 2])),
        ("x: has 3 places, and run 1", lambda: repro.value(RUNS, 1, x=[1, 2, 3])),
        ("curves.sgd: 'a' is no number", lambda: repro.value({"sgd": ["a"]}, 1)),
        ("curves.method: is one number", lambda: repro.value(3, 1)),
    ],
)
def test_mistakes(message, ask):
    with pytest.raises((TypeError, ValueError), match="^" + re.escape(message)):
        ask()


def test_verdict(tmp_path):
    v = repro.rate({"sgd": RUNS}, order="-1.0", tolerance=0.2, name="mine")
    assert v.reproduced and v.low < v.measured < v.high and "95 % interval" in v.reason
    assert str(v).startswith("Claim rate: slope −") and "reproduced" in repr(v)
    assert v._repr_html_().count("<svg") == 1
    assert "mine" in open(v.report(tmp_path / "out"), encoding="utf-8").read()
    broken = repro.value([[1.0, float("nan")], [1.0, 1.0]], 1, tolerance=0.5)
    assert broken.verdict == "failed" and broken.measured is None


def test_what_is_read():
    """The mean of the last values, the best so far, and the order against mesh widths in any order."""
    runs = [[9, 1, 2, 4, 6 + 0.01 * seed] for seed in range(4)]
    assert repro.value(runs, 5, tolerance=0.1, at={"last": 2}).reproduced
    assert repro.value(runs, 1, tolerance=0.1, at={"best": "smallest"}).measured == 1
    widths = [0.1, 0.4, 0.05, 0.2, 0.025]
    v = repro.rate([3 + h * h for h in widths], order=2, x=widths, abscissa="h", deterministic=True, richardson=True, tolerance=0.1)
    assert v.reproduced, v


TEST = """
import repro
def runs(c):
    return [[c / t + 0.01 * seed for t in range(1, 41)] for seed in range(6)]
def test_a():
    repro.reference("a", runs(CONSTANT), rate=-1, TERMS)
def test_b():
    assert repro.reference("b", {"gd": runs(2)}, value=0.1, tolerance=0.2).verdict
"""


def write(pytester, constant=5, terms="tolerance=0.3", more=""):
    pytester.makepyfile(TEST.replace("CONSTANT", str(constant)).replace("TERMS", terms) + more)


def run(pytester, *args, red=""):
    """Runs the tests and returns their output. red names the tests that must fail."""
    found = pytester.runpytest_subprocess("-rA", *args)
    text = found.stdout.str()
    assert sorted(re.findall(r"^FAILED \S+::(\w+)", text, re.M)) == red.split(), text
    return text


def test_guard(pytester, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    write(pytester)
    assert "the claim is new" in run(pytester, red="test_a test_b")
    run(pytester, "--repro-accept", "the first")
    accepted = pytester.path / "repro"
    assert sorted(p.name for p in accepted.iterdir()) == ["a.json", "a.tsv", "b.json", "b.tsv"]
    assert "\tthe first" in (accepted / "a.tsv").read_text(encoding="utf-8")
    run(pytester)

    write(pytester, constant=5.5)
    text = run(pytester, red="test_a")
    assert "level of value" in text or "shape of value" in text
    picture = re.search(r"picture: (\S+)", text)[1]
    assert "accepted" in open(picture[:-3] + "csv", encoding="utf-8").read()

    for terms in ("tolerance=0.3, fail_on=[]", "tolerance=0.5", "tolerance=0.3, window=[20, 40]", "tolerance=0.3, statistic='mean'", "at_most=True", "tolerance=0.3, metric='loss'"):
        write(pytester, terms=terms)
        assert re.search("(loosened|redefined): ", run(pytester, red="test_a")), terms
    write(pytester, terms="tolerance=0.5")
    run(pytester, "--repro-accept", "less is known")
    assert "tolerance 0.3 → 0.5" in (accepted / "a.tsv").read_text(encoding="utf-8")
    run(pytester)

    text = (accepted / "a.json").read_text(encoding="utf-8")
    (accepted / "a.json").write_text(text.replace('"tolerance": 0.5', '"tolerance": 0.7'), encoding="utf-8")
    assert "the seal is not that of the text above it" in run(pytester, red="test_a")
    (accepted / "a.json").unlink()
    run(pytester, red="test_a")
    monkeypatch.setenv("CI", "true")
    assert "a machine does not accept" in run(pytester, "--repro-accept", "why not", red="test_a test_b")


def test_fail_on(pytester, monkeypatch):
    """A value that moved by 1 % is a warning, or red if the test asks for it."""
    monkeypatch.delenv("CI", raising=False)
    write(pytester)
    run(pytester, "--repro-accept", "the first")
    write(pytester, constant=5.05)
    assert "values of 1 method moved by more than rounding" in run(pytester)
    write(pytester, constant=5.05, terms="tolerance=0.3, fail_on=['curves', 'moved']")
    run(pytester, red="test_a")


def test_parallel(pytester, monkeypatch):
    """Eight workers accept and compare the same names, several times each."""
    pytest.importorskip("xdist")
    monkeypatch.delenv("CI", raising=False)
    again = "import pytest\n@pytest.mark.parametrize('i', range(6))\ndef test_again(i):\n    repro.reference('a', runs(5), rate=-1, tolerance=0.3)\n"
    write(pytester, more=again)
    run(pytester, "-n8", "--repro-accept", "the first")
    json.loads((pytester.path / "repro" / "a.json").read_text(encoding="utf-8"))
    run(pytester, "-n8")
    run(pytester, "-n8", "-p", "no:cacheprovider")


def test_outside_pytest():
    from repro import guard

    file, guard.running["file"] = guard.running["file"], None
    try:
        with pytest.raises(RuntimeError, match="name the folder"):
            repro.reference("a", RUNS, rate=-1)
    finally:
        guard.running["file"] = file
    with pytest.raises(TypeError, match="give one claim"):
        repro.reference("a", RUNS)
