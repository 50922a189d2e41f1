#!/usr/bin/env python3
"""What the simulator counts against what an H200's hardware has counted (records/): requests and sectors must be equal. LADDER is the program."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

LADDER = os.environ["LADDER"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
sys.path.insert(1, str(ROOT / "tests"))
sys.dont_write_bytecode = True
from generator import ladder_tables  # noqa: E402
from sampled import sampled  # noqa: E402

RECORD = json.loads((ROOT / "records" / "nvidia-h200-ladder.json").read_text())
FIELDS = {"load_requests": ("loads", "requests"), "load_sectors": ("loads", "parts"), "store_sectors": ("stores", "parts")}
# Their blocks are not alike, or wait for each other, so that a sample is not enough.
WHOLE = ("grid-stride-16-byte-loads", "last-block-finishes")


def simulated(problem, rungs, *options):
    command = [LADDER, "run", problem, "--rung", *rungs, "--simulate", "--seed", "1", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    rungs = json.loads(done.stdout)["reports"][0]["rungs"]
    assert all(rung["status"] == "ok" for rung in rungs), done.stdout
    return {rung["rung"]: rung["counts"] for rung in rungs}


def a_warp(counts):
    return {field: counts[kind][part] / counts["warps"] for field, (kind, part) in FIELDS.items()}


class Counters(unittest.TestCase):
    def setUp(self):
        self.ladder = ladder_tables.Ladder(RECORD["runs"])

    def compare(self, problem, kernels, counted):
        for rung, counts in counted.items():
            hardware = self.ladder.counted(problem, kernels[rung])
            self.assertEqual(counts["warps"], hardware["warps"], rung)
            self.assertEqual(a_warp(counts), {field: hardware[field] / hardware["warps"] for field in FIELDS}, rung)

    def test_sums_of_ints(self):
        """2^24, as in the record. Blocks of all rungs but two are alike."""
        rungs = [rung for rung in ladder_tables.KERNELS if rung not in ("foldline-sum", "cub-sum", "plain-read")]
        self.assertEqual(len(rungs), 12)
        self.compare("reduce", ladder_tables.KERNELS, simulated("reduce", sampled([rung for rung in rungs if rung not in WHOLE]), "--n", "2^24", "--sample"))

    def test_sums_of_ints_in_grids_that_stride(self):
        self.compare("reduce", ladder_tables.KERNELS, simulated("reduce", sampled(WHOLE), "--n", "2^24"))

    def test_products(self):
        """2048 x 2048 doubles, as in the record, by a sample of blocks."""
        rungs = list(ladder_tables.MATMUL_KERNELS)
        self.assertEqual(len(rungs), 7)
        self.compare("matmul", ladder_tables.MATMUL_KERNELS, simulated("matmul", sampled(rungs), "--type", "double", "--sample", "--n", "2048"))

    def test_the_record_of_the_simulator_is_of_this_simulator(self):
        """But for what versions of clang differ in."""
        record = json.loads((ROOT / "records" / "simulated-ladder.json").read_text())["counters"]
        self.assertEqual({problem: len(rungs) for problem, rungs in record.items()}, {"reduce": 12, "matmul": 7})
        for rung, counts in simulated("reduce", ["neighboured-pairs", "warp-shuffles"], "--n", "2^24", "--sample").items():
            self.assertEqual(counts["loads"]["parts"], record["reduce"][rung]["load_sectors"])
            self.assertAlmostEqual(counts["instructions"] / record["reduce"][rung]["instructions"], 1, delta=0.05)

    def test_a_sample_counts_what_all_blocks_do(self):
        """256 x 256: every count, not only those of the record."""
        options = ("--type", "double", "--n", "256")
        rungs = sampled(list(ladder_tables.MATMUL_KERNELS))
        self.assertEqual(simulated("matmul", rungs, *options, "--sample"), simulated("matmul", rungs, *options))


if __name__ == "__main__":
    unittest.main()
