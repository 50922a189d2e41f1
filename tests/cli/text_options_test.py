"""Options of reading texts, against Python's Fraction: what is passed over, how numbers are written, what is missing."""
import io
import os
import random
import resource
import subprocess
import unittest
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest


class Lines(CommandTest):
    REPORT = b"Report 3\n\na,b\n1,2\n"

    def test_lines_are_skipped_whatever_they_hold(self):
        self.assertEqual(self.result("sum", "-", "--csv", "--skip-lines", 2, "--column", "b", stdin=self.REPORT), "2")
        self.assertEqual(self.result("sum", "-", "--skip-lines=1", stdin=b'"\xff\x01\n1\n2\n'), "3")
        self.assertIn("line 6, column 2", self.error(1, "sum", "-", "--csv", "--skip-lines", 2, "--column", "b", stdin=self.REPORT + b"1,2\nx,y\n"))
        for count in (4, 5, 10**18):
            message = self.error(1, "sum", "-", "--csv", "--skip-lines", count, "--column", "b", stdin=self.REPORT)
            self.assertIn(f"has 4 lines, of which {count} are skipped; give a smaller --skip-lines", message)
        self.assertIn("whole number", self.error(2, "sum", "-", "--skip-lines", -1))

    def test_excels_line_of_the_separator(self):
        for options in ([], ["--csv"], ["--text", "--column", "2"]):
            options = options if "--column" in options else [*options, "--column", "b"]
            self.assertEqual(self.result("sum", "-", *options, stdin=b"sep=;\r\na;b\r\n1;2\r\n"), "2")
        self.assertEqual(self.result("sum", "-", "--column", "b", "--decimal", ",", stdin=b"sep=;\na;b\n1;2,5\n"), "2.5")
        self.assertEqual(self.result("sum", "-", "--decimal", ",", "--column", 1, stdin=b'sep=,\n"1,5",2\n3,4\n'), "4.5")

    def test_names_in_a_comment(self):
        stdin = b"# t x y\n1 2 3\n4 5 6\n"
        self.assertEqual(self.result("sum", "-", "--column", "x", stdin=stdin), "7")
        self.assertEqual(self.result("sum", "-", "--each-column", stdin=stdin), "t\t5\nx\t7\ny\t9")
        self.assertEqual(self.result("sum", "-", stdin=stdin), "21")
        self.assertIn("did you mean 'x'", self.error(2, "sum", "-", "--column", "xx", stdin=stdin))
        file = io.BytesIO()
        numpy.savetxt(file, numpy.arange(6.0).reshape(2, 3), delimiter=",", header="a,b,c")
        self.assertEqual(self.result("sum", "-", "--column", "a,c", stdin=file.getvalue()), "a\t3\nc\t7")

    def test_long_lines(self):
        stdin = " ".join(map(str, range(1, 200_001))).encode()
        for end in (b"", b"\n"):
            self.assertEqual(self.result("sum", "-", stdin=stdin + end), "20000100000")
            self.assertEqual(self.result("sum", "-", "--csv", "--all-columns", stdin=stdin.replace(b" ", b",") + end), "20000100000")
        self.assertIn("column 200001: \"x\"", self.error(1, "sum", "-", stdin=stdin + b" x"))
        row = b"1" + 5000 * b",1" + b"\n"
        self.assertEqual(self.result("sum", "-", "--column", 2, "--longest-line", 10002, stdin=row), "1")
        message = self.error(1, "sum", "-", "--column", 2, "--longest-line", 10001, stdin=row)
        self.assertIn("line 1: the row has more than 10001 bytes", message)
        self.assertIn("--longest-line", message)

    def test_a_long_line_takes_constant_memory(self):
        path = self.path("long.txt")
        with open(path, "wb") as file:
            for _ in range(60):
                file.write(b"1 " * 500_000)  # 60 MB in one line
        peak = {}
        for name in (path, self.write("short.txt", b"1 2\n")):
            process = subprocess.Popen([COMMAND, "sum", name, "--threads", "2"], stdout=subprocess.PIPE)
            with process.stdout:
                result = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            peak[name] = (result, usage.ru_maxrss)
        self.assertEqual(peak[path][0], b"30000000\n")
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # which exec hands on
        if "ASAN_OPTIONS" not in os.environ:  # it keeps what has been freed
            self.assertLess(peak[path][1], max(peak[name][1], own) + 25_000)  # KiB


def grouped(digits, mark):
    """An integer's digits in groups of three."""
    first = len(digits) % 3 or 3
    return mark.join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])


