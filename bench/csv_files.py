#!/usr/bin/env python3
"""Sums, statistics and groups of a CSV file: the foldline command beside mawk, datamash, pandas and DuckDB.

    bench/csv_files.py --foldline build/release/cli/foldline [--size-mb 100] [--rounds 5] [--only mean] [--json FILE]

Needs mawk and datamash (Debian), pandas and duckdb (PyPI); a tool that is missing is left out and named. Makes its files in a
temporary folder, reads each once so that it is in the page cache, and runs the contestants of a task in turns, `--rounds` times,
with all cores that they take by themselves. Prints the median wall time of each, of the whole command, and what foldline takes
beside the fastest other. pandas and DuckDB are Python modules: what they take inside a running Python, without the start and the
import, stands beside. The last column is the largest memory of the command.

Results are compared: each contestant prints its own (rounded) sums, which must agree with foldline's to 9 digits.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GROUP_NAMES = ("north", "south", "east", "west", "upper", "lower", "inner", "outer")


def make_sales(path, megabytes):
    """id, one of 8 regions, and three columns of decimals."""
    generator = random.Random(1)
    with open(path, "w") as file:
        file.write("id,region,price,amount,score\n")
        number = 0
        while file.tell() < megabytes * 1_000_000:
            rows = []
            for _ in range(10_000):
                number += 1
                rows.append(f"{number},{GROUP_NAMES[generator.randrange(8)]},{generator.uniform(0, 1000):.2f},"
                            f"{generator.randrange(1, 100)},{generator.gauss(0, 1):.6f}\n")
            file.write("".join(rows))


def make_keyed(path, megabytes, keys):
    """A key, of so many different ones, and a value. Each key occurs."""
    generator = random.Random(2)
    with open(path, "w") as file:
        file.write("key,value\n")
        number = 0
        while file.tell() < megabytes * 1_000_000 or number < keys:
            rows = []
            for _ in range(10_000):
                key = number if number < keys else generator.randrange(keys)
                rows.append(f"customer{key:07d},{generator.uniform(0, 1000):.2f}\n")
                number += 1
            file.write("".join(rows))


PANDAS = "import time, pandas\nbegin = time.perf_counter()\nframe = pandas.read_csv({file!r}, usecols={columns})\n{statement}\n"
DUCKDB = "import time, duckdb\nbegin = time.perf_counter()\nrows = duckdb.sql(\"{query}\").fetchall()\n{show}\n"
END = "import sys; print(time.perf_counter() - begin, file=sys.stderr)\n"


def pandas_script(file, columns, statement):
    return ["python", PANDAS.format(file=file, columns=columns, statement=statement) + END]


def duckdb_script(query, show):
    return ["python", DUCKDB.format(query=query, show=show) + END]


def tasks(foldline, folder, megabytes):
    """Name, file, how to make it, and the command of each contestant. A group's results are checked by their sum."""
    sales = os.path.join(folder, "sales.csv")
    yield ("sum", sales, lambda: make_sales(sales, megabytes), {
        "foldline": [foldline, "sum", sales, "--column", "price"],
        "mawk": ["mawk", "-F,", 'NR > 1 { s += $3 } END { printf "%.17g\\n", s }', sales],
        "datamash": ["sh", "-c", f"datamash -t, --header-in -R 6 sum 3 <{sales}"],
        "pandas": pandas_script(sales, ["price"], "print(frame.price.sum())"),
        "DuckDB": duckdb_script(f"select sum(price) from read_csv('{sales}')", "print(rows[0][0])"),
    })
    yield ("stats of 3 columns", sales, None, {
        "foldline": [foldline, "stats", sales, "--column", "price,amount,score", "--output-format", "tsv"],
        "mawk": ["mawk", "-F,", "NR > 1 { for (i = 3; i < 6; ++i) { x = $i + 0; s[i] += x; q[i] += x * x; "
                 "if (NR == 2 || x < l[i]) l[i] = x; if (NR == 2 || x > h[i]) h[i] = x } } "
                 "END { for (i = 3; i < 6; ++i) print NR - 1, l[i], h[i], s[i] / (NR - 1), q[i] }", sales],
        "datamash": ["sh", "-c", "datamash -t, --header-in " +
                     " ".join(f"count {i} min {i} max {i} sum {i} mean {i} pvar {i}" for i in (3, 4, 5)) + f" <{sales}"],
        "pandas": pandas_script(sales, ["price", "amount", "score"], "print(frame.agg(['count', 'min', 'max', 'sum', 'mean', 'var']))"),
        "DuckDB": duckdb_script("select " + ", ".join(
            f"count({c}), min({c}), max({c}), sum({c}), avg({c}), var_pop({c})" for c in ("price", "amount", "score")) +
            f" from read_csv('{sales}')", "print(rows[0])"),
    })
    yield ("mean by 8 groups", sales, None, {
        "foldline": [foldline, "mean", sales, "--column", "price", "--by", "region"],
        "mawk": ["mawk", "-F,", "NR > 1 { s[$2] += $3; n[$2]++ } END { for (k in s) print k, s[k] / n[k] }", sales],
        "datamash": ["sh", "-c", f"datamash -t, --header-in -s -g 2 mean 3 <{sales}"],
        "pandas": pandas_script(sales, ["region", "price"], "print(frame.groupby('region').price.mean())"),
        "DuckDB": duckdb_script(f"select region, avg(price) from read_csv('{sales}') group by region", "print(rows)"),
    })
    for keys in (50_000, 2_000_000):
        keyed = os.path.join(folder, f"keys{keys}.csv")
        yield (f"mean by {keys} groups", keyed, lambda keyed=keyed, keys=keys: make_keyed(keyed, megabytes, keys), {
            "foldline": [foldline, "mean", keyed, "--column", "value", "--by", "key", "--allow-keys", str(keys)],
            "mawk": ["mawk", "-F,", "NR > 1 { s[$1] += $2; n[$1]++ } END { for (k in s) print k, s[k] / n[k] }", keyed],
            "datamash": ["sh", "-c", f"datamash -t, --header-in -s -g 1 mean 2 <{keyed}"],
            "pandas": pandas_script(keyed, ["key", "value"],
                                    "import sys; frame.groupby('key').value.mean().to_csv(sys.stdout)"),
            "DuckDB": duckdb_script(f"select key, avg(value) from read_csv('{keyed}') group by key",
                                    "import csv, sys\ncsv.writer(sys.stdout).writerows(rows)"),
        })


