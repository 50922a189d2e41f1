#!/usr/bin/env python3
"""Runs foldline-bench (its path in BENCH) on little data and checks what it writes: no measurement.

That every contestant runs, that foldline's results are right, and that the ratios are those of the rounds.
"""

import json
import os
import statistics
import subprocess
import tempfile
import unittest

MEMORY = str(2**26)  # doubles: more than any cache, as foldline-bench sees it


def bench(*arguments):
    """What foldline-bench writes to JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        command = [os.environ["BENCH"], *arguments, "--shortest", "0", "--json", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def group_of(row):
    return "{operation}/{type}/{n}/{threads}/{data}".format(**row)


class Smoke(unittest.TestCase):
    def check_rows(self, rows):
        ours = [row for row in rows if row["role"] == "foldline"]
        self.assertTrue(ours)
        for row in ours:
            self.assertEqual(row["result"], row["second_result"], row)
            self.assertNotEqual(row["result"], [], row)
        for row in rows:
            self.assertGreater(row["ns"], 0, row)

    def check_ratio(self, ratio, ours, others):
        """Our rate over the best of the others: round by round, and by medians."""
        rates = [[1 / time for time in row["rounds_ns"]] for row in others]
        rounds = [max(rates_of_round) * time for rates_of_round, time in zip(zip(*rates), ours["rounds_ns"])]
        rounds = [1 / ratio_of_times for ratio_of_times in rounds]
        self.assertAlmostEqual(ratio["value"], statistics.median(rounds))
        self.assertAlmostEqual(ratio["lowest"], min(rounds))
        self.assertAlmostEqual(ratio["highest"], max(rounds))
        self.assertAlmostEqual(ratio["of_run"], min(row["ns"] for row in others) / ours["ns"])

    def test_matrix(self):
        result = bench("--sizes", "16,1000,20001", "--data", "uniform,normal,wide,sparse,subnormal,infinite",
                       "--rounds", "1", "--filter",
                       "/(16|1000)/1/uniform|^sum/.*/1000/1|/float64/20001/./(uniform|wide)")
        self.check_rows(result["rows"])

    def test_all_targets(self):
        result = bench("--targets", "all", "--targets-size", str(2**17), "--rounds", "1")
        self.check_rows(result["rows"])
        groups = " ".join(target["group"] for target in result["targets"])
        for group in ("sum/float64/64/1/uniform", "inclusive_scan/int32/131072",
                      "column_sums:131x1000/float64", "column_sums:100x1310/float64"):
            self.assertIn(group, groups)
        verdicts = {target["verdict"] for target in result["targets"] if target["against"] == "roof"}
        self.assertEqual(verdicts, {"no roof"}, "vectors in cache have none")

    def test_part_and_its_ratios(self):
        result = bench("--targets", "columns", "--targets-size", MEMORY, "--rounds", "4", "--filter",
                       "x8/.*/uniform")
        rows = result["rows"]
        self.check_rows(rows)
        self.assertEqual({row["operation"] for row in rows}, {"column_sums:6400000x8"})
        in_turns = [row for row in rows if row["series"] != 0]
        ours, = (row for row in in_turns if row["role"] == "foldline")
        peer = next(row for row in in_turns if row["role"] == "peer")
        targets = {target["against"]: target for target in result["targets"]}
        self.check_ratio(targets["roof"]["ratio"], ours, in_turns)
        self.check_ratio(targets[peer["contestant"]]["ratio"], ours, [peer])
        for target in targets.values():
            if target["ratio"]:
                enough = target["ratio"]["value"] >= target["required"]
                self.assertEqual(target["verdict"], "PASS" if enough else "MISS")


if __name__ == "__main__":
    unittest.main()
