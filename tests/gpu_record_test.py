#!/usr/bin/env python3
"""Records of GPUs (tests/gpu_record), and what makes one of a ladder (tests/ladder/measure)."""
import importlib.machinery
import importlib.util
import json
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent


def load(path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


def bench(**values):
    """What foldline-bench writes, with a target for each kind of data."""
    targets = [{"group": f"sum/float64/1024/cuda/{kind}", "contestant": "foldline exact", "against": "roof", "ratio": value}
               for kind, value in values.items()]
    return {"gpu": {"name": "Some GPU"}, "verified": True, "method": {}, "targets": targets}


class Records(unittest.TestCase):
    def setUp(self):
        sys.dont_write_bytecode = True
        self.records = load(TESTS / "gpu_record")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.records.ROOT = self.records.RECORDS = self.folder
        self.records.PARTS = {"bench": {"reduce": "src/cuda/reduce/", "scan": "src/cuda/scan/"},
                              "ladder": {"scan": "src/cuda/scan/", "dot": "src/cuda/reduce/"}}
        self.source = self.add("src/cuda/reduce/kernel.cu", '#include "cuda/device/lane.cuh"\nint a;\n')
        self.add("src/cuda/device/lane.cuh", "int lane;\n")
        self.add("src/cuda/scan/kernel.cu", "int scan;\n")

    def add(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def hashes(self):
        return self.records.Sources().hashes("bench")

    def write(self, kind, run, **options):
        path = self.folder / "run.json"
        path.write_text(json.dumps(run))
        self.records.write(kind, [path], **options)
        return json.loads((self.folder / f"some-gpu-{kind}.json").read_text())

    def test_memory_that_other_patterns_borrow_stales_nothing(self):
        self.source.write_text('#include "cuda/device/lane.cuh"\n#include "cuda/workspace/resources.hpp"\nint a;\n')
        lent = self.add("src/cuda/workspace/resources.hpp", "int* of_scans;\n")
        self.add("src/cuda/workspace/resources.cpp", "int allocated;\n")
        before = self.hashes()
        lent.write_text("int* of_scans;\nint* of_products;\n")
        self.assertEqual(self.hashes(), before)
        self.add("src/cuda/device/lane.cuh", "int lanes;\n")
        self.assertNotEqual(self.hashes(), before)

    def test_hashes_leave_out_comments_spaces_and_paths(self):
        before = self.hashes()
        self.source.write_text('// said\n#include "cuda/device/lane.cuh"\n  int\n  a;  // or not\n')
        self.assertEqual(self.hashes(), before)
        self.source.unlink()
        (self.folder / "src/cuda/device/lane.cuh").unlink()
        self.add("src/cuda/exact/renamed.cuh", "int lane;\n")
        self.source = self.add("src/cuda/reduce/other.cu", '#include "cuda/exact/renamed.cuh"\nint a;\n')
        self.assertEqual(self.hashes(), before)
        self.source.write_text('#include "cuda/exact/renamed.cuh"\nint b;\n')
        self.assertNotEqual(self.hashes(), before)

    def test_hashes_are_of_a_pattern_and_what_it_includes(self):
        before = self.hashes()
        self.source.write_text('#include "cuda/device/lane.cuh"\nint b;\n')
        after = self.hashes()
        self.assertNotEqual(after["reduce"], before["reduce"])
        self.assertEqual(after["scan"], before["scan"])
        self.add("src/cuda/device/lane.cpp", "int of_the_header;\n")  # the functions that a header declares count
        self.assertNotEqual(self.hashes()["reduce"], after["reduce"])
        self.assertEqual(self.hashes()["scan"], before["scan"])

    def test_the_check_names_what_is_out_of_date(self):
        scan = {**bench(wide=2)["targets"][0], "group": "inclusive_scan/float64/1024/cuda/wide"}
        run = bench(uniform=1)
        run["targets"].append(scan)
        record = self.write("bench", run)
        self.assertEqual(self.records.stale_parts("bench", record, self.hashes()), {})
        self.source.write_text("int b;\n")
        self.assertEqual(self.records.stale_parts("bench", record, self.hashes()), {"reduce": record["date"]})
        # Measured again, the scan alone is older; its sources are the same.
        again = self.write("bench", bench(uniform=3), adds=True)
        self.assertEqual(self.records.stale_parts("bench", again, self.hashes()), {})
        self.add("src/cuda/scan/kernel.cu", "int other;\n")
        self.assertEqual(self.records.stale_parts("bench", again, self.hashes()), {"scan": record["date"]})

    def test_every_part_of_the_repository_has_sources(self):
        fresh = load(TESTS / "gpu_record")
        sources = fresh.Sources()
        for kind, parts in fresh.PARTS.items():
            for part, pattern in parts.items():
                self.assertGreater(len(sources.closure(pattern)), 1, (kind, part))

    def test_a_benchmark_keeps_targets_that_were_not_measured_again(self):
        old = self.write("bench", bench(uniform=1, wide=2))
        self.source.write_text("int b;\n")
        new = self.write("bench", bench(uniform=3), adds=True)
        self.assertNotEqual(new["sources"], old["sources"])
        fresh, kept = new["runs"]
        self.assertEqual([target["ratio"] for target in fresh["targets"]], [3])
        self.assertEqual([target["ratio"] for target in kept["targets"]], [2])
        self.assertEqual((kept["sources"], kept["date"]), (old["sources"], old["date"]))

    def test_a_benchmark_has_the_times_of_all_contestants(self):
        def run(threads, nanoseconds):
            row = {"operation": "sum", "type": "float64", "n": 1024, "threads": threads, "data": "wide", "contestant": "CUB", "ns": nanoseconds}
            return {**bench(wide=threads), "rows": [row]}

        self.write("bench", run(0, 4321.0))
        kept = self.write("bench", {**run(-1, 1500.0), "targets": []}, adds=True)["runs"]
        self.assertEqual([kept[0]["times"][0]["group"], kept[0]["times"][0]["us"]], ["sum/float64/1024/stream/wide", 1.5])
        self.assertEqual([kept[1]["times"][0]["group"], kept[1]["times"][0]["us"]], ["sum/float64/1024/cuda/wide", 4.321])
        again = self.write("bench", run(0, 2000.0), adds=True)["runs"]
        self.assertEqual([time["us"] for time in again[0]["times"]], [2])
        self.assertFalse(any(time["group"] == "sum/float64/1024/cuda/wide" for run in again[1:] for time in run["times"]))

    def test_a_ladder_keeps_problems_that_were_not_run_again(self):
        run = {"gpu": "Some GPU", "mismatches": 0, "problems": {"scan": 1, "dot": 2}}
        old = self.write("ladder", run)
        self.source.write_text("int b;\n")
        new = self.write("ladder", {**run, "problems": {"scan": 3}}, adds=True)
        fresh, kept = new["runs"]
        self.assertEqual(fresh["problems"], {"scan": 3})
        self.assertEqual(kept["problems"], {"dot": 2})
        self.assertEqual(kept["sources"], old["sources"])

    def test_a_ladder_keeps_what_was_not_counted_again(self):
        run = {"gpu": "Some GPU", "mismatches": 0, "problems": {"scan": 1}, "counters": {"scan": 2, "dot": 3}}
        self.write("ladder", run)
        self.source.write_text("int b;\n")
        fresh, kept = self.write("ladder", {**run, "counters": {"missing": "no time", "dot": 4}}, adds=True)["runs"]
        self.assertEqual((kept["problems"], kept["counters"]), ({}, {"scan": 2}))
        self.assertEqual(fresh["problems"], {"scan": 1})

    def test_nothing_is_kept_where_all_was_run_again(self):
        self.write("bench", bench(uniform=1))
        self.assertEqual(len(self.write("bench", bench(uniform=2), adds=True)["runs"]), 1)


class Measure(unittest.TestCase):
    def test_who_ends_it_gets_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            ladder = pathlib.Path(folder, "ladder")
            ladder.write_text('#!/bin/sh\nif [ "$2" = scan ]; then touch "$0.scans"; exec sleep 60; fi\n'
                              'echo \'{"gpu": {"name": "Some GPU"}, "reports": []}\'\n')
            ladder.chmod(ladder.stat().st_mode | stat.S_IXUSR)
            with subprocess.Popen([sys.executable, TESTS / "ladder" / "measure", ladder, "reduce", "scan"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as measure:
                while not pathlib.Path(f"{ladder}.scans").exists() and measure.poll() is None:
                    time.sleep(0.01)
                measure.send_signal(signal.SIGTERM)
                printed = json.loads(measure.communicate(timeout=30)[0])
        self.assertEqual(list(printed["problems"]), ["reduce"])
        self.assertIn("missing", printed["counters"])


if __name__ == "__main__":
    unittest.main()
