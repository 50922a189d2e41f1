"""Numbers from texts and CSV, against Python's csv, fractions and math.fsum."""
import csv
import io
import math
import pathlib
import random
import unittest
from fractions import Fraction

import numpy

from command import CommandTest

CO2 = pathlib.Path(__file__).resolve().parents[2] / "data" / "co2.csv"


class Texts(CommandTest):
    def test_nothing_overflows_on_the_way(self):
        self.assertEqual(self.result("sum", "-", stdin=b"1e308\n1e308\n-1e308\n"), "1e+308")

    def test_standard_input_tells_text_from_npy(self):
        file = io.BytesIO()
        numpy.save(file, numpy.arange(4.0))
        self.assertEqual(self.result("sum", "-", stdin=file.getvalue()), "6")
        self.assertEqual(self.result("sum", "-", stdin=b"1 2\n3"), "6")
        self.assertEqual(self.result("sum", "-", stdin=b""), "0")

    def test_names_of_files_tell_nothing(self):
        for name in ("x.txt", "x.csv", "x.tsv", "x.dat", "numbers", "x.npy"):
            self.assertEqual(self.result("sum", self.write(name, b"1\n2\n")), "3")
        self.assertEqual(self.result("sum", self.write("pairs", b"1,2\n"), "--csv", "--column", 2), "2")
        self.assertEqual(self.result("sum", self.write("X.CSV", b"a,b\n1,2\n"), "--column", "b"), "2")

    def test_numbers_are_rounded_to_the_type_first(self):
        # The doubles nearest to 0.1 and 0.2 add up to a little more than 0.3, whose nearest double is the next one.
        self.assertEqual(self.result("sum", "-", stdin=b"0.1\n0.2\n"), "0.30000000000000004")
        exact = self.result("sum", "-", "--format", "exact", stdin=b"0.1\n0.2\n")
        self.assertEqual(Fraction(exact), Fraction(0.1) + Fraction(0.2))
        single = self.result("sum", "-", "--text", "--input-type", "float32", stdin=b"0.1\n0.2\n")
        self.assertEqual(float(single), float(numpy.float32(0.1)) + float(numpy.float32(0.2)))

    def test_random_numbers(self):
        for seed in range(20):
            generator = random.Random(seed)
            numbers = [generator.uniform(-1, 1) * 10.0 ** generator.randint(-300, 300) for _ in range(500)]
            text = "".join(repr(x) + generator.choice(["\n", "\r\n"]) for x in numbers)
            self.assertEqual(float(self.result("sum", "-", stdin=text.encode())), math.fsum(numbers), seed)

    def test_integers(self):
        stdin = b"9223372036854775807\n-1\n"
        self.assertEqual(self.result("sum", "-", "--text", "--input-type", "int64", stdin=stdin), str(2**63 - 2))
        self.assertIn("line 2, column 1", self.error(1, "sum", "-", "--text", "--input-type", "int8", stdin=b"127\n128\n"))
        self.assertIn("line 1, column 1", self.error(1, "sum", "-", "--text", "--input-type", "uint8", stdin=b"1.5\n"))

    def test_every_operation(self):
        numbers = [random.Random(1).gauss(0, 1) for _ in range(1000)]
        text = "\n".join(map(repr, numbers)).encode()
        path = self.save("x.npy", numpy.array(numbers))
        for operation in ("sum", "mean", "variance", "norm", "abs-sum", "min", "max", "stats"):
            self.assertEqual(self.result(operation, "-", stdin=text), self.result(operation, path), operation)

    def test_threads_change_nothing(self):
        numbers = [random.Random(2).gauss(0, 1) for _ in range(200_000)]
        path = self.write("x.txt", "\n".join(map(repr, numbers)).encode())
        for threads in (1, 2, 3, 8):
            self.assertEqual(float(self.result("sum", path, "--threads", threads)), math.fsum(numbers))
        self.assertEqual(self.json("sum", path, "--threads", 3)["threads"], 3)


