"""Every rung at awkward sizes. Exit status 77, which ctest reports as skipped, where there is no GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LADDER = os.environ["LADDER"]

# Sizes: none, one, less than a warp, less than a block, one more than that, odd, many blocks.
CASES = {
    "reduce": [["--size", n] for n in (0, 1, 2, 31, 511, 512, 513, 8193, 1000003)]
              + [["--size", 100003, "--block", block] for block in (32, 64, 128, 1024)],
}


class Rungs(unittest.TestCase):
    def test_every_problem_is_here(self):
        listed = subprocess.run([LADDER, "list"], capture_output=True, text=True, check=True).stdout
        problems = {line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")}
        self.assertEqual(set(CASES), problems)

    def test_every_rung_is_right(self):
        for problem, cases in CASES.items():
            for arguments in cases:
                with self.subTest(problem=problem, arguments=arguments), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder, "out.json")
                    command = [LADDER, "run", problem, *map(str, arguments), "--rounds", "2", "--json", str(path)]
                    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    for report in json.loads(path.read_text())["reports"]:
                        statuses = {rung["status"] for rung in report["rungs"]}
                        self.assertLessEqual(statuses, {"ok", "not here"})
                        self.assertIn("ok", statuses)


if __name__ == "__main__":
    probe = subprocess.run([LADDER, "run", "reduce", "--size", "1", "--rounds", "1"], capture_output=True, text=True)
    if probe.returncode == 1 and "runs on an NVIDIA GPU, and" in probe.stderr:
        print(probe.stderr.strip())
        sys.exit(77)
    unittest.main()
