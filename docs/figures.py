#!/usr/bin/env python3
"""Figures in the documents come from records/: this puts them there, and says where they differ.

    docs/figures.py            names the documents and plots whose figures are not those of the records (exit 1), and every figure of
                               speed that stands in a sentence without a mark
    docs/figures.py --write    writes them anew

Three kinds of marks, all Markdown comments:

    <!-- table: NAME -->       on a line of its own: the table behind it is made from a record (docs/generator/*_tables.py)
    <!-- figure: RECORD; SELECTION; EXAMPLE -->0.98<!-- -->      in a sentence (docs/generator/prose.py, records.py)
    <!-- holds: RECORD; SELECTION; above 1 -->                   what is said here is so while the record says this

`--records FOLDER` takes other records. Only the standard library is used.
"""
import argparse
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from generator import bench_tables, heat_map, ladder_tables, plots, prose, python_tables, simulator_tables, unmarked  # noqa: E402
from generator.records import NotThere, Records  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PATTERNS = ("*.md", "docs/*.md", "docs/design/*.md", "bench/*.md", "data/*.md", "examples/**/*.md", "packaging/**/*.md")
# These tables are what a program prints, which tests/quadrature runs.
OTHER_TABLES = {"docs/quadrature.md"}
TABLE = re.compile(r"^<!-- table: (.*) -->\n(?:\|.*\n)*", re.MULTILINE)


def documents():
    """What users and newcomers read. docs/experiments is not among it: those are notes, each with its date and device."""
    return [path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern))]


def table(name, records):
    if name in ladder_tables.TABLES:
        try:
            return ladder_tables.TABLES[name](ladder_tables.Ladder(records.runs("ladder"))) + "\n"
        except ladder_tables.NotMeasured:
            return ""
    for tables in (bench_tables.TABLES, python_tables.TABLES, simulator_tables.TABLES):
        if name in tables:
            return tables[name](records) + "\n"
    raise NotThere(f"there is no table '{name}'")


def wanted(path, text, records):
    """A document with the figures that the records have."""
    name = str(path.relative_to(ROOT))
    if name not in OTHER_TABLES:
        text = TABLE.sub(lambda match: f"<!-- table: {match[1]} -->\n{table(match[1], records)}", text)
    return prose.with_figures(text, records, name)


def files(records):
    """Each document and plot: its path, what it has, what it should have."""
    for path in documents():
        text = path.read_text()
        yield path, text, wanted(path, text, records)
    for name, draw in plots.PLOTS.items():
        path = ROOT / f"docs/plots/{name}.svg"
        yield path, path.read_text() if path.exists() else "", draw(records)
    for name, (file, title) in plots.GRIDS.items():
        path = ROOT / f"docs/plots/{name}.svg"
        if (records.folder / file).exists():
            yield path, path.read_text() if path.exists() else "", heat_map.heat_map(records, file, title)


def differences(before, after):
    """Lines that differ, for a message."""
    old, new = before.splitlines(), after.splitlines()
    return [f"  line {i}: {a.strip()[:150]}" for i, (a, b) in enumerate(zip(old, new), 1) if a != b]


def complaints(records):
    """All that is not as the records have it, a line each."""
    found = []
    for path, text, right in files(records):
        name = path.relative_to(ROOT)
        if text != right:
            lines = differences(text, right) if path.suffix == ".md" else []
            found += [f"{name} has other figures than the records: docs/figures.py --write", *lines]
        if path.suffix == ".md":
            found += prose.what_no_longer_holds(text, records, name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--records", default=ROOT / "records", metavar="FOLDER")
    options = parser.parse_args()
    records = Records(options.records)
    try:
        if options.write:
            for path, text, right in files(records):
                if text != right:
                    path.write_text(right)
                    print(f"wrote {path.relative_to(ROOT)}")
        found = complaints(records) + unmarked.complaints((path.relative_to(ROOT), path.read_text()) for path in documents())
    except NotThere as problem:
        sys.exit(str(problem))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