class Spellings(CommandTest):
    def exact(self, texts, *options):
        printed = self.result("sum", "-", "--format", "exact", *options, stdin="\n".join(texts).encode())
        return Fraction(printed)

    def test_decimal_commas_and_thousands(self):
        self.assertEqual(self.result("sum", "-", "--csv", "--separator", ";", "--decimal", ",", "--thousands", ".", stdin=b"v\n1.234,5\n"), "1234.5")
        marks = [(",", "."), (".", ","), (",", " "), (".", "'"), (",", "'"), (".", "\u2019"), (",", "\u00a0"), (".", "\u202f")]
        for seed, (decimal, thousands) in enumerate(marks):
            generator = random.Random(seed)
            texts, values = [], []
            for _ in range(300):
                whole = str(generator.randrange(10 ** generator.randrange(1, 20)))
                part = "".join(generator.choice("0123456789") for _ in range(generator.randrange(25)))
                sign, power = generator.choice(["", "-", "+"]), generator.choice(["", "", f"e{generator.randrange(-20, 20)}"])
                texts.append(sign + generator.choice([whole, grouped(whole, thousands)]) + (decimal + part if part else "") + power)
                values.append(Fraction(float(Fraction(sign + whole + "." + (part or "0") + power))))
            self.assertEqual(self.exact(texts, "--decimal", decimal, "--thousands", thousands), sum(values), (decimal, thousands))

    def test_spaces_of_any_kind(self):
        self.assertEqual(self.result("sum", "-", "--thousands", "space", "--decimal", ",", stdin="1 234,5\n1\u00a0000\n1\u202f000\n".encode()), "3234.5")

    def test_groups_that_are_none(self):
        for text in ("1.23,4", "1234.567", "1..234", ".234", "1.2345", "0.123", "1,234.5", "1,2,3", "1.234.", "1e1.000", "1.5"):
            message = self.error(1, "sum", "-", "--decimal", ",", "--thousands", ".", stdin=f"0\n{text}\n".encode())
            self.assertIn(f'line 2, column 1: "{text}" is not a number', message)

    def test_the_comma_separates_or_begins_fractions(self):
        self.assertEqual(self.result("sum", "-", "--decimal", ",", stdin=b"1,5\n2,5\n"), "4")
        self.assertEqual(self.result("sum", "-", "--decimal", ",", "--csv", "--column", "b", stdin=b"a;b\n1,5;2,5\n"), "2.5")
        self.assertEqual(self.result("sum", "-", "--thousands", ",", "--csv", "--column", "b", stdin=b'a,b\nx,"1,234.5"\n'), "1234.5")
        self.assertEqual(self.result("sum", "-", "--thousands", ",", stdin=b"1,234\n"), "1234")

    def test_decimal_commas_in_quotes_between_commas(self):
        """As pandas reads them with decimal=","."""
        texts = (b'a,b\n"1,5",2\n"2,5",4\n', b'"a","b"\n"1,5","2"\n2,"5"\n"0,5",-1\n', b'a,b\n1,2\n"3,0",4\n')
        for text in texts:
            for separator in ((), ("--separator", ",")):
                self.assertEqual(self.result("sum", "-", "--decimal", ",", "--column", "a", *separator, stdin=text), "4", text)
                self.assertEqual(self.result("sum", "-", "--decimal", ",", "--column", "b", *separator, stdin=text), "6", text)
        self.assertEqual(self.result("sum", "-", "--decimal", ",", "--thousands", ".", "--column", 2, stdin=b'x,"-1.234,5"\n'), "-1234.5")
        self.assertEqual(self.result("sum", "-", "--thousands", ",", "--column", 2, stdin=b'x,"1,234"\ny,1\n'), "1235")
        self.assertEqual(self.result("sum", "-", "--decimal", ",", "--column", 1, stdin=b'sep=,\n"1,5",2\n'), "1.5")
        # Nothing tells that commas separate: they begin fractions.
        self.assertEqual(self.result("sum", "-", "--decimal", ",", stdin=b'"1,5"\n2,5\n'), "4")
        self.assertEqual(self.result("sum", "-", "--decimal", ",", stdin=b'"1,5" 2,5\n'), "4")
        self.assertEqual(self.result("sum", "-", "--decimal", ",", "--column", 1, stdin=b'1,5;"a,b"\n2,5;"1,5"\n'), "4")
        message = self.error(1, "sum", "-", "--decimal", ",", "--csv", "--column", 1, stdin=b'"1,5",2\n')
        self.assertIn("line 1, column 1: after a closing quote there is what may separate fields, but does not; check --column and --separator", message)
        self.assertIn("are the same", self.error(2, "sum", "-", "--decimal", ",", "--thousands", ",", stdin=b"1,5\n"))
        self.assertIn("thousands", self.error(2, "sum", "-", "--thousands", "_", stdin=b"1,5\n"))
        self.assertIn("both thousands and fields", self.error(2, "sum", "-", "--thousands", "space", "--separator", "space", stdin=b"1\n"))
        self.assertIn("is not one of", self.error(2, "sum", "-", "--decimal", ";"))

    def test_fortran(self):
        self.assertEqual(self.result("sum", "-", stdin=b"1D+3\n2.5d0\n"), "1002.5")
        self.assertEqual(self.result("sum", "-", "--fortran", stdin=b"1D+3\n2.5d0\n"), "1002.5")
        self.assertEqual(self.result("sum", "-", "--fortran", stdin=b"1D3\n1.0-001\n2.5q0\n"), "1002.6")
        for text in (b"1D3", b"1.0-001", b"2.5q0"):
            self.assertIn("is not a number", self.error(1, "sum", "-", stdin=b"0\n" + text))
        for text in (b"2020-10", b"1-100", b"1.0-1"):
            self.assertIn("is not a number", self.error(1, "sum", "-", "--fortran", stdin=b"0\n" + text))
        generator = random.Random(1)
        numbers = [generator.uniform(-10, 10) * 10.0 ** generator.randrange(-20, 20) for _ in range(300)]
        self.assertEqual(self.exact([f"{x:.16e}".replace("e", "D") for x in numbers]), sum(map(Fraction, numbers)))


