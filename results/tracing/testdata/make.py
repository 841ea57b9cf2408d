#!/usr/bin/env python3
"""Draws figures of known data into this folder, by matplotlib, gnuplot, R, pgfplots and repro, and writes truth.json.

truth.json has, for each file, how it is to be read and the points of its curves. Debian packages: python3-matplotlib gnuplot-nox
r-base-core texlive-pictures. A program that is missing leaves its figures out and keeps those that are there; repro is in the PATH.
"""
import glob, json, os, random, re, shutil, subprocess, sys, tempfile

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

os.environ["SOURCE_DATE_EPOCH"] = "0"
HERE = os.path.dirname(os.path.abspath(__file__))
TRUTH = {}
COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"]
NAMES = ["SGD", "Adam", "averaged SGD", "EigenPro", "ridge (M = 2)", "FOGD", "Nyström", "kernel"]
DASHES = ["-", "--", "-.", ":"]


def data(kind, n, points, seed):
    """Curves (name, x, y) on the scale of kind."""
    r = random.Random(seed)
    out = []
    for k in range(n):
        if kind in ("semilogx", "loglog"):
            x = np.geomspace(1, 1e4, points)
        else:
            x = np.linspace(0, 50, points)
        if kind in ("semilogy", "loglog"):
            a = 0.3 + 0.15 * k
            y = (0.5 + 0.3 * k) * ((x + 1) ** -a if kind == "loglog" else np.exp(-a * x / 20))
            y = y * np.exp([0.03 * r.gauss(0, 1) for _ in x])
        else:
            y = 10 + 8 * k + (3 + k) * np.sin(np.arange(points) / (6 + k)) + np.array([0.3 * r.gauss(0, 1) for _ in x])
            if seed % 5 == 3:
                y = y - 30
        out.append((NAMES[k], x, np.array(y, dtype=float)))
    return out


def truth(file, curves, ax=None, log=(False, False), lims=None, **how):
    lims = lims or (list(ax.get_xlim()), list(ax.get_ylim()))
    TRUTH[file] = dict(curves={n: [[float("%.9g" % a), float("%.9g" % b)] for a, b in zip(x, y)] for n, x, y in curves},
                       xlim=[float(v) for v in lims[0]], ylim=[float(v) for v in lims[1]], log=list(log), **how)


def logs(kind):
    return kind in ("semilogx", "loglog"), kind in ("semilogy", "loglog")


def plot(ax, kind, curves, dash=False, marks=False, lines=True, band=False):
    for k, (name, x, y) in enumerate(curves):
        ax.plot(x, y, color=COLOURS[k] if not dash else "black", linestyle=DASHES[k % 4] if dash else ("-" if lines else "none"),
                marker="osv^Dx+*"[k] if marks else None, markersize=4, label=name)
        if band:
            ax.fill_between(x, 0.9 * y, 1.1 * y, color=COLOURS[k], alpha=0.2, linewidth=0)
    if logs(kind)[0]:
        ax.set_xscale("log")
    if logs(kind)[1]:
        ax.set_yscale("log")


def figure(name, kind, n, points, seed, formats=("pdf",), legend="inside", grid=False, rotated=0, labels=True, fonttype=3, **style):
    curves = data(kind, n, points, seed)
    matplotlib.rcParams["pdf.fonttype"] = fonttype
    fig, ax = plt.subplots(figsize=(4.2, 3))
    plot(ax, kind, curves, **style)
    if legend == "inside":
        ax.legend(fontsize=7)
    elif legend == "outside":
        ax.legend(fontsize=7, bbox_to_anchor=(1.02, 1), loc="upper left")
    if grid:
        ax.grid(True, which="both" if grid == "both" else "major", alpha=0.5)
    if rotated:
        ax.tick_params(axis="x", rotation=rotated)
    if labels:
        ax.set_xlabel("examples")
        ax.set_ylabel("error")
    fig.tight_layout()
    for f in formats:
        file = f"mpl-{name}.{f}"
        save(fig, file)
        how = {}
        if f == "png":
            how = pixels(fig, ax, curves)
        truth(file, curves, ax, logs(kind), tool="matplotlib", legend=legend != "none" and not style.get("dash", False) or legend != "none", **how)
    plt.close(fig)


def save(fig, file):
    meta = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}[file[-3:]]
    fig.savefig(os.path.join(HERE, file), dpi=110, metadata=meta)