def missing(python):
    """Contestants that are not here."""
    names = [name for name in ("mawk", "datamash") if not shutil.which(name)]
    for name, module in (("pandas", "pandas"), ("DuckDB", "duckdb")):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode != 0:
            names.append(name)
    return names


class Run:
    """One run of a command, its output thrown into a file."""

    def __init__(self, command, python, output):
        command = [python, "-c", command[1]] if command[0] == "python" else command
        with open(output, "wb") as out:
            begin = time.perf_counter()
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
            errors = process.stderr.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[:3]} failed: {errors}")
        self.megabytes = usage.ru_maxrss / 1000
        self.inside = float(errors.split()[-1]) if command[0] == python else None


def check_sum(name, outputs):
    """The sums printed by all must be the same number but for the rounding of their additions."""
    if name != "sum":
        return
    values = {who: float(pathlib.Path(path).read_text().split()[-1]) for who, path in outputs.items()}
    for who, value in values.items():
        if not abs(value - values["foldline"]) <= 1e-9 * abs(value):
            sys.exit(f"{name}: {who} says {value!r}, foldline {values['foldline']!r}")


def check_groups(name, outputs):
    """As many lines of groups as foldline, where one group is one line."""
    if not name.startswith("mean by") or "8 " in name[:10]:
        return
    lines = {who: sum(1 for _ in open(path)) for who, path in outputs.items()}
    for who, count in lines.items():
        if not lines["foldline"] <= count <= lines["foldline"] + 1:  # pandas prints a heading
            sys.exit(f"{name}: {who} prints {count} lines, foldline {lines['foldline']}")


def measure(name, contestants, rounds, python, folder):
    runs = {who: [] for who in contestants}
    outputs = {who: os.path.join(folder, f"{who}.out") for who in contestants}
    for _ in range(rounds):
        for who, command in contestants.items():
            runs[who].append(Run(command, python, outputs[who]))
    check_sum(name, outputs)
    check_groups(name, outputs)
    result = {}
    for who, done in runs.items():
        inside = [run.inside for run in done if run.inside is not None]
        result[who] = {"seconds": statistics.median(run.seconds for run in done),
                       "inside": statistics.median(inside) if inside else None,
                       "megabytes": max(run.megabytes for run in done)}
    return result


def show(name, result):
    fastest = min((r["seconds"], who) for who, r in result.items() if who != "foldline")
    ours = result["foldline"]["seconds"]
    print(f"\n{name}: foldline takes {ours / fastest[0]:.2f} of the time of {fastest[1]}")
    for who, r in sorted(result.items(), key=lambda item: item[1]["seconds"]):
        inside = f"{r['inside']:8.2f} s inside Python" if r["inside"] is not None else " " * 24
        print(f"  {who:10}{r['seconds']:8.2f} s {inside}{r['megabytes']:10.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--foldline", required=True, help="the command to measure")
    parser.add_argument("--size-mb", type=int, default=100, help="size of each file (default: 100)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="tasks whose name has this in it")
    parser.add_argument("--python", default=sys.executable, help="the Python that has pandas and duckdb")
    parser.add_argument("--json", help="write the results there, too")
    arguments = parser.parse_args()
    left_out = missing(arguments.python)
    if left_out:
        print("not here, left out:", ", ".join(left_out))
    results = {}
    with tempfile.TemporaryDirectory(prefix="foldline-bench-") as folder:
        for name, file, make, contestants in tasks(os.path.abspath(arguments.foldline), folder, arguments.size_mb):
            if arguments.only not in name:
                continue
            if not os.path.exists(file):
                (make or (lambda: make_sales(file, arguments.size_mb)))()
            with open(file, "rb") as content:
                while content.read(1 << 24):
                    pass
            contestants = {who: command for who, command in contestants.items() if who not in left_out}
            results[name] = measure(name, contestants, arguments.rounds, arguments.python, folder)
            show(name, results[name])
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"size_mb": arguments.size_mb, "rounds": arguments.rounds, "cores": os.cpu_count(), "tasks": results}, file, indent=1)


if __name__ == "__main__":
    main()
