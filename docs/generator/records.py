"""What records/ hold, as numbers with readable names.

    sum/float64/2^28/cuda/uniform: exact / roof      a ratio of foldline-bench: group, what of foldline / against what
    sum/float64/2^28/cuda/uniform: exact / roof, reached     whether a target was reached, 1 or 0; missing if none was set
    sum/float64/64/1/uniform: cblas_dasum, ns        median time of a contestant, on a CPU; `, GB/s` its rate
    sum/float64/64/cuda/uniform: exact, us           the same on a GPU
    dot, 2^24 doubles: foldline-dot, cold            times in us of a rung of the ladder: cold, warm, total, input; also ulp, GB/s, GFLOP/s
    counters, reduce: warp-shuffles, load_requests   what the hardware counted; with `a warp` after it, that for each warp

A selection is such a name with * for any text and {a,b} for either. `A over B` divides the numbers that A selects by those of B, in turn; where
both begin and end alike, what is alike is written once: `dot, 2^24 doubles: foldline-dot over cublas-dot, cold`.
"""
import fnmatch
import itertools
import json
import pathlib
import re

from . import ladder_tables

FILES = {
    "zen5": "cpu-zen5-2-cores.json",
    "zen5-sizes": "cpu-zen5-2-cores-sizes.json",  # sums of many sizes, if they were measured: docs/accuracy-and-speed.md
    "zen4": "cpu-zen4-2-cores.json",
    "sapphire-rapids": "cpu-sapphire-rapids-2-cores-scans.json",
    "h200": "nvidia-h200-bench.json",
    "h100": "nvidia-h100-80gb-hbm3-bench.json",
    "ladder": "nvidia-h200-ladder.json",
    "ladder-h100": "nvidia-h100-80gb-hbm3-ladder.json",
    "collective-errors": "collective-errors.json",  # by bench/collective_errors.cpp
    "collectives-model": "collectives-model.json",  # by bench/cuda/collectives_model.py
    "dask": "dask.json",  # by bench/dask_cluster.py
    "mpi-cases": "mpi-cases.json",  # by tests/mpi/soak
    "mpi-model": "mpi-model.json",  # by bench/mpi/model.py
    "python-peers": "python-peers.json",  # by bench/python_peers.py
    "python-cases": "python-cases.json",  # by tests/python/many_cases.py, if it was run
    "simulated": "simulated-ladder.json",  # by tests/ladder/count
}

# start: one over another, what
BESIDE = re.compile(r"(.*: )([^:]+) over ([^:]+), ([^,:]+)")


class NotThere(Exception):
    """A record has no such number."""


def size_text(number):
    """Powers of two from 2^10 on as such."""
    number = int(number)
    return f"2^{number.bit_length() - 1}" if number >= 1024 and number & (number - 1) == 0 else str(number)


def with_sizes(group):
    return re.sub(r"(?<=/)\d+(?=/)", lambda match: size_text(match.group()), group)


def shape_of(title):
    """The shape of a ladder's report, from its title."""
    integral = re.match(r"integral of (.*) from 0 to 1, \d+ intervals, (\w+),", title)
    if integral:
        return f"{integral[1]} {integral[2]}"
    columns = re.match(r"column sums of (\d+ x \d+)", title)
    if columns:
        return columns[1]
    product = re.match(r"product of (\d+) x .* (floats|doubles),", title)
    if product:
        return f"{product[1]} {product[2]}"
    count = re.search(r"(\d+) (ints|floats|doubles)", title)
    return f"{size_text(count[1])} {count[2]}"


def alternatives(pattern):
    """A pattern for each choice of a word in braces."""
    parts = re.split(r"\{([^{}]*)\}", pattern)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(words) for words in itertools.product(*choices)]