def pixels(fig, ax, curves):
    """Two ticks of each axis in pixels, and the colours: what a reader would give."""
    fig.set_dpi(110)
    fig.canvas.draw()
    height = fig.bbox.height
    def two(ticks, lim, place):
        inside = sorted(t for t in ticks if lim[0] <= t <= lim[1])
        return [[round(place(t)), t] for t in (inside[0], inside[-1])]
    x = two([*ax.get_xticks(), *ax.get_xticks(minor=True)], ax.get_xlim(), lambda t: ax.transData.transform((t, ax.get_ylim()[0]))[0])
    y = two([*ax.get_yticks(), *ax.get_yticks(minor=True)], ax.get_ylim(), lambda t: height - ax.transData.transform((ax.get_xlim()[0], t))[1])
    box = ax.get_window_extent()
    how = dict(x=x, y=y, frame=[round(box.x0) + 2, round(height - box.y1) + 2, round(box.x1) - 2, round(height - box.y0) - 2],
               colours={n: COLOURS[k] for k, (n, _, _) in enumerate(curves)})
    if ax.get_legend():
        b = ax.get_legend().get_window_extent()
        how["without"] = [round(b.x0) - 1, round(height - b.y1) - 1, round(b.x1) + 1, round(height - b.y0) + 1]
    return how


def matplotlib_figures():
    kinds = ["linear", "semilogx", "semilogy", "loglog"]
    for i, kind in enumerate(kinds):
        figure(f"one-{kind}", kind, 1, 30, i, legend="none")
        figure(f"three-{kind}", kind, 3, 40, 10 + i, formats=("pdf", "svg", "png"))
        figure(f"eight-{kind}", kind, 8, 25, 20 + i, legend="outside", grid=True)
        figure(f"dashes-{kind}", kind, 4, 40, 30 + i, dash=True, fonttype=42)
        figure(f"bands-{kind}", kind, 2, 30, 40 + i, band=True, grid="both", formats=("pdf", "png"))
        figure(f"dots-{kind}", kind, 2, 20, 50 + i, marks=True, lines=False, formats=("pdf", "svg"))
        figure(f"marked-{kind}", kind, 3, 20, 60 + i, marks=True, rotated=45 if i % 2 else 90, formats=("pdf",))
        figure(f"many-{kind}", kind, 5, 60, 70 + i, formats=("png",), legend="outside")
    # two panels
    for i, (a, b) in enumerate([("linear", "loglog"), ("semilogy", "semilogx")]):
        fig, axes = plt.subplots(1, 2, figsize=(7, 3))
        for k, (ax, kind) in enumerate(zip(axes, (a, b))):
            curves = data(kind, 2, 25, 80 + 2 * i + k)
            plot(ax, kind, curves)
            ax.legend(fontsize=7)
            ax.set_xlabel("step")
        fig.tight_layout()
        save(fig, f"mpl-panels-{i}.pdf")
        for k, (ax, kind) in enumerate(zip(axes, (a, b))):
            truth(f"mpl-panels-{i}.pdf#{k + 1}", data(kind, 2, 25, 80 + 2 * i + k), ax, logs(kind), tool="matplotlib", legend=True, panel=k + 1)
        plt.close(fig)
    # a factor at the end of an axis, an offset, two vertical axes, a broken axis, names, few ticks
    def odd(name, draw, asks=None, curves=None, log=(False, False)):
        fig, ax = plt.subplots(figsize=(4.2, 3))
        draw(fig, ax)
        fig.tight_layout()
        save(fig, f"mpl-{name}.pdf")
        truth(f"mpl-{name}.pdf", curves or [], ax, log, tool="matplotlib", legend=False, asks=asks)
        plt.close(fig)
    x = np.linspace(0, 50, 30)
    odd("factor", lambda f, ax: ax.plot(x, 2e6 + 1e5 * x, label="SGD"), curves=[("", x, 2e6 + 1e5 * x)])
    odd("small", lambda f, ax: ax.plot(x, 2e-6 + 1e-7 * x, label="SGD"), curves=[("", x, 2e-6 + 1e-7 * x)])
    odd("offset", lambda f, ax: ax.plot(x, 1e6 + 0.001 * x), asks="not sure")
    def twin(f, ax):
        ax.plot(x, x ** 2, "r")
        ax.twinx().plot(x, 1 + np.sin(x / 9), "b")
    odd("twin", twin, asks="--side")
    def names(f, ax):
        ax.plot(x, x)
        ax.set_xticks([0, 10, 20, 30])
        ax.set_xticklabels(["0", "10", "100", "300"])
    odd("broken", names, asks="not sure")
    def words(f, ax):
        ax.plot(x, x)
        ax.set_xticks([0, 20, 40])
        ax.set_xticklabels(["a", "b", "c"])
    odd("words", words, asks="--x")
    def two(f, ax):
        ax.plot(x, x + 10)
        ax.set_yticks([20, 40])
    odd("two-ticks", two, asks="not sure")


