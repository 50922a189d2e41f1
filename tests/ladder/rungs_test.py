"""Every rung at awkward sizes. Exit status 77, which ctest reports as skipped, where there is no GPU."""
import concurrent.futures
import json
import os
import subprocess
import sys
import unittest

LADDER = os.environ["LADDER"]


def sizes(*numbers):
    return [["--n", n] for n in numbers]


def blocks(size):
    return [["--n", size, "--block", block] for block in (32, 1024)]


def shapes(*pairs):
    return [["--rows", rows, "--columns", columns] for rows, columns in pairs]


def products(*triples):
    return [["--rows", rows, "--inner", inner, "--columns", columns] for rows, inner, columns in triples]


def integrals(*numbers):
    return [["--n", n, "--function", function] for n in numbers for function in ("reciprocal", "root", "damped")]


# None, one, less than a warp, less than a block, one more than that, odd, many blocks; what fits in constant memory or a CUDA
# array and what does not; matrices with fewer rows than slices, and with more columns than a block has threads; products whose
# rows begin at multiples of 16 bytes or not, of one tile, of parts of tiles, and of more than are compared; even and odd numbers
# of intervals.
CASES = {
    "reduce": sizes(0, 1, 31, 513, 1000003) + blocks(100003),
    "dot": sizes(0, 1, 257, 4097, 131073) + blocks(100003),
    "column-sums": shapes((0, 8), (1, 1), (8, 0), (7, 3), (1000, 8), (1001, 65), (16387, 32), (3, 5000), (257, 700)),
    "scan": sizes(0, 1, 33, 513, 4097, 1000003) + blocks(100003),
    "matmul": products((0, 3, 4), (3, 4, 0), (5, 0, 7), (1, 1, 1), (37, 45, 150), (128, 16, 128), (129, 132, 132), (1000, 515, 700))
    + [["--n", 100, "--block", 64]],
    "quadrature": integrals(1, 2, 31, 4098, 1000003) + [["--n", 100002, "--function", "damped", "--block", block] for block in (32, 1024)],
    "memory": sizes(0, 1, 100003),
    "barrier": sizes(0, 1, 1000003),
}


def cases():
    for problem, of_problem in CASES.items():
        for case in of_problem:
            for type in ("float", "double") if problem in ("dot", "matmul", "quadrature") else (None,):
                yield problem, case + (["--type", type] if type else [])


def run(problem, arguments):
    """The exit status, what was printed, and the reports."""
    command = [LADDER, "run", problem, *map(str, arguments), "--rounds", "2", "--json"]
    if problem != "barrier":  # whose mistake may hang: it needs a process of its own. It takes half a second before that can use the GPU
        command.append("--in-process")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    reports = json.loads(done.stdout)["reports"] if done.stdout else []
    return done.returncode, done.stdout + done.stderr, reports


class Rungs(unittest.TestCase):
    def test_every_problem_is_here(self):
        listed = subprocess.run([LADDER, "list"], capture_output=True, text=True, check=True).stdout
        problems = {line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")}
        self.assertEqual(set(CASES), problems)

    def test_every_rung_is_right(self):
        with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
            runs = [(problem, case, pool.submit(run, problem, case)) for problem, case in cases()]
        for problem, case, future in runs:
            with self.subTest(problem=problem, arguments=case):
                status, text, reports = future.result()
                self.assertEqual(status, 0, text)
                for report in reports:
                    statuses = [rung["status"] for rung in report["rungs"] if rung["kind"] != "experiment"]
                    self.assertLessEqual(set(statuses), {"ok", "not here"})
                    self.assertGreater(statuses.count("ok"), statuses.count("not here"))


if __name__ == "__main__":
    probe = subprocess.run([LADDER, "run", "reduce", "--n", "1", "--rounds", "1"], capture_output=True, text=True)
    if probe.returncode == 1 and "runs on an NVIDIA GPU, and" in probe.stderr:
        print(probe.stderr.strip())
        sys.exit(77)
    unittest.main()
