"""--by: a result for each group, against Python's csv and fractions."""
import csv
import io
import math
import random
import unittest
from fractions import Fraction

import numpy

from command import CommandTest


def table(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def lines(text):
    return [line.split("\t") for line in text.splitlines()]


class Groups(CommandTest):
    SHOPS = b"shop,price,amount\nnorth,1.5,2\nsouth,2,1\nnorth,2.5,4\n"

    def test_in_order_of_appearance(self):
        path = self.write("x.csv", self.SHOPS)
        self.assertEqual(self.result("sum", path, "--column", "price", "--by", "shop"), "north\t4\nsouth\t2")
        report = self.json("mean", path, "--column", "price", "--by", "shop")
        self.assertEqual(
            [(row["key"], row["result"], row["count"]) for row in report["results"]], [("north", 2, 2), ("south", 2, 1)]
        )
        stats = lines(self.result("stats", path, "--column", "price", "--by", "shop"))
        self.assertEqual(stats[0][:5], ["key", "count", "min", "max", "sum"])
        self.assertEqual(stats[1][:5], ["north", "2", "1.5", "2.5", "4"])

    def test_columns_and_pairs(self):
        path = self.write("x.csv", self.SHOPS)
        self.assertEqual(
            lines(self.result("sum", path, "--column", "price,amount", "--by", "shop")),
            [["north", "price", "4"], ["north", "amount", "6"], ["south", "price", "2"], ["south", "amount", "1"]],
        )
        self.assertEqual(self.result("dot", path, "--column", "price,amount", "--by", "shop"), "north\t13\nsouth\t2")
        weighted = self.result("mean", path, "--column", "price", "--weights-column", "amount", "--by", "shop")
        self.assertEqual(weighted, f"north\t{13 / 6!r}\nsouth\t2")

    def test_random_tables(self):
        for seed in range(10):
            generator = random.Random(seed)
            count, keys = generator.choice([(50, 3), (5000, 100), (30_000, 7000), (30_000, 29_000)])
            rows = [(f"k{generator.randrange(keys)}", generator.uniform(-1, 1) * 2.0 ** generator.randint(-60, 60))
                    for _ in range(count)]
            path = self.write("x.csv", table([("key", "value"), *((k, repr(v)) for k, v in rows)]))
            expected = {}
            for key, value in rows:
                expected.setdefault(key, []).append(value)
            for threads in (1, 2, 7):
                found = lines(self.result("sum", path, "--column", "value", "--by", "key", "--threads", threads))
                self.assertEqual([(k, float(v)) for k, v in found], [(k, math.fsum(v)) for k, v in expected.items()], seed)
            exact = lines(self.result("sum", path, "--column", "value", "--by", "key", "--format", "exact"))
            self.assertEqual([Fraction(v) for _, v in exact], [sum(map(Fraction, v)) for v in expected.values()], seed)

    def test_many_columns_with_gaps(self):
        for seed in range(5):
            generator = random.Random(seed)
            rows = [[generator.choice("abcdefgh"), *(generator.choice(["", repr(generator.random())]) for _ in range(3))]
                    for _ in range(200)]
            path = self.write("x.csv", table([("key", "x", "y", "z"), *rows]))
            expected = {}
            for key, *values in rows:
                for name, value in zip("xyz", values):
                    if value:
                        expected.setdefault((key, name), []).append(float(value))
            found = lines(self.result("sum", path, "--column", "x,y,z", "--by", "key", "--skip-missing", "--sort"))
            self.assertEqual([(k, c, float(v)) for k, c, v in found],
                             [(k, c, math.fsum(v)) for (k, c), v in sorted(expected.items())])

    def test_sorting(self):
        path = self.write("x.csv", b"k,v\n10,1\n9,2\n1e1,4\n-3,8\n")
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "k", "--sort"), "-3\t8\n9\t2\n10\t1\n1e1\t4")
        path = self.write("y.csv", b"k,v\n10,1\n9,2\nx,4\n")
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "k", "--sort"), "10\t1\n9\t2\nx\t4")
        self.assertIn("--by", self.error(2, "sum", path, "--column", "v", "--sort"))

    def test_several_key_columns(self):
        path = self.write("x.csv", b"s,d,v,w\nb,10,1,2\na,2,3,4\nb,9,5,6\na,2,7,8\nb,10,9,10\n")
        expected = "b\t10\t10\na\t2\t10\nb\t9\t5"
        for by in (("--by", "s,d"), ("--by", "s", "--by", "d"), ("--by", "1,2"), ("--by", "s,2")):
            self.assertEqual(self.result("sum", path, "--column", "v", *by), expected)
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "d,s"), "10\tb\t10\n2\ta\t10\n9\tb\t5")
        self.assertEqual(
            self.result("sum", path, "--column", "v,w", "--by", "s,d", "--sort"),
            "a\t2\tv\t10\na\t2\tw\t12\nb\t9\tv\t5\nb\t9\tw\t6\nb\t10\tv\t10\nb\t10\tw\t12",
        )
        report = self.json("sum", path, "--column", "v", "--by", "s,d")
        self.assertEqual([row["keys"] for row in report["results"]], [["b", "10"], ["a", "2"], ["b", "9"]])
        self.assertTrue(all("key" not in row for row in report["results"]))
        stats = lines(self.result("stats", path, "--column", "v", "--by", "s,d"))
        self.assertEqual((stats[0][:4], stats[1][:4]), (["s", "d", "count", "min"], ["b", "10", "2", "1"]))
        path = self.write("y.csv", b"b,10,1\n")
        stats = lines(self.result("stats", path, "--column", 3, "--by", "1,2"))
        self.assertEqual(stats[0][:4], ["1", "2", "count", "min"])

    def test_parts_of_keys_stay_apart(self):
        path = self.write("x.csv", b'k,l,v\na,b c,1\na b,c,2\n"a,",b,4\na,",b",8\n,a,16\na,,32\n"",a,64\n')
        self.assertEqual(
            lines(self.result("sum", path, "--column", "v", "--by", "k,l")),
            [["a", "b c", "1"], ["a b", "c", "2"], ["a,", "b", "4"], ["a", ",b", "8"], ["", "a", "80"], ["a", "", "32"]],
        )

    def test_several_key_columns_of_several_files(self):
        x = self.write("x.csv", b"k,l,v\na,1,1\nb,2,2\n")
        y = self.write("y.csv", b"v,l,k\n10,1,c\n20,1,a\n40,2,a\n")
        self.assertEqual(self.result("sum", x, y, "--column", "v", "--by", "k,l"), "a\t1\t21\nb\t2\t2\nc\t1\t10\na\t2\t40")
        short = self.write("z.csv", b"k,v,l\na,1,2\nb,2\n")
        self.assertIn("line 3, column 3", self.error(1, "sum", short, "--column", "v", "--by", "k,l"))

    def test_keys_that_could_break_the_table(self):
        path = self.write("x.csv", b'k,v\n"a\tb\nc",1\n,2\n"say ""so""",3\n')
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "k"), 'a b c\t1\n\t2\nsay "so"\t3')
        keys = [row["key"] for row in self.json("sum", path, "--column", "v", "--by", "k")["results"]]
        self.assertEqual(keys, ["a\tb\nc", "", 'say "so"'])

    def test_skipped_values(self):
        path = self.write("x.csv", b"k,v\na,1\nb,\na,nan\nc,2\nb,NA\n")
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "k", "--skip-missing"), "a\tnan\nc\t2")
        both = ("--skip-missing", "--skip-nan")
        self.assertEqual(self.result("sum", path, "--column", "v", "--by", "k", *both), "a\t1\nc\t2")
        report = self.json("sum", path, "--column", "v", "--by", "k", *both)
        self.assertEqual((report["skipped_missing"], report["skipped_nan"]), (2, 1))

    def test_several_files(self):
        x, y = self.write("x.csv", b"k,v\na,1\nb,2\n"), self.write("y.csv", b"v,k\n10,c\n20,a\n")
        self.assertEqual(self.result("sum", x, y, "--column", "v", "--by", "k"), "a\t21\nb\t2\nc\t10")

    def test_overflow_names_the_operation(self):
        path = self.write("x.csv", b"k,v\na,18446744073709551615\na,1\n")
        self.assertIn("sum", self.error(1, "sum", path, "--input-type", "uint64", "--column", "v", "--by", "k"))

    def test_mistakes(self):
        path = self.write("x.csv", self.SHOPS)
        self.assertIn("did you mean 'shop'?", self.error(2, "sum", path, "--column", "price", "--by", "shp"))
        self.assertIn("has no column 9", self.error(1, "sum", path, "--column", "price", "--by", 9))
        short = self.write("y.csv", b"v,k\n1,a\n2\n")
        self.assertIn("line 3", self.error(1, "sum", short, "--column", "v", "--by", "k"))
        self.assertIn("one file", self.error(2, "dot", path, path, "--by", "shop"))
        self.assertIn("from texts only", self.error(2, "sum", self.save("x.npy", numpy.ones(3)), "--by", "shop"))


if __name__ == "__main__":
    unittest.main()
