"""Mistakes of the command line: each message says what is wrong, where, and what helps."""
import os
import shutil
import subprocess
import unittest

import numpy

from command import COMMAND, CommandTest


class Mistakes(CommandTest):
    def setUp(self):
        super().setUp()
        self.sales = self.write("sales.csv", b"shop,price,amount\nnorth,1.5,2\nsouth,2,1\n")
        self.semicolons = self.write("semi.csv", b"a;b\n1;1,5\n2;2,5\n")
        self.matrix = self.save("matrix.npy", numpy.ones((2, 3)))
        self.vector = self.save("x.npy", numpy.ones(3))
        self.raw = self.write("raw.bin", numpy.ones(4).tobytes())

    def check(self, code, arguments, *parts):
        with self.subTest(arguments=arguments):
            message = self.error(code, *arguments)
            for part in parts:
                self.assertIn(part, message)

    def test_commands(self):
        for typed, meant in (("smu", "sum"), ("varaince", "variance"), ("abs_sum", "abs-sum"), ("stast", "stats"), ("average", "mean"),
                             ("avg", "mean"), ("stdev", "std"), ("summary", "stats"), ("sumary", "stats"), ("percentile", "quantile"),
                             ("cumsum", "scan"), ("total", "sum"), ("maximum", "max"), ("hist", "histogram"), ("version", "--version")):
            self.check(2, [typed, self.vector], f"unknown command '{typed}'; did you mean '{meant}'?\n")
        self.check(2, ["eigenvalues"], "unknown command 'eigenvalues'; there are sum, mean, ", ", matmul, ", "; see foldline --help\n")
        self.check(2, [self.sales], "name one before the file, as in foldline stats ")
        self.check(2, ["big.csv", "--json"], "unknown command 'big.csv'; name one before the file")
        self.check(2, [], "name a command, such as sum; see foldline --help")
        self.assertEqual(self.result("help", "sum"), self.result("sum", "--help"))
        self.assertEqual(self.result("help"), self.result("--help"))

    def test_names_with_control_characters(self):
        """They are escaped on the terminal, and in JSON what they are."""
        name, shown = "a\x1b[31m\nb\x7f\x9b\u20ac\u00e9\r.csv", "a\\x1b[31m\\nb\\x7f\\xc2\\x9b\u20ac\u00e9\\x0d.csv"
        file = self.write(name, b"x,y\n1,2\n3,q\n")
        for arguments in (["sum", file], ["sum", file, "--column", "y"], ["sum", file + ".no"], ["sum", file, "--axis", "0"], ["dot", file, file],
                          ["scan", file], ["median", file], ["matmul", file, file]):
            self.check(self.run_command(*arguments).returncode, arguments, shown)
        for arguments in (["stats", file], ["sum", file, "--column", "x", "--explain"]):
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn(shown, done.stderr.decode())
            self.assertFalse(set(done.stderr + done.stdout) & set(b"\x1b\r\x7f\x9b"))
        self.assertEqual(self.json("sum", file, "--column", "x")["files"], [file])
        self.check(1, ["sum", file + os.fsdecode(b"\xff\xc3(\xed\xa0\x80")], shown + "\\xff\\xc3(\\xed\\xa0\\x80: no such file")
        self.check(2, ["sum", self.vector, "--colunm\x1b[1m"], "unknown option '--colunm\\x1b[1m'")

    def test_one_of_many_processes(self):
        """Under mpirun without a plug-in: one complaint, no answers. Of one process, or of ones that are on their own, nothing."""
        alone = shutil.copy(COMMAND, self.path("foldline"))  # away from plug-ins that may stand beside it

        def run(environment):
            done = subprocess.run([alone, "sum", self.vector], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
            return done.returncode, done.stdout, done.stderr

        for rank, ranks, name in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI"), ("PMI_RANK", "PMI_SIZE", "MPICH")):
            code, printed, message = run({rank: "0", ranks: "4"})
            self.assertEqual((code, printed), (1, ""))
            self.assertRegex(message, f"^foldline: was started as 4 processes by the mpirun of {name}, for which it has no plug-in.*\n$")
            self.assertEqual(run({rank: "3", ranks: "4"}), (0, "", ""))  # Open MPI ends all as soon as one fails
            self.assertEqual(run({rank: "0", ranks: "1"}), (0, "3\n", ""))
            self.assertEqual(run({rank: "2", ranks: "4", "FOLDLINE_MPI": "off"}), (0, "3\n", ""))

    def test_options(self):
        for typed, meant in (("--treads", "--threads"), ("--fromat", "--format"), ("--columns", "--column"), ("-c", "--column"),
                             ("--group-by", "--by"), ("--delimiter", "--separator"), ("--sep", "--separator"), ("--dtype", "--input-type"),
                             ("--na-values", "--missing"), ("--skiprows", "--skip-lines"), ("-j", "--threads"), ("--hlep", "--help")):
            self.check(2, ["sum", self.sales, typed, "x"], f"unknown option '{typed}'; did you mean '{meant}'?\n")
        self.check(2, ["sum", "--fromat=hex", self.vector], "unknown option '--fromat'; did you mean '--format'?\n")
        self.check(2, ["sum", "--fromat", "hex"], "unknown option '--fromat'; did you mean '--format'?\n")
        for option in ("--quick", "-x", "-y"):
            self.check(2, ["sum", self.vector, option], f"unknown option '{option}'; see foldline sum --help\n")
        self.check(2, ["sum"], "FILE is missing, as in foldline sum data.npy; see foldline sum --help")
        self.check(2, ["integrate", "x", 0], "B is missing, as in foldline integrate ")
        self.check(2, ["sum", self.sales, "--column"], "--column needs a value, NAME,...; see foldline sum --help")
        self.check(2, ["sum", self.matrix, "--axis"], "--axis needs a value, K; ")
        self.check(2, ["sum", self.vector, "--format", "hexx"], "'hexx' is not one of shortest|hex|exact; did you mean 'hex'?\n")
        self.check(2, ["sum", self.vector, "--format", "json"], "did you mean --output-format json?\n")
        self.check(2, ["sum", self.vector, "--target", "axv2"], "did you mean 'avx2'?\n")
        self.check(2, ["completions", "bsh"], "did you mean 'bash'?\n")
        self.check(2, ["sum", self.raw, "--input-type", "double"], "did you mean 'float64'?\n")
        self.check(2, ["sum", self.raw, "--shape", "2,2"], "--shape requires --input-type")
        self.check(2, ["sum", self.vector, "-o", "x.csv"], "redirect standard output: > results.txt")
        self.check(2, ["--json", "sum", self.vector], "the option '--json' goes behind the command")

    def test_columns(self):
        self.check(2, ["sum", self.sales, "--column", "pirce"], 'has no column "pirce"; it has "shop", "price", "amount"; did you mean \'price\'?')
        self.check(1, ["sum", self.sales], 'has 3 columns ("shop", "price", "amount"); choose with --column')
        self.check(1, ["sum", self.sales, "--column", 7], "its first line has 3 columns; check --column and --separator")
        self.check(2, ["sum", self.semicolons, "--csv", "--column", "a"], "; give --separator semicolon if that is between the columns")
        self.check(2, ["sum", self.write("tabs.csv", b"a\tb\n1\t2\n"), "--csv", "--column", "b"], "--separator tab")
        self.check(1, ["sum", self.semicolons, "--column", "b"], '"1,5" is not a number; give --decimal or --thousands')
        self.check(2, ["sum", self.matrix, "--column", 1], "is an array, whose columns have no names; give --axis 0 for a result of each")
        self.check(1, ["sum", "price", self.sales], "price: no such file; check the path, or give --column price if it names a column")
        self.check(1, ["mean", self.sales, "--column", "price", "--weights", "amount"], "give --weights-column amount if it names a column")
        self.check(2, ["sum", self.sales, "--axis", 0], "is a text, which has no axes; give --each-column")
        # What selects columns is a text, whatever type its numbers are to have.
        self.assertEqual(self.result("sum", "-", "--column", "b", "--input-type", "int64", stdin=b"a,b\n1,2\n"), "2")

    def test_files(self):
        self.check(1, ["sum", "nofile.csv"], "nofile.csv: no such file; check the path")
        self.check(1, ["sum", self.folder], "is a directory; name a file")
        self.check(1, ["sum", self.raw], "is this a text? If it holds bare numbers, give --input-type")
        self.check(1, ["sum", self.write("x.csv", b"1\n" * 5000 + b"\0\n")], "line 5001: there is a NUL byte; is this a text?")
        # A name is empty where a shell's variable is.
        for command, names in (("sum", [""]), ("sum", [self.vector, ""]), ("median", [""]), ("scan", [""]), ("matmul", ["", self.matrix]),
                               ("matmul", [self.matrix, ""]), ("dot", ["", self.vector]), ("dot", [self.vector, ""]), ("trapezoid", [""]),
                               ("trapezoid", [self.vector, ""]), ("simpson", [self.vector, ""]), ("mean", [self.vector, "--weights", ""]),
                               ("scan", [self.vector, "-o", ""])):
            self.check(2, [command, *names], f": '' is no path; name a file; see foldline {command} --help\n")
        self.check(1, ["matmul", self.matrix, self.vector, "-o", "c.npy"], "has 1 axis; a matrix has two")
        self.check(1, ["matmul", self.matrix, self.matrix, "-o", "c.npy"], "the first needs as many columns as the second has rows")


if __name__ == "__main__":
    unittest.main()
