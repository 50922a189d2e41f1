#!/usr/bin/env python3
"""Runs the tests that hypothesis makes cases for with many more of them: values, shapes, strides, dtypes, axes. Prints a record as JSON.

    tests/python/many_cases.py [CASES] [PROCESSES] [SECONDS] [SEED] >FILE       default: 1000000 in all, 1 process, no limit, 0
    tests/python/many_cases.py --add FILE ... >records/python-cases.json        several runs, each from seeds of its own, as one record
It takes two or three hours of one core. After SECONDS no more are begun: the record says how many there were. A process of its own runs some
hundred cases of a test, from a seed that is SEED and its number. A case that fails is printed on standard error, and the exit status is 1.
"""
import concurrent.futures
import importlib
import inspect
import json
import math
import pathlib
import platform
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
MODULES = ("test_reductions", "test_pairs", "test_scans", "test_segments", "test_accumulator", "test_integrals")
AT_ONCE = 500  # cases of a process: some seconds


def tests():
    for module in MODULES:
        for name, test in vars(importlib.import_module(module)).items():
            if hasattr(test, "hypothesis") and test.__module__ == module:
                yield f"{module}.{name}", test


def run(name, cases, number):
    """In this process: how many cases of a test have run."""
    from hypothesis import HealthCheck, Phase, seed, settings

    test = dict(tests())[name]
    inner, count = test.hypothesis.inner_test, 0

    def counted(*arguments, **options):
        nonlocal count
        count += 1
        inner(*arguments, **options)

    counted.__signature__ = inspect.signature(inner)
    test.hypothesis.inner_test = counted
    # Without its database of failures, and without the aim at rare branches, which costs time.
    many = settings(max_examples=cases, deadline=None, database=None, phases=[Phase.explicit, Phase.generate, Phase.shrink],
                    suppress_health_check=list(HealthCheck))
    seed(number)(many(test))()
    return count


def run_apart(part, deadline):
    name, cases, number = part
    if time.monotonic() > deadline:
        return name, 0
    done = subprocess.run([sys.executable, __file__, "--one", name, str(cases), str(number)], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{name}, seed {number}\n{done.stdout}{done.stderr}", file=sys.stderr, flush=True)
    return name, int(done.stdout) if done.returncode == 0 else None


def main(cases=1_000_000, processes=1, seconds=math.inf, first=0):
    import hypothesis
    import numpy

    import foldline

    names = [name for name, _ in tests()]
    rounds = -(-cases // (len(names) * AT_ONCE))
    parts = [(name, -(-cases // (len(names) * rounds)), number) for number in range(first, first + rounds) for name in names]
    begin, wrong, right = time.monotonic(), set(), dict.fromkeys(names, 0)
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        for name, count in pool.map(lambda part: run_apart(part, begin + seconds), parts):
            if count is None:
                wrong.add(name)
            else:
                right[name] += count
    print(json.dumps({
        "measured": time.strftime("%Y-%m-%d"), "python": platform.python_version(), "numpy": numpy.__version__,
        "hypothesis": hypothesis.__version__, "foldline": foldline.__version__, "seconds": round(time.monotonic() - begin),
        "seeds": [first, first + rounds - 1], "cases": sum(right.values()), "wrong": sorted(wrong), "tests": right,
    }, indent=1))
    return len(wrong) > 0


def add(files):
    runs = [json.loads(pathlib.Path(file).read_text()) for file in files]
    seeds = [number for run in runs for number in range(run["seeds"][0], run["seeds"][1] + 1)]
    if len(seeds) != len(set(seeds)):
        sys.exit("two of these runs have the same seeds, so the same cases")
    tests = {name: sum(run["tests"].get(name, 0) for run in runs) for run in runs for name in run["tests"]}
    print(json.dumps({
        "measured": max(run["measured"] for run in runs), "foldline": runs[-1]["foldline"],
        "runs": [{name: run[name] for name in ("python", "numpy", "hypothesis", "seconds", "seeds", "cases")} for run in runs],
        "cases": sum(run["cases"] for run in runs), "wrong": sorted({name for run in runs for name in run["wrong"]}), "tests": tests,
    }, indent=1))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--one"]:
        print(run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    elif sys.argv[1:2] == ["--add"]:
        add(sys.argv[2:])
    else:
        sys.exit(main(*map(int, sys.argv[1:])))
