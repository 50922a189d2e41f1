"""Inputs that once gave a wrong number in silence, or were turned away although people have them every day, each with what is
right. A line is what a user types into bash."""
import os
import re
import subprocess
import unittest

import numpy

from command import COMMAND, CommandTest

# Printed (a float: a number so near), or a pattern of the one line of complaint of a command that must refuse.
CASES = [
    # Divergent integrals. The first one's principal value is 0.847, which is not its value.
    (r"""foldline integrate '1/(x-0.3)' 0 1""", re.compile("may diverge")),
    (r"""foldline integrate 'x^(-1.01)' 0 1""", re.compile("may diverge")),
    (r"""foldline integrate '1/(x-0.5)' 0 1""", re.compile("may diverge")),
    (r"""foldline integrate '1/(x-0.3)^2' 0 1 --tolerance 1e-6""", re.compile("may diverge")),
    (r"""foldline integrate 'x^(-0.99)' 0 1""", 100.0),  # convergent, and hard
    # Narrow peaks of wide ranges: right, or refused.
    (r"""foldline integrate 'exp(-x^2)' -10000 10000""", (1.772453850905516, re.compile("integrate"))),
    (r"""foldline integrate 'max(0,1-abs(x))' -1000 1000""", (1.0, re.compile("integrate"))),
    # A damaged number, or what is no text of numbers, taken for the line of names.
    (r"""printf '\xe2\x88\x925\n3\n' | foldline sum -""", re.compile("line 1.*--header yes")),
    (r"""printf '$5\n6\n' | foldline sum -""", re.compile("line 1.*--header yes")),
    (r"""printf '\xc2\xa05\n6\n' | foldline sum -""", re.compile("line 1.*--header yes")),
    (r"""printf '\0001\n' | foldline sum -""", re.compile("NUL")),
    (r"""printf 'price\n' | foldline sum -""", re.compile("header")),
    (r"""printf '{"a":1}\n' | foldline sum - --text""", re.compile("JSON")),
    # '#' in CSV is no comment.
    (r"""printf 'ratio,amount\n0.5,10\n#DIV/0!,20\n#N/A,30\n0.25,40\n' | foldline sum - --csv --column amount""", "100"),
    (r"""printf 'v\n1\n#N/A\n2\n' | foldline mean - --csv""", re.compile("line 3.*--skip-missing")),
    (r"""printf 'v\n1\n#N/A\n2\n' | foldline mean - --csv --skip-missing""", "1.5"),
    (r"""printf '1.#INF\n2\n' | foldline sum -""", re.compile("line 1")),
    # Line ends of old Macs.
    (r"""printf 'a,b\r1,2\r3,4\r' | foldline sum - --csv --column a""", "4"),
    # Compressed input.
    (r"""printf 'v\n1\n2\n' | bzip2 | foldline sum - --csv""", "3"),
    # Sums beyond 64 bits.
    (r"""foldline sum overflow.npy --format exact""", str(8 * 17 * 10**17)),
    # Own markers, several keys, decimal commas, a preamble, Fortran's exponents, a matrix, a long line.
    (r"""printf 'f1,v\na,1\nb,-999\n' | foldline sum - --csv --column v --missing -999 --skip-missing""", "1"),
    (r"""printf 's,d,v\na,1,2\na,2,3\na,1,4\n' | foldline sum - --csv --column v --by s,d""", "a\t1\t6\na\t2\t3"),
    (r"""printf 'v\n1.234,5\n' | foldline sum - --csv --separator ';' --decimal , --thousands .""", "1234.5"),
    (r"""printf 'Report 3\n\na,b\n1,2\n' | foldline sum - --csv --skip-lines 2 --column b""", "2"),
    (r"""printf '1D+3\n2.5d0\n' | foldline sum - --fortran""", "1002.5"),
    (r"""printf '1,2,3\n4,5,6\n' | foldline sum - --csv --all-columns""", "21"),
    (r"""seq -s' ' 1 200000 | foldline sum -""", "20000100000"),
    # Types that differ: each number is converted exactly. 0.5 * (2^53 + 1) and -0.5 * 2^53 leave a half.
    (r"""foldline dot doubles.npy int64s.npy""", "0.5"),
]


class ReportedInputs(CommandTest):
    def setUp(self):
        super().setUp()
        os.symlink(os.path.abspath(COMMAND), self.path("foldline"))
        self.save("overflow.npy", numpy.full(8, 17 * 10**17))
        self.save("doubles.npy", numpy.array([0.5, -0.5]))
        self.save("int64s.npy", numpy.array([2**53 + 1, 2**53]))

    def bash(self, line):
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "PATH": self.folder + ":" + os.environ["PATH"]})

    def assert_refused(self, done, pattern):
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, pattern)
        self.assertRegex(done.stderr, r"\Afoldline: [^\n]*\n\Z")

    def test_each_is_right_or_refused(self):
        for line, expected in CASES:
            with self.subTest(line=line):
                done = self.bash(line)
                right, refusal = expected if isinstance(expected, tuple) else (expected, expected)
                if isinstance(refusal, re.Pattern) and done.returncode != 0:
                    self.assert_refused(done, refusal)
                elif isinstance(right, float):
                    self.assertEqual(done.returncode, 0, done)
                    self.assertTrue(abs(float(done.stdout) - right) <= 1e-10 * right, done)
                else:
                    self.assertEqual((done.returncode, done.stdout.rstrip("\n")), (0, right), done)

    def test_statistics_lose_only_a_sum_that_overflows(self):
        done = self.bash("foldline stats overflow.npy")
        self.assertEqual(done.returncode, 0, done)
        for line in (r"count +8", r"min +1700000000000000000", r"max +1700000000000000000", r"mean +1.7e\+18", r"variance +0"):
            self.assertRegex(done.stdout, rf"(?m)^{line}$")
        self.assertIn(str(8 * 17 * 10**17), done.stdout + done.stderr)

    def test_a_file_that_is_named_csv_is_csv(self):
        self.save("in.npy", numpy.array([0.1, 0.2]))
        self.assertEqual(self.bash("foldline scan in.npy -o out.csv").returncode, 0)
        with open(self.path("out.csv")) as file:
            self.assertEqual([float(line) for line in file if re.match(r"[\d.]", line)], [0.1, 0.1 + 0.2])

    def test_a_line_of_many_columns_takes_little_memory(self):
        self.skip_with_a_sanitizer()
        with open(self.path("wide.csv"), "w") as file:
            file.write(",".join(map(str, range(520_000))) + "\n")
        done = self.bash("ulimit -v 600000; foldline sum wide.csv --header no --each-column | tail -1")
        self.assertEqual(done.stdout.split("\t")[-1:], ["519999\n"], done)

    def test_a_mistyped_command_is_named_before_its_options(self):
        done = self.bash("foldline medain big.csv --column price")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertRegex(done.stderr, "medain.*median")


if __name__ == "__main__":
    unittest.main()