def bar_figures():
    x = np.arange(1, 9)
    for name, log, formats in (("bars", False, ("pdf", "svg")), ("bars-log", True, ("pdf",))):
        fig, ax = plt.subplots(figsize=(4.6, 3.2))
        curves = [("Adam", x - 0.2, 3 + 2 * np.sin(x) if not log else 10.0 ** (x / 3)), ("SGD", x + 0.2, 2 - x / 2 if not log else 300 / x)]
        for k, (label, at, y) in enumerate(curves):
            ax.bar(at, y, 0.35, color=COLOURS[k], label=label)
        if log:
            ax.set_yscale("log")
        ax.legend(fontsize=8)
        fig.tight_layout()
        for f in formats:
            save(fig, f"mpl-{name}.{f}")
            truth(f"mpl-{name}.{f}", curves, ax, (False, log), tool="matplotlib", legend=True)
        plt.close(fig)
    r = random.Random(5)
    fig, ax = plt.subplots(figsize=(4.6, 3.2))
    counts, edges, _ = ax.hist([r.gauss(0, 1) for _ in range(400)], bins=15)
    save(fig, "mpl-histogram.pdf")
    truth("mpl-histogram.pdf", [("counts", (edges[1:] + edges[:-1]) / 2, counts)], ax, tool="matplotlib", legend=False)
    plt.close(fig)


def repro_figures():
    if not shutil.which("repro"):
        return keep("repro")
    for i, kind in enumerate(["linear", "semilogx", "semilogy", "loglog"]):
        curves = data(kind, 2 + i, 25, 300 + i)
        y = limits(curves, logs(kind)[1])
        x = [10 ** -0.08, 10 ** 4.08] if logs(kind)[0] else [0, 51]  # the program leaves 2 % of room
        curves = [(re.sub(r"[^\w.-]+", "-", n).strip("-"), xs, ys) for n, xs, ys in curves]  # ids of methods
        with tempfile.TemporaryDirectory() as tmp:
            with open(f"{tmp}/runs.csv", "w") as f:
                f.write("method,seed,epoch,loss\n")
                f.writelines(f"{n},1,{a:.9g},{b:.9g}\n" for n, xs, ys in curves for a, b in zip(xs, ys))
            run = lambda *args: subprocess.run(["repro", *args], cwd=tmp, check=True, capture_output=True)
            run("judge", "runs.csv", "--write", "own.toml")
            with open(f"{tmp}/own.toml", "a") as f:
                f.write(f'\n[[figure]]\nid = "known"\nx = "epoch"\ny = "loss"\nscale = "{kind}"\ny_range = [{y[0]:.9g}, {y[1]:.9g}]\n')
            run("judge", "own.toml")
            run("judge", "own.toml", "--format", "pdf")
            shutil.copy(glob.glob(f"{tmp}/out/figures/*/*/known.pdf")[0], f"{HERE}/repro-{kind}.pdf")
        truth(f"repro-{kind}.pdf", curves, lims=(x, y), log=logs(kind), tool="repro", legend=True)


def gnuplot_figures():
    if not shutil.which("gnuplot"):
        return keep("gnuplot")
    for i, kind in enumerate(["linear", "semilogx", "semilogy", "loglog"]):
        for j, (term, end) in enumerate([("pdfcairo size 4.2in,3in", "pdf"), ("svg size 420,300", "svg")]):
            for grid in (False, True):
                curves = data(kind, 2 + i % 3 + 2 * grid, 30, 100 + 10 * i + j + 5 * grid)
                file = f"gp-{kind}-{'grid' if grid else 'plain'}.{end}"
                lims = ([1, 1e4] if logs(kind)[0] else [0, 50], limits(curves, logs(kind)[1]))
                with tempfile.TemporaryDirectory() as tmp:
                    parts = []
                    for k, (name, x, y) in enumerate(curves):
                        np.savetxt(f"{tmp}/{k}", np.c_[x, y], fmt="%.9g")
                        parts.append(f"'{tmp}/{k}' with lines dashtype {k % 3 + 1 if grid else 1} title '{name}'")
                    script = f"set terminal {term}\nset output '{HERE}/{file}'\nset xrange [{lims[0][0]}:{lims[0][1]}]\nset yrange [{lims[1][0]}:{lims[1][1]}]\n"
                    script += "set xlabel 'step'\nset ylabel 'error'\n"
                    if logs(kind)[0]:
                        script += "set logscale x\nset format x '10^{%T}'\n"
                    if logs(kind)[1]:
                        script += "set logscale y\nset format y '10^{%T}'\n"
                    if grid:
                        script += "set grid\nset key outside\n"
                    subprocess.run(["gnuplot"], input=script + "plot " + ", ".join(parts) + "\n", text=True, check=True)
                truth(file, curves, lims=lims, log=logs(kind), tool="gnuplot", legend=True)


def limits(curves, log):
    low, high = min(y.min() for _, _, y in curves), max(y.max() for _, _, y in curves)
    if log:
        return [float(10 ** np.floor(np.log10(low))), float(10 ** np.ceil(np.log10(high)))]
    return [float(np.floor(low / 10) * 10), float(np.ceil(high / 10) * 10)]


