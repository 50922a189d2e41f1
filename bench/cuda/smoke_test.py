#!/usr/bin/env python3
"""Runs foldline-bench --device cuda (its path in BENCH) on little data and checks what it writes: no measurement.

That every contestant runs and foldline's results are those of the CPU. Exits with 77, skipped, without a GPU.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77


def run(path, *arguments):
    command = [os.environ["BENCH"], "--device", "cuda", *arguments, "--shortest", "0", "--rounds", "2", "--json", path]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)


def bench(*arguments):
    """What foldline-bench writes to JSON, and to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = run(path, *arguments)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        with open(path, encoding="utf-8") as file:
            return json.load(file), done.stderr


def missing():
    """Why there is no GPU, in one line; empty if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(os.path.join(folder, "result.json"), "--filter", "nothing")
    return done.stderr if done.stderr.startswith("foldline-bench: --device cuda: ") else ""


class Smoke(unittest.TestCase):
    def test_all_targets(self):
        result, errors = bench("--targets", "all", "--targets-size", str(2**17))
        self.assertTrue(result["verified"])
        self.assertNotIn("left out", errors)
        for row in result["rows"]:
            self.assertGreater(row["ns"], 0, row)
            if row["role"] == "foldline":
                self.assertEqual(row["result"], row["second_result"], row)
                self.assertNotEqual(row["result"], [], row)
        operations = {row["operation"] for row in result["rows"] if row["role"] == "foldline"}
        self.assertLessEqual({"sum", "dot", "abs_sum", "two_norm", "mean", "variance", "statistics", "inclusive_scan",
                              "column_sums:16384x8", "column_sums:1000x131"}, operations)
        names = {row["contestant"] for row in result["rows"]}
        for name in ("foldline fast", "foldline wrap", "cudaMemcpy"):
            self.assertIn(name, names)
        self.assertTrue(any(name.startswith("CUB") for name in names))

    def test_filter_and_data(self):
        result, _ = bench("--targets", "small", "--data", "normal", "--filter", "two_norm/float64/1024/")
        groups = {(row["operation"], row["n"], row["data"]) for row in result["rows"]}
        self.assertEqual(groups, {("two_norm", 1024, "normal")})


if __name__ == "__main__":
    if reason := missing():
        print("skipped:", reason)
        sys.exit(SKIPPED)
    unittest.main()
