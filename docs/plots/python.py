#!/usr/bin/env python3
"""Draws docs/plots/python-error.svg and python-time.svg by Matplotlib, from records/python-peers.json, which bench/python_peers.py has measured.

    docs/plots/python.py            draws them
    docs/plots/python.py --check    says whether they are of that record (needs no Matplotlib): a test
"""
import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parents[1] / "records/python-peers.json"
WAYS = (("math.fsum", "#d9822b", "-."), ("accupy.fsum", "#c7a500", "--"), ("accupy.ksum", "#5ab4ac", "--"), ("xsum.xsum_large", "#8c6d5a", "-."),
        ("numpy.sum", "#d64545", "--"), ("torch.sum", "#a672c4", ":"), ("torch.sum, GPU", "#808080", ":"), ("foldline.sum", "#2ca25f", "-"),
        ("foldline.sum, GPU", "#3b8fd4", "-"))


def mark():
    return f"records/{RECORD.name} {hashlib.sha256(RECORD.read_bytes()).hexdigest()}"


def draw(name, title, label, value, lines=()):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}
    from matplotlib import pyplot

    sizes = json.loads(RECORD.read_text())["sizes"]
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for way, colour, style in WAYS:
        points = [(int(n), value(int(n), found[way])) for n, found in sizes.items() if way in found]
        if points:
            axes.plot(*zip(*points), style, color=colour, label=way, marker="o", markersize=3)
    for y, text in lines:
        axes.axhline(y, color="#808080", linewidth=0.8)
        axes.annotate(text, (0.99, y), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)
    axes.set(xscale="log", yscale="log", xlabel="n", ylabel=label, title=title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None, "Creator": None, "Description": mark()})


def main():
    # An error of 0 is drawn as a hundredth of a rounding, which has a place on a logarithmic axis.
    draw("python-error", "Error of a sum of n doubles of both signs", "units of one rounding",
         lambda n, found: max(found["error_in_roundings"], 0.01), [(1, "one rounding")])
    draw("python-time", "Time of a sum of n doubles", "nanoseconds an element", lambda n, found: found["nanoseconds"] / n)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        stale = [name for name in ("python-error", "python-time") if mark() not in (HERE / f"{name}.svg").read_text()]
        sys.exit(f"not of {RECORD.name} as it is: {', '.join(stale)}; run docs/plots/python.py" if stale else 0)
    main()
