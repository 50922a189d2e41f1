#!/usr/bin/env python3
"""Fits how long exact sums over MPI take to measurements, and carries that to more ranks, on paper.

    bench/mpi/model.py measure LABEL OUT RANKS COMMAND...   runs COMMAND (mpi_bench_MPI and what starts it, with {} for the number of ranks) for each
                                                            of RANKS, such as 2,3,4, and each size, and writes what it printed to OUT
    bench/mpi/model.py fit RECORD LABEL=OUT...              fits, and writes the record that docs/mpi.md takes its figures from

A number of all ranks: t = c + s log2 P. s has a message's latency and the time of its 3 KiB.
An array of m bytes: t = c + 2 (P - 1) alpha + 2 m (P - 1) / P beta. beta has the copies and the sums beside the transport.
Both by least squares of relative errors, with nothing below 0. Only the standard library is used.
"""
import datetime
import itertools
import json
import math
import pathlib
import subprocess
import sys

SIZES = [1 << n for n in range(10, 26, 3)]


def measure(label, out, ranks, command):
    found = []
    for number in map(int, ranks.split(",")):
        for size in SIZES:
            words = [word.replace("{}", str(number)) for word in command]
            done = subprocess.run([*words, "--rounds", "15", "--elements", "64", "--bytes", str(size)], capture_output=True, text=True, timeout=60, check=True)
            found.append(json.loads(done.stdout))
            print(label, number, size, f"{found[-1]['sum']['exact'] * 1e6:.1f} us, {found[-1]['all_reduce float32']['exact'] * 1e6:.1f} us", flush=True)
    pathlib.Path(out).write_text(json.dumps(found))


def solve(matrix, right):
    """A small system, by elimination with pivots."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if rows[i][i] == 0:
            return None
        for k in range(len(rows)):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit(terms, times):
    """The coefficients, none below 0, that make the sum of squares of relative errors least: by trying all choices of terms that count."""
    best = None
    width = len(terms[0])
    for used in itertools.chain.from_iterable(itertools.combinations(range(width), k) for k in range(1, width + 1)):
        rows = [[row[i] / time for i in used] for row, time in zip(terms, times)]
        normal = [[sum(row[i] * row[j] for row in rows) for j in range(len(used))] for i in range(len(used))]
        found = solve(normal, [sum(row[i] for row in rows) for i in range(len(used))])
        if found is None or min(found) < 0:
            continue
        error = sum((sum(a * b for a, b in zip(row, found)) - 1) ** 2 for row in rows)
        if best is None or error < best[0]:
            best = error, [found[used.index(i)] if i in used else 0.0 for i in range(width)]
    return best[1], math.sqrt(best[0] / len(times))


def model(runs):
    sums = [(run["ranks"], run["sum"]["exact"]) for run in runs]
    arrays = [(run["ranks"], run["bytes"], run["all_reduce float32"]["exact"]) for run in runs]
    (constant, step), number_error = fit([[1, math.log2(ranks)] for ranks, _ in sums], [time for _, time in sums])
    terms = [[1, 2 * (ranks - 1), 2 * size * (ranks - 1) / ranks] for ranks, size, _ in arrays]
    (start, alpha, beta), array_error = fit(terms, [time for *_, time in arrays])
    many = 10 ** 5
    found = {"number, start, us": constant * 1e6, "number, step, us": step * 1e6, "number, error": number_error,
             "number on 10^5 ranks, us": (constant + step * math.log2(many)) * 1e6,
             "array, start, us": start * 1e6, "array, alpha, us": alpha * 1e6, "array, beta, ns a KiB": beta * 1e9 * 1024, "array, error": array_error,
             "array, GB/s": 1e-9 / beta if beta else 0.0, "array of 64 MiB on 10^5 ranks, s": start + 2 * (many - 1) * alpha + 2 * (1 << 26) * beta,
             "of it latency": 2 * (many - 1) * alpha / (start + 2 * (many - 1) * alpha + 2 * (1 << 26) * beta)}
    return {name: float(f"{value:.4g}") for name, value in found.items()}


def main():
    if sys.argv[1] == "measure":
        return measure(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
    record = {"command": "bench/mpi/model.py", "measured": datetime.date.today().isoformat()}
    for pair in sys.argv[3:]:
        label, out = pair.split("=", 1)
        runs = json.loads(pathlib.Path(out).read_text())
        record.update({f"{label}: {name}": value for name, value in model(runs).items()})
        record[f"{label}, runs"] = [[run["ranks"], run["bytes"], run["sum"]["exact"], run["all_reduce float32"]["exact"], run["all_reduce float32"]["plain"]]
                                    for run in runs]
    text = json.dumps(record, indent=1)
    pathlib.Path(sys.argv[2]).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