def r_figures():
    if not shutil.which("Rscript"):
        return keep("R")
    for i, kind in enumerate(["linear", "semilogx", "semilogy", "loglog"]):
        for las in (0, 1):
            curves = data(kind, 2 + i % 2 + las, 30, 150 + 10 * i + las)
            file = f"r-{kind}-{las}.pdf"
            log = ("x" if logs(kind)[0] else "") + ("y" if logs(kind)[1] else "")
            with tempfile.TemporaryDirectory() as tmp:
                for k, (_, x, y) in enumerate(curves):
                    np.savetxt(f"{tmp}/{k}", np.c_[x, y], fmt="%.9g")
                ys = np.concatenate([y for _, _, y in curves])
                cols = ", ".join(f"'{c}'" for c in COLOURS[:len(curves)])
                names = ", ".join(f"'{n.replace('ö', 'o')}'" for n, _, _ in curves)
                script = f"""pdf("{HERE}/{file}", width=4.6, height=3.6)
d <- lapply(0:{len(curves) - 1}, function(k) read.table(paste0("{tmp}/", k)))
plot(d[[1]], type="l", log="{log}", col="{COLOURS[0]}", ylim=c({ys.min():.9g}, {ys.max():.9g}), xlab="step", ylab="error", las={las})
cols <- c({cols})
for (k in seq_along(d)[-1]) lines(d[[k]], col=cols[k], lty={'k' if las else '1'})
legend("{'topright' if 'y' in log else 'topleft'}", legend=c({names}), col=cols, lty={'seq_along(d)' if las else '1'}, cex=0.7)
u <- par("usr")
cat(u, "\\n")
invisible(dev.off())
"""
                out = subprocess.run(["Rscript", "-"], input=script, text=True, check=True, capture_output=True).stdout.split()
            u = [float(v) for v in out[-4:]]
            lim = [[10 ** v for v in u[:2]] if logs(kind)[0] else u[:2], [10 ** v for v in u[2:]] if logs(kind)[1] else u[2:]]
            truth(file, [(n.replace("ö", "o"), x, y) for n, x, y in curves], lims=lim, log=logs(kind), tool="R", legend=True)


def pgf_figures():
    if not shutil.which("pdflatex"):
        return keep("pgfplots")
    for i, kind in enumerate(["linear", "semilogx", "semilogy", "loglog"]):
        curves = data(kind, 3, 25, 200 + i)
        env = {"linear": "axis", "semilogx": "semilogxaxis", "semilogy": "semilogyaxis", "loglog": "loglogaxis"}[kind]
        lims = ([1, 1e4] if logs(kind)[0] else [0, 50], limits(curves, logs(kind)[1]))
        body = "".join("\\addplot[%s, %s, thick] coordinates {%s};\\addlegendentry{%s}\n" % (["blue", "red", "black"][k], ["solid", "dashed", "dotted"][k], " ".join("(%.9g,%.9g)" % p for p in zip(x, y)), n.replace("ö", "o"))
                       for k, (n, x, y) in enumerate(curves))
        tex = "\\documentclass{article}\\pagestyle{empty}\\usepackage{pgfplots}\\pgfplotsset{compat=1.16}\\begin{document}\\begin{tikzpicture}\\begin{%s}[xmin=%g,xmax=%g,ymin=%g,ymax=%g,legend pos=outer north east]\n%s\\end{%s}\\end{tikzpicture}\\end{document}" % (env, *lims[0], *lims[1], body, env)
        with tempfile.TemporaryDirectory() as tmp:
            open(f"{tmp}/f.tex", "w").write(tex)
            subprocess.run(["pdflatex", "-interaction=batchmode", "f.tex"], cwd=tmp, check=True, capture_output=True)
            shutil.copy(f"{tmp}/f.pdf", f"{HERE}/pgf-{kind}.pdf")
        truth(f"pgf-{kind}.pdf", [(n.replace("ö", "o"), x, y) for n, x, y in curves], lims=lims, log=logs(kind), tool="pgfplots", legend=True)


def keep(tool):
    print("no", tool, file=sys.stderr)
    path = os.path.join(HERE, "truth.json")
    if os.path.exists(path):
        TRUTH.update({f: t for f, t in json.load(open(path)).items() if t["tool"] == tool})


matplotlib_figures()
bar_figures()
gnuplot_figures()
r_figures()
pgf_figures()
repro_figures()
with open(os.path.join(HERE, "truth.json"), "w") as f:
    f.write("{\n" + ",\n".join(json.dumps(k) + ": " + json.dumps(TRUTH[k], separators=(",", ":"), ensure_ascii=False) for k in sorted(TRUTH)) + "\n}\n")
print(len(TRUTH), "figures")
