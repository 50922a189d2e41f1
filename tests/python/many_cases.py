#!/usr/bin/env python3
"""Runs the tests that hypothesis makes cases for with many more of them: values, shapes, strides, dtypes, axes. Prints a record as JSON.

    tests/python/many_cases.py [CASES] [PROCESSES] [SECONDS] >records/python-cases.json     default: 1000000 in all, 1 process, no limit
It takes an hour and a half of one core. After SECONDS no more are begun: the record says how many there were. A process of its own runs some
hundred cases of a test, from a seed that is its number. A case that fails is printed on standard error, and the exit status is 1.
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


def main(cases=1_000_000, processes=1, seconds=math.inf):
    import hypothesis
    import numpy

    import foldline

    names = [name for name, _ in tests()]
    rounds = -(-cases // (len(names) * AT_ONCE))
    parts = [(name, -(-cases // (len(names) * rounds)), number) for number in range(rounds) for name in names]
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
        "cases": sum(right.values()), "wrong": sorted(wrong), "tests": right,
    }, indent=1))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--one"]:
        print(run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        sys.exit(main(*map(int, sys.argv[1:])))