class Records:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.loaded, self.named = {}, {}

    def json(self, record):
        if record not in FILES:
            raise NotThere(f"there is no record {record}: docs/generator/records.py names {', '.join(FILES)}")
        if record not in self.loaded:
            self.loaded[record] = json.loads((self.folder / FILES[record]).read_text())
        return self.loaded[record]

    def runs(self, record):
        """The oldest run first: where a newer one has the same, that counts."""
        whole = self.json(record)
        return list(reversed(whole["runs"])) if "runs" in whole else [whole]

    def numbers(self, record):
        """All numbers of a record by name."""
        if record not in self.named:
            self.named[record] = named = {}
            for run in self.runs(record):
                named.update(dict(targets(run)))
                named.update(dict(rows(run)))
                named.update(dict(times(run)))
                named.update(dict(rungs(run)))
                named.update(dict(counters(run)))
                named.update({key: value for key, value in run.items() if isinstance(value, (int, float))})
        return self.named[record]

    def select(self, record, selection):
        """The numbers that a selection names, in the record's order for each alternative."""
        beside = BESIDE.fullmatch(selection)
        if beside:
            start, above, below, what = beside.groups()
            return [number for place in alternatives(start) for one in alternatives(above)
                    for number in self.select(record, f"{place}{one}, {what} over {place}{below}, {what}")]
        if " over " in selection:
            above, below = (self.select(record, part) for part in selection.split(" over "))
            if len(above) != len(below):
                raise NotThere(f"'{selection}' divides {len(above)} numbers by {len(below)}")
            return [a / b for a, b in zip(above, below)]
        named = self.numbers(record)
        return [named[name] for name in self.names(record, selection)]

    def names(self, record, selection):
        """The names that a selection without `over` stands for."""
        named = self.numbers(record)
        found = []
        for pattern in alternatives(selection):
            matches = [pattern] if pattern in named else [name for name in named if fnmatch.fnmatchcase(name, pattern)]
            if not matches:
                raise NotThere(f"records/{FILES[record]} has no '{pattern}'")
            found += matches
        return found

    def number(self, record, name):
        """One number, or None."""
        return self.numbers(record).get(name)


def targets(run):
    for target in run.get("targets", ()):
        name = f"{with_sizes(target['group'])}: {target['contestant'].removeprefix('foldline ')} / {target['against']}"
        if target["ratio"]:
            yield name, target["ratio"]["value"]
        if target["verdict"] in ("PASS", "MISS"):
            yield f"{name}, reached", int(target["verdict"] == "PASS")


def rows(run):
    for row in run.get("rows", ()):
        group = f"{row['operation']}/{row['type']}/{size_text(row['n'])}/{row['threads']}/{row['data']}"
        name = f"{group}: {row['contestant'].removeprefix('foldline ')}"
        yield f"{name}, ns", row["ns"]
        yield f"{name}, GB/s", row["gigabytes_per_second"]
        for ratio in ("of_roof", "of_plain", "of_peer"):
            if row[ratio]:
                yield f"{name}, {ratio}", row[ratio]["value"]


def times(run):
    for time in run.get("times", ()):
        yield f"{with_sizes(time['group'])}: {time['contestant'].removeprefix('foldline ')}, us", time["us"]


def rungs(run):
    for problem, found in run.get("problems", {}).items():
        for report in found["reports"]:
            for rung in report["rungs"]:
                if rung["status"] != "ok":
                    continue
                name = f"{problem.split(',')[0]}, {shape_of(report['title'])}: {rung['rung']}"
                for time in ("cold", "warm", "total"):
                    yield f"{name}, {time}", rung[time]["median"]
                yield f"{name}, input", rung["input"]
                yield f"{name}, ulp", rung["check"]["worst_ulp"]
                for key, text in (("gigabytes_per_second", "GB/s"), ("gigaflops", "GFLOP/s")):
                    if key in rung:
                        yield f"{name}, {text}", rung[key]


def counters(run):
    kernels = {"reduce": ladder_tables.KERNELS, "matmul": ladder_tables.MATMUL_KERNELS}
    for problem, names in kernels.items():
        counted = run.get("counters", {}).get(problem, {})
        for rung, kernel in names.items():
            for found in ladder_tables.kernels_called(kernel, counted)[:1]:
                for field, value in found.items():
                    if isinstance(value, (int, float)):
                        yield f"counters, {problem}: {rung}, {field}", value
                        if found.get("warps"):
                            yield f"counters, {problem}: {rung}, {field} a warp", value / found["warps"]
