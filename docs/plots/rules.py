#!/usr/bin/env python3
"""rules.py FOLDLINE [check]: draws docs/plots/rules.svg, the errors of the rules against n, from what `foldline integrate --compare` says.

With `check` it says whether the plot is what would be drawn: a test. The formula has only operations that every processor rounds alike.
"""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from generator.svg import Line, chart  # noqa: E402

FORMULA, LARGEST = "1/(1+x)", 2**24
CURVES = (("midpoint", "midpoint", "#d9822b"), ("trapezoid", "trapezoid", "#3b8fd4"), ("simpson", "Simpson", "#2ca25f"))
LOOP = "#d64545"
ROUNDING = 2.0**-53


def errors(command, *options):
    """For each rule (n, error relative to the integral)."""
    arguments = [command, "integrate", FORMULA, "0", "1", "--compare", "-n", str(LARGEST), "--json", *options]
    table = json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout)
    # An error of 0 is drawn as one rounding, by which it may be off.
    return {rule: [(row["n"], max(row[rule] / table["result"], ROUNDING)) for row in table["rows"]] for rule, _, _ in CURVES}


def drawn(command):
    exact, loop = errors(command), errors(command, "--plain-sums")
    lines = [Line("added up in a loop" if rule == "midpoint" else "", LOOP, loop[rule], "4 3", 1.1) for rule, _, _ in CURVES]
    lines += [Line(f"{label}, exact sums", colour, exact[rule]) for rule, label, colour in CURVES]
    return chart("The integral of 1/(1+x) from 0 to 1", "n, intervals", "relative error", lines,
                 "Errors of midpoint and trapezoid fall as 1/n^2, of Simpson as 1/n^4, down to one rounding; added up in a loop they rise again.",
                 levels=((ROUNDING, "one rounding"),))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["check"]):
        sys.exit(__doc__)
    path = pathlib.Path(__file__).with_suffix(".svg")
    svg = drawn(sys.argv[1])
    if len(sys.argv) == 2:
        path.write_text(svg)
    elif svg != path.read_text():
        sys.exit("docs/plots/rules.svg is not what docs/plots/rules.py draws")