class Columns(CommandTest):
    TEXT = b'name,price,"amount, in kg"\n"one",1.5,2\n"t""wo",2.5,3\nthree,4,0.5\n'

    def test_by_name_and_by_number(self):
        path = self.write("x.csv", self.TEXT)
        rows = list(csv.DictReader(io.StringIO(self.TEXT.decode())))
        price = math.fsum(float(row["price"]) for row in rows)
        amount = math.fsum(float(row["amount, in kg"]) for row in rows)
        self.assertEqual(float(self.result("sum", path, "--column", "price")), price)
        self.assertEqual(float(self.result("sum", path, "--column", 2)), price)
        self.assertEqual(float(self.result("sum", path, "--column", 3)), amount)
        lines = self.result("sum", path, "--column", "3,price").splitlines()
        self.assertEqual(lines, [f"amount, in kg\t{amount:g}", f"price\t{price:g}"])

    def test_one_result_for_each_column(self):
        path = self.write("x.csv", b"a,b\n1,10\n2,20\n")
        self.assertEqual(self.result("mean", path, "--each-column"), "a\t1.5\nb\t15")
        report = self.json("sum", path, "--each-column")
        self.assertEqual([(r["column"], r["result"], r["count"]) for r in report["results"]], [("a", 3, 2), ("b", 30, 2)])
        stats = self.result("stats", path, "--each-column").splitlines()
        self.assertEqual(stats[0].split("\t")[:4], ["column", "count", "min", "max"])
        self.assertEqual(stats[2].split("\t")[:4], ["b", "2", "10", "20"])
        self.assertEqual(self.result("sum", "-", "--each-column", stdin=b"1 2\n3 4\n"), "1\t4\n2\t6")

    def test_columns_of_the_same_name_stay_apart(self):
        path = self.write("x.csv", b"a,a,b\n1,10,100\n2,20,200\n")
        self.assertEqual(self.result("sum", path, "--each-column"), "a\t3\na\t30\nb\t300")

    def test_pairs(self):
        path = self.write("x.csv", b"x,w\n1,10\n2,20\n4,30\n")
        self.assertEqual(self.result("dot", path, "--column", "x,w"), "170")
        mean = repr(170 / 60)
        self.assertEqual(self.result("mean", path, "--column", "x", "--weights-column", "w"), mean)
        x, w = self.save("x.npy", numpy.array([1.0, 2, 4])), self.write("w.txt", b"10\n20\n30\n")
        self.assertEqual(self.result("mean", x, "--weights", w), mean)
        self.assertEqual(self.result("dot", w, x), "170")
        self.assertIn("ends after 2 elements", self.error(1, "dot", x, "-", stdin=b"1\n2\n"))

    def test_pairs_of_a_long_text_and_an_array(self):
        values = numpy.random.default_rng(1).standard_normal((2, 200_000))
        x = self.save("x.npy", values[0])
        y = self.write("y.txt", "\n".join(map(repr, values[1].tolist())).encode())
        exact = sum(Fraction(a) * Fraction(b) for a, b in values.T.tolist())
        for threads in (1, 2, 5):
            self.assertEqual(float(self.result("dot", x, y, "--threads", threads)), float(exact))

    def test_separators_headers_comments(self):
        self.assertEqual(self.result("sum", "-", "--column", "b", stdin=b"a;b\n1;2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--column", "b", stdin=b"a\tb\n1\t2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--column", "Amount", stdin=b"Item #,Amount\n1,2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--separator", "|", "--column", 2, stdin=b"1|2\n3|4\n"), "6")
        self.assertEqual(self.result("sum", "-", "--separator", "tab", "--column", 2, stdin=b"1,5\t2\n3,5\t4\n"), "6")
        self.assertEqual(self.result("sum", "-", "--separator", "space", "--column", 2, stdin=b"1   2\n3 \t4\n"), "6")
        self.assertEqual(self.result("sum", "-", "--header", "yes", stdin=b"1\n2\n3\n"), "5")
        self.assertIn("line 1", self.error(1, "sum", "-", "--header", "no", stdin=b"x\n2\n3\n"))
        self.assertEqual(self.result("sum", "-", stdin=b"# five\n2\n3 # three\n"), "5")
        self.assertEqual(self.result("sum", "-", "--comment", "%", stdin=b"% five\n2\n3\n"), "5")
        self.assertIn("line 2", self.error(1, "sum", "-", "--comment", "none", "--header", "no", stdin=b"2\n# 3\n"))

    def test_mistakes(self):
        path = self.write("x.csv", self.TEXT)
        self.assertIn("did you mean 'price'?", self.error(2, "sum", path, "--column", "prcie"))
        self.assertIn("has no column 4", self.error(1, "sum", path, "--column", 4))
        self.assertIn("price", self.error(1, "sum", path))
        self.assertIn("line 2, column 1", self.error(1, "sum", path, "--column", "name"))
        array = self.save("x.npy", numpy.ones(3))
        for options in (["--column", "price"], ["--each-column"], ["--by", "name"]):
            self.assertIn("from texts only", self.error(2, "sum", array, *options))
        self.assertIn("exclude each other", self.error(2, "sum", path, "--each-column", "--column", "price"))
        self.assertIn("two columns", self.error(2, "dot", path, "--column", "price"))
        for options in ([], ["--by", "name"]):
            self.assertIn("name it with --column", self.error(2, "mean", path, "--weights-column", "price", *options))
        self.assertIn("single character", self.error(2, "sum", path, "--separator", "::"))
        self.assertIn("did you mean 'yes'?", self.error(2, "sum", path, "--header", "yess"))


