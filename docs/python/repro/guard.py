"""Guards curves in tests: repro.reference compares them with accepted ones, pytest --repro-accept "why" accepts."""

import os
import tempfile
import warnings

KINDS = {"rate": "number", "geometric": "number", "value": "number", "reach": "number", "order": "method"}
running = {"config": None, "file": None}  # of pytest, and of the test that runs


class Changed(AssertionError):
    """Curves, or the claim about them, are not the accepted ones. outcome is what `repro check --json` prints."""

    outcome = None


def reference(name, runs, x=None, folder=None, fail_on=None, **keys):
    """Compares runs with those accepted under a name, and returns the verdict on their claim.

    The claim is one of rate=EXPONENT, geometric=FACTOR, value=NUMBER, reach=PLACE (with target=) and order=METHOD, with the keys of that
    claim; a rate or a factor without a tolerance is an upper bound. Runs with the same place in the list must have the same seed. The accepted
    runs are in repro/NAME.json beside the test file, and the reasons in repro/NAME.tsv; elsewhere than in pytest name the folder. fail_on lists
    what is red besides the claim, ["curves"] if left out; "moved" is any value that moved by more than rounding, which is otherwise a warning.
    """
    import repro

    __tracebackhide__ = True
    kinds = [k for k in KINDS if k in keys]
    if len(kinds) != 1:
        raise TypeError("reference: give one claim, such as rate=-1, of " + ", ".join(k + "=" for k in KINDS))
    kind = kinds[0]
    keys[KINDS[kind]] = keys.pop(kind)
    if kind in ("rate", "geometric") and not {"tolerance", "at_least", "published"} & set(keys):
        keys.setdefault("at_most", True)
    if folder is None:
        if running["file"] is None:
            raise RuntimeError("reference: no test of pytest runs; name the folder of the accepted runs with folder=")
        folder = os.path.join(os.path.dirname(running["file"]), "repro")
    config = running["config"]
    request = repro.ask(kind, runs, x, keys)
    accepted = request["accepted"] = {"file": os.path.join(os.fspath(folder), name + ".json")}
    if fail_on is not None:
        accepted["fail_on"] = list(fail_on)
    if config and config.getoption("--repro-accept"):
        accepted["why"] = config.getoption("--repro-accept")
    names = {KINDS[kind]: kind}
    answer = repro.call(request, names)
    gate, verdict = answer["gate"], repro.Verdict(request, answer, names)
    if gate["status"]:
        out = repro.call(dict(request, report=pictures(name)), names)
        lines = [gate["text"].rstrip(), "picture: " + out["picture"]]
        if gate["outcome"]["changes"]:
            lines.append('if this is right: pytest --repro-accept "why", and commit ' + os.path.relpath(accepted["file"]))
        changed = Changed("\n".join(lines))
        changed.outcome = gate["outcome"]
        raise changed
    for text in gate["notes"] + ([gate["text"]] if gate["outcome"]["shifts"] else []):
        warnings.warn(text, stacklevel=2)
    return verdict


def pictures(name):
    """Returns a folder for the report on a red test."""
    cache = getattr(running["config"], "cache", None)
    return os.path.join(str(cache.mkdir("repro")) if cache else tempfile.mkdtemp(prefix="repro-"), name)


def pytest_addoption(parser):
    parser.addoption("--repro-accept", metavar="WHY", help="accept the curves of repro.reference as they are now, for this reason")


def pytest_configure(config):
    running["config"] = config


def pytest_runtest_setup(item):
    running["file"] = str(getattr(item, "path", None) or item.fspath)


def pytest_runtest_teardown():
    running["file"] = None
