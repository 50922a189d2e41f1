"""What stats and its relatives say, and how reports look, against exact rational arithmetic."""
import csv
import io
import json
import math
import random
import unittest
from fractions import Fraction

import numpy

from command import CommandTest

STATISTICS = ["min", "max", "sum", "mean", "std", "variance", "range", "abs-sum", "norm"]


def rounded_root(square):
    """The double nearest to the square root of a fraction."""
    if square == 0:
        return 0.0
    # As many bits of the root as make a tie with anything impossible, and one for what is cut off.
    shift = max(0, 2 * (130 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2))
    scaled = square * (1 << shift)
    root = math.isqrt(scaled.numerator // scaled.denominator)
    is_exact = root * root == scaled
    return float(Fraction(2 * root + (0 if is_exact else 1), 2 << (shift // 2)))


def statistics_of(values, ddof=0):
    """Of finite doubles, each rounded once."""
    x = [Fraction(v) for v in values]
    n, total = len(x), sum(x)
    variance = sum((v - total / n) ** 2 for v in x) / (n - ddof)
    return {
        "min": float(min(x)), "max": float(max(x)), "range": float(max(x) - min(x)), "sum": float(total),
        "mean": float(total / n), "std": rounded_root(variance), "variance": float(variance),
        "abs-sum": float(sum(map(abs, x))), "norm": rounded_root(sum(v * v for v in x)),
    }


def awkward(count, seed):
    generator = numpy.random.default_rng(seed)
    wide = generator.standard_normal(count) * numpy.exp2(generator.uniform(-400, 400, count))
    near = 1e8 + generator.random(count)  # a variance by the textbook's formula has no right digit
    ties = generator.integers(-3, 4, count) / 2
    return [wide, near, ties, numpy.full(count, 0.1)]


class Deviations(CommandTest):
    def test_against_fractions(self):
        for count in (1, 2, 3, 64, 1000):
            for array in awkward(count, count):
                path = self.save("x.npy", array)
                for ddof in (0, 1):
                    if count <= ddof:
                        continue
                    expected = statistics_of(array, ddof)
                    self.assertEqual(self.json("stats", path, "--ddof", ddof)["result"], expected)
                    self.assertEqual(float(self.result("std", path, "--ddof", ddof)), expected["std"])
                    error = rounded_root(Fraction(statistics_of_variance(array, ddof)) / count)
                    self.assertEqual(float(self.result("standard-error", path, "--ddof", ddof)), error)
                self.assertEqual(float(self.result("range", path)), expected["range"])
                self.assertEqual(self.result("count", path), str(count))
        self.assertEqual(self.json("standard-error", self.save("x.npy", numpy.arange(4.0)))["ddof"], 1)

    def test_one_rounding(self):
        # The variance of these rounds to 1, and its root lies above 1.
        path = self.save("x.npy", numpy.array([1 + 2.0**-52, -1 - 2.0**-52]))
        self.assertEqual(self.result("std", path), repr(1 + 2.0**-52))
        # Its square is beyond the largest double.
        path = self.save("x.npy", numpy.array([1e300, -1e300]))
        self.assertEqual((self.result("std", path), self.result("variance", path)), ("1e+300", "inf"))

    def test_digits(self):
        path = self.save("x.npy", numpy.array([1.0, 2.0, 4.0]))
        self.assertEqual(self.result("std", path, "--format", "exact"), "sqrt(14 / 9)")
        self.assertEqual(self.result("standard-error", path, "--format", "exact"), "sqrt(14 / 18)")
        self.assertEqual(self.result("range", path, "--format", "exact"), "3")

    def test_integers(self):
        path = self.save("x.npy", numpy.array([-(2**62), 2**62 - 1, 5]))
        self.assertEqual(self.result("range", path), str(2**63 - 1))
        values = [Fraction(-(2**62)), Fraction(2**62 - 1), Fraction(5)]
        mean = sum(values) / 3
        self.assertEqual(float(self.result("std", path)), rounded_root(sum((v - mean) ** 2 for v in values) / 3))
        path = self.save("x.npy", numpy.array([-128, 127], numpy.int8))
        self.assertEqual(self.result("range", path), "255")
        self.assertIn("does not fit int8", self.error(1, "range", path, "--output-type", "int8"))
        path = self.save("x.npy", numpy.array([-(2**63), 2**63 - 1]))
        self.assertIn(str(2**64 - 1), self.error(1, "range", path))
        self.assertIn("no integers", self.error(2, "std", path, "--output-type", "int64"))

    def test_along_an_axis(self):
        array = numpy.random.default_rng(3).standard_normal((200, 70)) * 1e5 + 1e9
        path = self.save("x.npy", array)
        for axis in (0, 1):
            vectors = array.T if axis == 0 else array
            for name, key in (("std", "std"), ("range", "range")):
                found = [float(text) for text in self.result(name, path, "--axis", axis).split()]
                self.assertEqual(found, [statistics_of(vector)[key] for vector in vectors])

    def test_a_gpu_refuses_in_one_line(self):
        path = self.save("x.npy", numpy.ones(3))
        for name in ("std", "range"):
            self.assertIn("there is no device cuda:999", self.error(2, name, path, "--device", "cuda:999"))

    def test_groups(self):
        path = self.write("x.csv", b"k,v\na,1\na,3\nb,5\n")
        self.assertEqual(self.result("std", path, "--column", "v", "--by", "k"), "a\t1\nb\t0")
        self.assertEqual(self.result("std", path, "--column", "v", "--by", "k", "--ddof", 1), f"a\t{math.sqrt(2)!r}\nb\tnan")
        self.assertEqual(self.result("count", path, "--column", "v", "--by", "k"), "a\t2\nb\t1")


def statistics_of_variance(values, ddof):
    x = [Fraction(v) for v in values]
    mean = sum(x) / len(x)
    return sum((v - mean) ** 2 for v in x) / (len(x) - ddof)


class TooFew(CommandTest):
    def test_nothing_has_no_mean(self):
        for path in (self.save("x.npy", numpy.ones((0, 5))), self.write("x.txt", b"")):
            for command in ("mean", "variance", "std", "standard-error", "range", "min", "max", "stats"):
                self.assertIn("has no elements, so there is no", self.error(1, command, path))
            for command in ("sum", "abs-sum", "norm", "count"):
                self.assertEqual(self.result(command, path), "0")

    def test_ddof_leaves_nothing_to_divide_by(self):
        path = self.save("x.npy", numpy.ones(1))
        for arguments in (("std", "--ddof", 1), ("variance", "--ddof", 3), ("standard-error",)):
            done = self.run_command(arguments[0], path, *arguments[1:])
            self.assertEqual((done.returncode, done.stdout), (0, b"nan\n"))
            self.assertIn(b"with ddof", done.stderr)


class Overflows(CommandTest):
    def test_stats_lose_only_the_sum(self):
        values = [1_700_000_000_000_000_000 + i for i in range(8)]
        path = self.save("x.npy", numpy.array(values))
        lines = dict(line.split(maxsplit=1) for line in self.result("stats", path).splitlines())
        self.assertEqual(lines["sum"], f"overflows int64: {sum(values)}")
        self.assertEqual((lines["max"], lines["range"], lines["mean"]), (str(max(values)), "7", repr(sum(values) / 8)))
        report = self.json("stats", path)
        self.assertEqual((report["result"]["sum"], report["overflows"]["sum"]), (None, str(sum(values))))
        self.assertEqual(self.result("sum", path, "--format", "exact"), str(sum(values)))
        report = self.json("sum", path, "--format", "exact")
        self.assertEqual((report["result"], report["exact"]), (None, str(sum(values))))
        self.assertIn("does not fit int64", self.error(1, "sum", path))
        self.assertEqual(self.json("stats", path, "--overflow", "wrap")["result"]["sum"], sum(values) - 2**64)


class Summaries(CommandTest):
    SALES = b"shop,price,amount\nnorth,1.5,2\nsouth,2,\nnorth,2.5,4\n"
    NOTE = '{}: left out column 1 ("shop"): line 2: "north" is not a number\n'

    def summary(self, *arguments):
        done = self.run_command("stats", *arguments)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.decode(), done.stderr.decode()

    def test_an_aligned_table(self):
        path = self.write("x.csv", self.SALES)
        table, notes = self.summary(path)
        self.assertEqual(notes, "foldline: note: " + self.NOTE.format(path))
        lines = table.splitlines()
        self.assertEqual(lines[0].split(), ["column", "missing", "count", *STATISTICS])
        self.assertEqual([line.split()[:5] for line in lines[1:]],
                         [["price", "0", "3", "1.5", "2.5"], ["amount", "1", "2", "2", "4"]])
        ends = [line.rindex(" ") for line in lines]
        self.assertEqual({len(line) for line in lines}, {len(lines[0])}, ends)
        tabs, notes = self.summary(path, "--each-column")
        self.assertEqual([line.split("\t") for line in tabs.splitlines()], [line.split() for line in lines])
        self.assertEqual(notes, "foldline: note: " + self.NOTE.format(path))
        text, _ = self.summary(path, "--output-format", "csv")
        self.assertEqual(list(csv.reader(io.StringIO(text))), [line.split() for line in lines])

    def test_json(self):
        path = self.write("x.csv", self.SALES)
        report = json.loads(self.summary(path, "--json")[0])
        self.assertEqual([(row["column"], row["missing"], row["count"]) for row in report["results"]],
                         [("price", 0, 3), ("amount", 1, 2)])
        self.assertEqual(report["left_out"], [{"column": "shop", "line": 2, "problem": '"north" is not a number'}])

    def test_random_tables(self):
        # Several blocks; which thread reads a column's first text is left to chance, what is said of it is not.
        generator = random.Random(5)
        count, width = 60_000, 8
        rows = [[repr(generator.uniform(-9, 9)) for _ in range(width)] for _ in range(count)]
        first = {}
        for column in (1, 3, 4, 6):
            for _ in range(generator.choice([1, 1, 40])):
                row = generator.randrange(count)
                rows[row][column] = f"x{row}"
                first[column] = min(first.get(column, count), row)
        missing = [0] * width
        for _ in range(500):
            row, column = generator.randrange(count), generator.choice([0, 2, 3, 5, 7])
            if rows[row][column] and not rows[row][column].startswith("x"):
                rows[row][column] = ""
                missing[column] += 1
        header = ",".join(f"c{i}" for i in range(width))
        path = self.write("x.csv", "\n".join([header, *map(",".join, rows)]).encode())
        for threads in (1, 2, 7):
            report = json.loads(self.summary(path, "--json", "--threads", threads)[0])
            self.assertEqual(report["left_out"],
                             [{"column": f"c{c}", "line": r + 2, "problem": f'"x{r}" is not a number'}
                              for c, r in sorted(first.items())])
            kept = [c for c in range(width) if c not in first]
            self.assertEqual([row["column"] for row in report["results"]], [f"c{c}" for c in kept])
            for row, column in zip(report["results"], kept):
                values = [float(r[column]) for r in rows if r[column]]
                self.assertEqual((row["missing"], row["count"]), (missing[column], len(values)))
                self.assertEqual((row["result"]["sum"], row["result"]["max"]), (math.fsum(values), max(values)))

    def test_several_files(self):
        x = self.write("x.csv", b"a,b,c\n1,2,3\n")
        y = self.write("y.csv", b"c,a,b\n30,10,x\n")
        table, notes = self.summary(x, y)
        self.assertEqual([line.split()[:6] for line in table.splitlines()[1:]],
                         [["a", "0", "2", "1", "10", "11"], ["c", "0", "2", "3", "30", "33"]])
        self.assertEqual(notes, f'foldline: note: {y}: left out column 3 ("b"): line 2: "x" is not a number\n')

    def test_files_of_one_column_are_one_data_set(self):
        files = self.write("x.csv", b"v\n1\n2\n"), self.write("y.csv", b"w\n3\n"), self.save("z.npy", numpy.ones(4))
        self.assertEqual(self.result("stats", *files).splitlines()[:4], ["count     7", "min       1", "max       3", "sum       10"])
        two = self.write("two.csv", b"v,w\n1,2\n")
        self.assertIn("has 2 columns, the first file has 1", self.error(1, "stats", files[0], two))

    def test_first_lines(self):
        for text in (b"country,2020,2021\nDE,5,6\n", b"1,north\n2,south\n"):
            path = self.write("x.csv", text)
            self.assertIn("--header yes", self.error(1, "stats", path))
        table, _ = self.summary(self.write("x.csv", b"country,2020,2021\nDE,5,6\n"), "--header", "yes")
        self.assertEqual([line.split()[:2] for line in table.splitlines()[1:]], [["2020", "0"], ["2021", "0"]])
        table, _ = self.summary(self.write("x.csv", b"1,north\n2,south\n"), "--header", "no")
        self.assertEqual([line.split()[:5] for line in table.splitlines()[1:]], [["1", "0", "2", "1", "2"]])
        table, notes = self.summary(self.write("x.csv", b"1,2\n3,4\n"))
        self.assertEqual([line.split()[:6] for line in table.splitlines()[1:]],
                         [["1", "0", "2", "1", "3", "4"], ["2", "0", "2", "2", "4", "6"]])
        self.assertEqual(notes, "")

    def test_columns_without_numbers(self):
        message = self.error(1, "stats", self.write("x.csv", b"a,b\nx,y\n"))
        self.assertIn('has no column of numbers; column 1 ("a"): line 2: "x" is not a number', message)
        table, _ = self.summary(self.write("x.csv", b"a,b\n1,\n2,NA\n"))
        self.assertEqual(table.splitlines()[2].split()[:5], ["b", "2", "0", "nan", "nan"])
        wide = self.write("wide.csv", (",".join(f"c{i}" for i in range(30)) + "\n" + ",".join(["x"] * 29 + ["1"]) + "\n").encode())
        table, notes = self.summary(wide)
        self.assertEqual((len(table.splitlines()), len(notes.splitlines())), (2, 11))
        self.assertIn("19 more columns are left out", notes)
        odd = self.write("odd.csv", b'"a\xc2\x9b2J",b\n"\xc2\x9b2J",1\n')
        self.assertNotIn("\x9b", "".join(self.summary(odd)))

    def test_a_wrong_structure_is_an_error_still(self):
        self.assertIn("line 3", self.error(1, "stats", self.write("x.csv", b"a,b\n1,2\n1,2,3\n")))
        self.assertIn("NUL", self.error(1, "stats", self.write("x.csv", b"a,b\n1,\0\n")))

    def test_one_column_and_groups_stay_as_they_were(self):
        self.assertIn("--skip-missing", self.error(1, "stats", self.write("x.csv", b"a\n1\nNA\n")))
        self.assertEqual(self.result("stats", self.write("x.txt", b"1 2 3\n4 5 6\n")).split("\n")[0], "count     6")
        path = self.write("x.csv", self.SALES)
        self.assertIn("--column", self.error(1, "stats", path, "--by", "shop"))
        self.assertIn("--column", self.error(1, "mean", path))
        self.assertIn('"north"', self.error(1, "sum", path, "--each-column"))


class Formats(CommandTest):
    ODD = b'k,v\n"a,b",1\n"say ""so""",2\n"two\nlines",3\n" blank",4\nplain,5\n'

    def test_csv_reads_back(self):
        path = self.write("x.csv", self.ODD)
        text = self.result("sum", path, "--column", "v", "--by", "k", "--output-format", "csv")
        rows = list(csv.reader(io.StringIO(text)))
        keys = ["a,b", 'say "so"', "two\nlines", " blank", "plain"]
        self.assertEqual(rows, [["key", "sum"], *([key, str(i + 1)] for i, key in enumerate(keys))])
        again = self.write("again.csv", text.encode())
        self.assertEqual(self.result("sum", again, "--column", "sum"), "15")

    def test_tabs_and_tables(self):
        path = self.write("x.csv", b"k,v\nlong name,1\nb,1000\n")
        choice = ("sum", path, "--column", "v", "--by", "k")
        self.assertEqual(self.result(*choice), "long name\t1\nb\t1000")
        self.assertEqual(self.result(*choice, "--output-format", "tsv"), "key\tsum\nlong name\t1\nb\t1000")
        table = self.result(*choice, "--output-format", "table")
        self.assertEqual(table, "key         sum\nlong name     1\nb          1000")
        odd = self.write("odd.csv", self.ODD + b'"\x1b[2J",1\n"\xc2\x9b2J",1\n')
        for form in ("table", "tsv"):
            lines = self.result("sum", odd, "--column", "v", "--by", "k", "--output-format", form).splitlines()
            self.assertEqual(len(lines), 8)
            self.assertNotRegex("".join(lines), "[\x00-\x08\x0b-\x1f\x7f-\x9f]")

    def test_single_results(self):
        path = self.save("x.npy", numpy.array([1.0, 2.0]))
        self.assertEqual(self.result("sum", path, "--output-format", "csv"), "sum\n3")
        self.assertEqual(self.result("sum", path, "--output-format", "table"), "sum\n  3")
        rows = list(csv.reader(io.StringIO(self.result("stats", path, "--output-format", "csv"))))
        self.assertEqual(rows[0], ["count", *STATISTICS])
        self.assertEqual(rows[1][:5], ["2", "1", "2", "3", "1.5"])
        self.assertEqual(self.result("stats", path, "--output-format", "table"), self.result("stats", path))
        same = [self.result("stats", path, *way) for way in (("--json",), ("--output-format", "json"))]
        self.assertEqual(*same)
        for wrong in (("--json", "--output-format", "csv"), ("--output-format", "npy"), ("--output-format", "xml")):
            self.error(2, "sum", path, *wrong)

    def test_json_has_null_for_no_number(self):
        path = self.save("x.npy", numpy.array([numpy.inf, 1]))
        report = self.json("stats", path)
        self.assertEqual([report["result"][key] for key in ("min", "max", "std")], [1, None, None])
        self.assertEqual([report["hex"][key] for key in ("max", "std")], ["inf", "nan"])
        matrix = self.save("m.npy", numpy.array([[1.0, numpy.nan]]))
        self.assertEqual(self.json("sum", matrix, "--axis", 0)["result"], [1, None])


if __name__ == "__main__":
    unittest.main()