class MissingValues(CommandTest):
    def test_the_co2_record(self):
        with open(CO2, newline="") as file:
            rows = list(csv.DictReader(file))
        first = next(i for i, row in enumerate(rows) if row["co2"] == "") + 2  # the header is line 1
        self.assertIn(f"line {first}, column 2", self.error(1, "mean", CO2, "--column", "co2"))
        values = [Fraction(float(row["co2"])) for row in rows if row["co2"]]
        report = self.json("mean", CO2, "--column", "co2", "--skip-missing")
        self.assertEqual(report["result"], float(sum(values) / len(values)))
        self.assertEqual((report["count"], report["skipped_missing"]), (len(values), len(rows) - len(values)))
        self.assertEqual((len(values), len(rows)), (2225, 2284))

    def test_what_is_missing_and_what_is_wrong(self):
        stdin = b"a,b\n1,2\n,3\nNA,4\n5\n"
        self.assertIn("line 3, column 1", self.error(1, "sum", "-", "--column", "a", stdin=stdin))
        self.assertEqual(self.result("sum", "-", "--column", "a", "--skip-missing", stdin=stdin), "6")
        self.assertEqual(self.result("sum", "-", "--each-column", "--skip-missing", stdin=stdin), "a\t6\nb\t9")
        message = self.error(1, "sum", "-", "--column", "a", "--skip-missing", stdin=b"a,b\n1,2\nx7,3\n")
        self.assertIn("line 3, column 1", message)
        self.assertIn("x7", message)

    def test_pairs_lose_both(self):
        stdin = b"x,w\n1,10\n,20\n3,\n4,40\n"
        self.assertEqual(self.result("dot", "-", "--column", "x,w", "--skip-missing", stdin=stdin), "170")
        mean = self.result("mean", "-", "--column", "x", "--weights-column", "w", "--skip-missing", stdin=stdin)
        self.assertEqual(mean, repr(170 / 50))
        x, y = self.write("x.txt", b"1\n"), self.write("y.txt", b"2\n")
        self.assertIn("two columns of one file", self.error(2, "dot", x, y, "--skip-missing"))

    def test_nothing_left(self):
        for command in ("mean", "min"):
            self.assertIn("has no elements", self.error(1, command, "-", "--skip-missing", stdin=b'""\nNA\n'))
        self.assertEqual(self.result("count", "-", "--skip-missing", stdin=b'""\nNA\n'), "0")


class SkippedNans(CommandTest):
    def test_arrays_of_every_type(self):
        for seed in range(20):
            generator = numpy.random.default_rng(seed)
            for dtype in (numpy.float16, numpy.float32, numpy.float64):
                array = generator.standard_normal(5000).astype(dtype)
                array[generator.random(5000) < 0.2] = numpy.nan
                array[generator.random(5000) < 0.1] *= -1  # also NaNs with a sign
                path = self.save("x.npy", array)
                self.assertEqual(self.result("sum", path), "nan")
                report = self.json("sum", path, "--skip-nan")
                kept = array[~numpy.isnan(array)]
                self.assertEqual(report["result"], math.fsum(kept.tolist()))
                self.assertEqual((report["count"], report["skipped_nan"]), (kept.size, array.size - kept.size))
        path = self.save("x.npy", numpy.array([numpy.inf, numpy.nan]))
        self.assertEqual(self.result("sum", path, "--skip-nan"), "inf")
        self.assertEqual(self.result("sum", self.save("i.npy", numpy.arange(5)), "--skip-nan"), "10")

    def test_raw_bfloat16(self):
        path = self.write("x.bin", numpy.array([0x3F80, 0x7FC1, 0xFF81, 0x4000], numpy.uint16).tobytes())
        report = self.json("sum", path, "--input-type", "bfloat16", "--skip-nan")
        self.assertEqual((report["result"], report["skipped_nan"]), (3, 2))

    def test_pairs_lose_both(self):
        x = self.save("x.npy", numpy.array([1, numpy.nan, 3, numpy.nan, 5]))
        y = self.save("y.npy", numpy.array([1, 2, numpy.nan, numpy.nan, 5]))
        report = self.json("dot", x, y, "--skip-nan")
        self.assertEqual((report["result"], report["count"], report["skipped_nan"]), (26, 2, 3))

    def test_a_text_says_nan(self):
        self.assertEqual(self.result("sum", "-", stdin=b"1\nnan\n"), "nan")
        self.assertEqual(self.result("sum", "-", "--skip-nan", stdin=b"1\nnan\n"), "1")
        self.assertEqual(self.result("sum", "-", "--each-column", "--skip-nan", stdin=b"1 nan\nnan 2\n3 4\n"), "1\t4\n2\t6")


if __name__ == "__main__":
    unittest.main()
