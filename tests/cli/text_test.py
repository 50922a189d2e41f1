"""Numbers from texts and CSV, against Python's csv, fractions and math.fsum."""
import csv
import io
import math
import os
import pathlib
import random
import subprocess
import unittest
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest

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
        self.assertEqual(stats[0].split()[:5], ["column", "missing", "count", "min", "max"])
        self.assertEqual(stats[2].split()[:5], ["b", "0", "2", "10", "20"])
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
            self.assertIn("is an array, whose columns have no names", self.error(2, "sum", array, *options))
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


class NothingIsSwallowed(CommandTest):
    """What looks like a header, a comment or a blank, and is data."""

    def refused(self, text, *words, options=(), operation="sum"):
        data = text if isinstance(text, bytes) else text.encode()
        message = self.error(1, operation, "-", "--text", *options, stdin=data)
        for word in words:
            self.assertIn(word, message, text)
        self.assertTrue(all(" " <= c < "\x7f" for c in message[:-1]), message)
        return message

    def test_damaged_numbers_make_no_header(self):
        damaged = ["\u22125", "\u20135", "\uff0d5", "\ufe635", "$5", "\u20ac5", "\u20b95", "US$5", "R$ 1.234,50", "(5)", "{5}", "'5", "\u20195",
                   "\u00a05", "\u202f5", "\u30005", "\u200b5", "\ufeff\ufeff5", "1\u00a0000", "1\u202f000,5", "O.5", "o.5", "\u041e.5", "l0", "I00", "1O",
                   "\uff15", "\u0665", "5%", "%5", "~5", "\u22485", "<0.5", ">5", "\u00b15", "#5", "=5", "*5", "/5", ",5", "5x", "+x", ".", "?", "*", "--",
                   "\u2026", "#DIV/0!", "1.#INF", "-1.#IND", "5-", "2020-01-01", "5\u20ac", "1e", "0x", "\u00a0NA"]
        for text in damaged:
            with self.subTest(text=text):
                self.refused(f"{text}\n3\n", "line 1, column 1", "--header yes", options=["--separator", "|"])
                self.assertEqual(self.result("sum", "-", "--csv", "--separator", "|", "--header", "yes", stdin=f"{text}\n3\n".encode()), "3")
                self.refused(f"3\n{text}\n", "line 2, column 1", options=["--separator", "|", "--header", "no"])
        for text in (b"\xa05", b"\x805", b"\xa35", b"\x965", b"\x935\x94"):  # Windows-1252
            self.refused(text + b"\n3\n", "line 1, column 1", "--header yes")
        self.assertIn("(-5)", self.refused("\u22125\n3\n"))
        self.assertIn("write -5", self.refused("3\n\u22125\n"))

    def test_names_stay_headers(self):
        for name in ("co2", "x1", "P90", "Q1 2020", "Il", "lo", "S", "Oil", "Oo", "e5", "_1", "%", "#", "\u00b0C", "\u4ef7\u683c", "na", "true", "O2 sat", "v2.0", "Inf."):
            with self.subTest(name=name):
                self.assertEqual(self.result("sum", "-", "--csv", stdin=f"{name}\n1\n2\n".encode()), "3")
        # A name that may be a number is one beside another name, or if it is asked for.
        self.refused("O3\n1\n", "line 1, column 1", "--header yes")
        self.assertEqual(self.result("sum", "-", "--each-column", stdin=b"O3,NO2\n1,2\n"), "O3\t1\nNO2\t2")
        self.assertEqual(self.result("sum", "-", "--column", "O3", stdin=b"O3\n1\n"), "1")
        # Only fields that are asked for count.
        self.assertEqual(self.result("sum", "-", "--column", 2, stdin=b"$5,b\n1,2\n"), "2")
        self.refused("a,$5\n1,2\n", "line 1, column 2", options=["--each-column"])

    def test_a_header_has_rows(self):
        self.refused("price\n", 'line 1: is taken for a header ("price")', "no data", "--header yes")
        self.refused("price", "no data")
        self.refused("# c\n\nprice\n\n \n# c\n", "line 3: ", "no data")
        self.refused("a,b\r\n\r\n", "no data", options=["--column", 2])
        self.refused("\x1b[31mprice\x07" + "x" * 200 + "\n", '"\\x1b[31mprice\\x07')
        self.assertEqual(self.result("sum", "-", "--header", "yes", stdin=b"price\n"), "0")
        self.assertEqual(self.result("sum", "-", "--column", "b", stdin=b"a,b\n"), "0")
        self.assertEqual(self.result("sum", "-", "--skip-missing", stdin=b"price\nNA\n"), "0")

    def test_years(self):
        text = b"region,2020,2021\nnorth,5,6\n"
        self.assertEqual(self.result("sum", "-", "--column", 2, "--header", "yes", stdin=text), "5")
        self.assertEqual(self.result("sum", "-", "--column", "2021,2020", "--header", "yes", stdin=text), "2021\t6\n2020\t5")
        self.assertIn("--header yes", self.error(1, "sum", "-", "--column", 2021, stdin=text))
        self.assertIn("check --column and --separator", self.error(1, "sum", "-", "--column", 2022, stdin=text))

    def test_the_report_tells_the_header(self):
        self.assertEqual(self.json("sum", "-", "--column", 2, stdin=b"a,b\n1,2\n")["header"], ["a", "b"])
        self.assertIs(self.json("sum", "-", "--column", 2, stdin=b"1,2\n")["header"], False)
        x, y = self.write("x.csv", b"a\n1\n"), self.write("y.csv", b"2\n")
        self.assertEqual(self.json("sum", x, y)["header"], {x: ["a"], y: False})
        self.assertNotIn("header", self.json("sum", self.save("x.npy", numpy.ones(3))))

    def test_a_terminal_is_told_the_header(self):
        for text, options, note in ((b"a,b\n1,2\n", ["--column", 2], "taken for a header (a, b)"), (b"x,2020\ny,3\n", ["--column", 2], "taken for numbers"),
                                    (b"a,b\n1,2\n", ["--column", "b"], ""), (b"1,2\n", ["--column", 2], ""), (b"a\x1b\n" + b"1\n" * 70, [], "(a\\x1b)")):
            path = self.write("x.csv", text)
            main, other = os.openpty()
            with subprocess.Popen([COMMAND, "sum", path, *map(str, options)], stdout=subprocess.DEVNULL, stderr=other) as process:
                self.assertEqual(process.wait(timeout=60), 0)
            os.write(other, b"END\n")
            said = b""
            while b"END" not in said:
                said += os.read(main, 1000)
            os.close(main), os.close(other)
            self.assertEqual(said.count(b"\n"), 1 + bool(note), said)
            self.assertIn(note, said.decode())

    def test_number_signs_in_csv_are_data(self):
        text = b"ratio,amount\n0.5,10\n#DIV/0!,20\n#N/A,30\n0.25,40\n"
        self.assertEqual(self.result("sum", "-", "--csv", "--column", "amount", stdin=text), "100")
        self.assertEqual(self.result("sum", "-", "--csv", "--column", "amount", "--comment", "#", stdin=text), "100")
        self.assertIn("error of a spreadsheet", self.error(1, "sum", "-", "--column", "ratio", "--skip-missing", stdin=text))
        for word in ("#REF!", "#VALUE!", "#NUM!", "#NAME?", "#NULL!", "#SPILL!", "#WERT!", "#NOMBRE?", "#\u00a1VALOR!", "#NV"):
            self.refused(f"v\n1\n{word}\n", "line 3", "spreadsheet", options=["--csv"])
            self.refused(f"1\n{word}\n2\n", "line 2", "spreadsheet")  # no comment either
        self.refused("v\n1\n#N/A\n2\n", "line 3", "--skip-missing", options=["--csv"], operation="mean")
        self.assertEqual(self.result("mean", "-", "--csv", "--skip-missing", stdin=b"v\n1\n#N/A\n2\n"), "1.5")
        self.refused("1\n#N/A\n2\n", "line 2", "--skip-missing")
        self.assertEqual(self.result("sum", "-", "--missing", "#x", "--skip-missing", "--json", stdin=b"1\n#x\n2\n").count('"skipped_missing": 1'), 1)
        self.assertEqual(self.result("sum", "-", "--column", 2, stdin=b"order,amount\n#1001,20\n#1002,30\n"), "50")
        self.assertEqual(self.result("sum", "-", "--column", 2, stdin=b"#1001,20\n#1002,30\n"), "50")
        self.assertEqual(self.result("sum", "-", "--column", 2, stdin=b"#a\tb\n1\t20\n"), "20")

    def test_comments(self):
        for text in ("1#2\n2\n", "1.#INF\n2\n", "3#\n"):
            self.refused(text, "line 1, column 1")
        self.refused("2\n1#2\n", "line 2, column 1", "a comment needs a blank before it")
        self.refused("2\n-1.#INF\n", "write inf or nan")
        self.assertEqual(self.result("sum", "-", stdin=b"# a, b\n1 # c\n#5\n2\t#\n  # d\n"), "3")
        # In front of a table comments are told from rows, between its rows they are not.
        head = b"# made by hand, in May\n##\n#\n#! x\n"
        self.assertEqual(self.result("sum", "-", "--column", "b", stdin=head + b"a,b\n1,2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--csv", "--column", "b", stdin=head + b"a,b\n1,2\n"), "2")
        for text, options in (("a,b\n1,2\n# end\n", ["--column", 1]), ("a,b\n1,2\n#end\n", ["--column", 2]), ("a,b\n# x, y, z\n1,2\n", ["--column", 2]),
                              ("#made by hand\na,b\n1,2\n", ["--column", 2]), ("a,b\n1,2\n# end, x\n", ["--column", 2])):
            self.refused(text, "--comment '#'", options=options)
            self.assertEqual(self.result("sum", "-", *options, "--comment", "#", stdin=text.encode()), str(options[1]))
        self.assertIn("--comment '#'", self.error(2, "sum", "-", "--column", "b", stdin=b"#made by hand\na,b\n1,2\n"))
        self.refused("a;b\n1;2 # c\n", "line of its own", options=["--column", 2, "--comment", "#"])

    def test_line_ends(self):
        for end in (b"\r", b"\n", b"\r\n", b"\r\r\n", b"\n\r", b"\r\r"):
            text = end.join([b"a,b", b"1,2", b'3,"x\ry"', b"5,6", b""])
            self.assertEqual(self.result("sum", "-", "--csv", "--column", "a", stdin=text), "9", end)
            self.assertEqual(self.result("sum", "-", "--csv", "--column", "a", stdin=text.removesuffix(end)), "9", end)
        self.assertEqual(self.result("sum", "-", stdin=b"1\n2\r3\r\n4\r"), "10")
        self.assertEqual(self.result("sum", "-", stdin=b"# c\r1 # d\r2\r"), "3")
        self.refused("a,b\r1,2\r\r3,x\r", "line 4, column 2", options=["--column", "b"])
        self.refused("1\n2\r\n3\rx\n", "line 4, column 1")
        keys = self.json("sum", "-", "--column", 2, "--by", "1", stdin=b'k,v\r"x\ry",1\r"x\ny",2\r')
        self.assertEqual([row["key"] for row in keys["results"]], ["x\ry", "x\ny"])
        many = b"v,w\r" + b"".join(b"%d,x\r" % i for i in range(200_000))
        self.assertEqual(self.result("sum", self.write("mac.csv", many), "--column", "v", "--threads", 2), str(sum(range(200_000))))
        self.assertIn("line 200002,", self.error(1, "sum", self.write("mac.csv", many + b"y,x\r"), "--column", "v", "--threads", 2))

    def test_other_kinds_of_files(self):
        numbers = numpy.random.default_rng(1)
        kinds = {b"PAR1\x15\x04": "Parquet", b"\x89HDF\r\n\x1a\n": "HDF5", b"PK\x03\x04": "ZIP", b"\x89PNG\r\n": "PNG", b"\xff\xd8\xff": "JPEG",
                 b"GIF89a": "GIF", b"%PDF-1.4": "PDF", b"\x7fELF": "program", b"SQLite format 3\0": "SQLite", b"ARROW1\0\0": "Arrow",
                 b"FEA1\0": "Feather", b"CDF\x01": "NetCDF", b"MATLAB 5.0 MAT-file": "MATLAB", b"SIMPLE  =": "FITS", b"\x80\x04\x95": "pickle",
                 b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "Excel", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"Rar!\x1a\x07": "RAR", b"\xff\xfe1\0": "UTF-16"}
        for begin, name in kinds.items():
            self.refused(begin + numbers.bytes(1000), name)
        self.refused("1\n2\n".encode("utf-16-le"), "UTF-16 without a byte order mark", "UTF-8")
        self.refused("1\n2\n".encode("utf-16-be"), "UTF-16 without a byte order mark", "UTF-8")
        self.refused("1\n2\n".encode("utf-32"), "UTF-32")
        for size in (60, 1000, 100_000):
            self.refused(numbers.bytes(size).replace(b"\0", b"\1"), "is this a text?")
        self.refused(b"\x0001\n", "NUL")
        self.refused(b"1\n" * 5000 + b"\0\n", "line 5001", "NUL")
        self.refused(b"v,\0w\n1,2\n", "line 1", "NUL", options=["--column", "v"])
        self.refused(b"a,b\n" + b"1,2\n" * 5000 + b"3,x\0\n", "line 5002", "NUL", options=["--column", 1])
        self.refused("\n1\u00012\n", "control character", '"\\x01"')
        self.assertEqual(self.result("sum", "-", "--separator", "\x01", "--column", 2, stdin=b"1\x012\n"), "2")
        self.assertEqual(self.result("sum", "-", "--column", "PAR2", stdin=b"PAR1,PAR2\n1,2\n"), "2")

    def test_json_and_html(self):
        for text in ('{"a":1}\n', '{\n "a": 1\n}\n', "[1,2,3]\n", "[\n  1,\n  2\n]\n", '[{"a":1},{"a":2}]', ' \n{"a":1}\n{"a":2}\n', "[]", "{}", "\ufeff[null,1]"):
            self.refused(text, "is JSON", "CSV")
            self.refused(text, "is JSON", "CSV", options=["--csv", "--column", 1])
        for text in ("<!DOCTYPE html>\n<p>1", "<html>\n1\n", '<?xml version="1.0"?>', "\n <table><tr><td>1", "</p>", "<!-- x -->"):
            self.refused(text, "is HTML or XML", "CSV")
        self.assertEqual(self.result("sum", "-", "--column", 2, stdin=b"<DATE>,<OPEN>\n20200101,2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--column", "[b]", stdin=b"[a],[b]\n1,2\n"), "2")
        self.assertEqual(self.result("sum", "-", "--skip-missing", stdin=b"<NA>\n2\n"), "2")

    def test_the_cure_is_the_right_one(self):
        self.refused("a,b\n1,2,\n", "ends with a separator", options=["--column", 1])
        self.refused("a,b\n1,2,,\n", "ends with a separator", options=["--column", 1])
        self.refused("a,b\n1,2,3\n", "quote fields", options=["--column", 1])
        self.refused("a b\n1 2 3\n", "blanks", options=["--column", 1])
        self.assertIn("--column", self.error(1, "mean", "-", stdin=b"a,b\n1,2\n"))
        self.refused("a,b\n1,\n", "--skip-missing", options=["--column", 2])
        self.refused("a,b\n1\n", "--skip-missing", options=["--column", 2])
        self.refused("1.5\n", "--input-type", options=["--input-type", "int8"])
        self.refused("300\n", "--input-type", options=["--input-type", "int8"])

    def test_names_are_escaped(self):
        name = b"pri\x1bce\xff"
        path = self.write("x.csv", name + b",b\n" + b",2\n" * 64)
        for arguments in (["sum", path, "--column", 1], ["min", path, "--each-column", "--skip-missing"]):
            self.assertIn("pri\\x1bce\\xff", self.error(1, *arguments))
        self.assertIn("pri\\x1bce\\xff", self.error(2, "sum", path, "--column", "prix"))
        other = self.write("y.csv", b"a,b\n1,2\n")
        self.assertIn("pri\\x1bce\\xff", self.error(1, "sum", other, path, "--each-column", "--skip-missing"))


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
