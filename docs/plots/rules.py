#!/usr/bin/python3
"""rules.py FOLDLINE [SVG]: draws docs/plots/rules.svg, the errors of the rules against n, from what `foldline integrate --compare` says.

It needs matplotlib (Debian: python3-matplotlib), which nothing else does: the plot is in the repository, so ./run and ./test do not
draw it again, and need not install 60 MB for that. That the command still gives what is drawn is checked by tests/cli/integrate_test.py,
without matplotlib. The same version of matplotlib draws the same bytes.
"""
import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

FORMULA, LARGEST = "1/(1+x)", 2**24
# Mid-tones, which can be read on white and on black; nothing is behind them.
TEXT = "#808080"
CURVES = (("midpoint", "midpoint", "#d9822b"), ("trapezoid", "trapezoid", "#3b8fd4"), ("simpson", "Simpson", "#2ca25f"))
NAIVE = "#d64545"


def errors(command, *options):
    """n, and for each rule its errors, relative to the integral."""
    arguments = [command, "integrate", FORMULA, "0", "1", "--compare", "-n", str(LARGEST), "--json", *options]
    table = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    rows = table["rows"]
    # An error of 0 is drawn as this, by which one rounding may be off.
    least = 2.0**-53
    return [row["n"] for row in rows], {rule: [max(row[rule] / table["result"], least) for row in rows] for rule, _, _ in CURVES}


def draw(command, path):
    pyplot.rcParams.update({"svg.hashsalt": "foldline", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11,
                            "text.color": TEXT, "axes.edgecolor": TEXT, "axes.labelcolor": TEXT, "xtick.color": TEXT, "ytick.color": TEXT})
    figure, axes = pyplot.subplots(figsize=(8, 4.6), layout="constrained")
    n, exact = errors(command)
    _, naive = errors(command, "--plain-sums")
    for rule, label, colour in CURVES:
        axes.loglog(n, naive[rule], color=NAIVE, linewidth=1.1, marker=".", markersize=5,
                    label="the same rules, added up in a loop" if rule == "midpoint" else None)
    for rule, label, colour in CURVES:
        axes.loglog(n, exact[rule], color=colour, linewidth=1.8, label=f"{label}, added up exactly")
    axes.axhline(2.0**-53, color=TEXT, linewidth=0.8, linestyle=":")
    axes.text(2, 2.0**-53 * 1.3, "2$^{-53}$: one rounding", fontsize=9)
    axes.text(2**8, 2.2e-5, "~ 1/n$^2$")
    axes.text(2**5.3, 2e-11, "~ 1/n$^4$", horizontalalignment="right")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("n, intervals")
    axes.set_ylabel("relative error")
    axes.set_title("The integral of 1/(1+x) from 0 to 1", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right")
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    draw(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).with_suffix(".svg"))