class Missing(CommandTest):
    def test_own_markers(self):
        stdin = b"f1,v\na,1\nb,-999\n"
        for options in (["--missing", "-999"], ["--missing=-999"], ["--missing", "NA,-999,."], ["--missing", ".", "--missing", "-999"],
                        ["--missing", "-999.0"], ["--missing", "-9.99e2"], ["--only-missing", "-999"]):
            self.assertEqual(self.result("sum", "-", "--csv", "--column", "v", *options, "--skip-missing", stdin=stdin), "1", options)
            message = self.error(1, "sum", "-", "--csv", "--column", "v", *options, stdin=stdin)
            self.assertIn('line 3, column 2 ("v"): "-999" stands for no value', message)
        self.assertEqual(self.result("sum", "-", "--csv", "--column", "v", stdin=stdin), "-998")

    def test_numbers_by_value_and_words_as_they_are(self):
        def left(text, *options):
            return self.result("sum", "-", *options, "--skip-missing", stdin=text)

        self.assertEqual(left(b"1\n-999.00\n999\n-9.99D+2\n", "--missing", "-999"), "1000")
        self.assertEqual(left(b"1\n-99,90\n", "--missing", "-99.9", "--decimal", ","), "1")
        self.assertEqual(left(b"1\n0.1\n", "--missing", "0.10000000000000001"), "1.1")  # the same double, another number
        self.assertEqual(left(b"1\n.\n?\n", "--missing", ".,?"), "1")
        self.assertEqual(left(b"1\nNaN\n", "--missing", "nan"), "1")
        self.assertEqual(left(b"1\n-999\n", "--missing", "-999", "--text", "--input-type", "uint8"), "1")
        self.assertEqual(left(b"v\n1\n\"\"\nNA\n", "--missing", "-1"), "1")
        self.assertEqual(left(b"v\n1\n\"\"\n-1\n", "--only-missing", ",-1"), "1")
        message = self.error(1, "sum", "-", "--only-missing", "-1", "--skip-missing", stdin=b"1\nNA\n")
        self.assertIn('"NA" is not a number', message)
        self.assertIn("choose one", self.error(2, "sum", "-", "--missing", "a", "--only-missing", "b"))
        self.assertIn("-99.9", self.error(2, "sum", "-", "--missing", "-99,9", "--decimal", ",", stdin=b"9\n"))
        self.assertEqual(left(b"1\n-999\n9\n", "--missing", "-999,9"), "1")

    def test_pairs_lose_both(self):
        self.assertEqual(self.result("dot", "-", "--column", "1,2", "--missing", "-999", "--skip-missing", stdin=b"1,2\n-999,5\n3,4\n"), "14")


class AllColumns(CommandTest):
    def test_a_matrix(self):
        self.assertEqual(self.result("sum", "-", "--csv", "--all-columns", stdin=b"1,2,3\n4,5,6\n"), "21")
        path = self.write("x.csv", b"a;b\n1;2\n3;4\n")
        for operation, result in (("sum", "10"), ("mean", "2.5"), ("min", "1"), ("max", "4"), ("norm", "5.477225575051661"), ("abs-sum", "10")):
            self.assertEqual(self.result(operation, path, "--all-columns"), result)
        self.assertIn("count     4", self.result("stats", path, "--all-columns"))
        self.assertEqual(self.json("sum", path, path, "--all-columns")["count"], 8)

    def test_what_is_not_there(self):
        stdin = b"1,2,3\n4,5\n,6,NA\n"
        self.assertIn("line 2, column 3: is not there", self.error(1, "sum", "-", "--all-columns", stdin=stdin))
        report = self.json("sum", "-", "--all-columns", "--skip-missing", stdin=stdin)
        self.assertEqual((report["result"], report["count"], report["skipped_missing"]), (21, 6, 3))
        self.assertIn("line 2: the row has 3 fields", self.error(1, "sum", "-", "--all-columns", "--skip-missing", stdin=b"1,2\n1,2,3\n"))
        self.assertIn('line 2, column 1 ("a"): "x" is not a number', self.error(1, "sum", "-", "--all-columns", stdin=b"a,b\nx,2\n"))

    def test_mistakes(self):
        for options in (["--column", 1], ["--each-column"], ["--by", 1]):
            self.assertIn("--all-columns", self.error(2, "sum", "-", "--all-columns", *options))
        self.assertIn("--all-columns", self.error(2, "mean", "-", "--all-columns", "--column", 1, "--weights-column", 2))
        array = self.write("x.npy", b"\x93NUMPY")
        self.assertIn("is an array, whose columns have no names", self.error(2, "sum", array, "--all-columns"))


if __name__ == "__main__":
    unittest.main()
