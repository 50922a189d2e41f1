"""--by: a result for each group, against Python's csv and fractions."""
import csv
import io
import json
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

    def test_an_overflow_names_the_group(self):
        path = self.write("x.csv", b"shop,n,m\nnorth,1,1\nsouth,9223372036854775807,1\nsouth,1,1\n")
        options = ["--column", "n", "--by", "shop", "--input-type", "int64"]
        for form in ([], ["--json"], ["--output-format", "table"]):
            message = self.error(1, "sum", path, *options, *form)
            self.assertIn("x.csv: group 'south', column 'n': sum: the result 9223372036854775808 does not fit int64; give a "
                          "floating-point --output-type, --overflow wrap, or --format exact for all digits", message)
        self.assertEqual(self.result("sum", path, *options, "--format", "exact"), "north\t1\nsouth\t9223372036854775808")
        self.assertEqual(self.result("sum", path, *options, "--overflow", "wrap"), "north\t1\nsouth\t-9223372036854775808")
        message = self.error(1, "sum", path, "--column", "m,n", "--by", "shop,m", "--input-type", "int64")
        self.assertIn("group 'south', '1', column 'n': ", message)
        message = self.error(1, "sum", "-", "--column", "n", "--by", "k", "--output-type", "int8", stdin=b"k,n\na,1\nb,1.5\n")
        self.assertIn("group 'b', column 'n': sum: the result 1.5 does not fit int8: it is not a whole number; give a floating-point", message)

    def test_reports_of_many_rows_are_what_json_is_as_a_whole(self):
        """Their rows are printed one by one."""
        rows = [(f"k{i} \"\n\u00e9", i / 4) for i in range(300)]
        path = self.write("x.csv", table([("key", "value"), *rows]))
        text = self.result("stats", path, "--column", "value", "--by", "key", "--json")
        report = json.loads(text)
        self.assertEqual(text, json.dumps(report, indent=2, ensure_ascii=False))
        self.assertEqual([row["key"] for row in report["results"]], [key for key, _ in rows])
        self.assertEqual([row["result"]["sum"] for row in report["results"]], [value for _, value in rows])
        lines_of_table = self.result("sum", path, "--column", "value", "--by", "key", "--output-format", "table").splitlines()
        self.assertEqual(len({len(line) for line in lines_of_table}), 1)
        empty = self.run_command("sum", "-", "--column", "value", "--by", "key", "--json", stdin=b"key,value\n")
        self.assertEqual(json.loads(empty.stdout)["results"], [])

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

    def test_values_of_any_magnitude(self):
        # Windows of 128 and 256 bits hold ordinary sums; these need more.
        values = {
            "cancels": [1e308, 1.0, 2.0**-1074, -1e308],
            "huge": [1e16] * 3 + [0.1] * 40 + [1e300, -1e300],
            "subnormal": [2.0**-1074] * 7 + [2.0**-1060, -(2.0**-1030)],
            "near 2^63": [2.0**63, -(2.0**63) + 1024, 0.5],
            "overflows": [1.7976931348623157e308] * 2,
            "only -0": [-0.0] * 3,
            "zeros": [-0.0, 0.0],
            "nan": [1.0, math.nan, 2.0],
            "inf": [math.inf, 5.0],
            "inf - inf": [math.inf, -math.inf],
            "outlier": [random.Random(3).uniform(0, 1) for _ in range(100)] + [1e200],
        }
        rows = [(key, repr(value)) for key, group in values.items() for value in group]
        random.Random(4).shuffle(rows)
        path = self.write("x.csv", table([("k", "v"), *rows]))

        def correct(group):
            specials = [v for v in group if not math.isfinite(v)]
            if specials:
                return sum(specials)
            if all(v == 0 and math.copysign(1, v) < 0 for v in group):
                return -0.0
            total = sum(map(Fraction, group))
            return float(total) if abs(total) < 2**1024 else math.inf

        for threads in (1, 3):
            options = ("--column", "v", "--by", "k", "--threads", threads)
            sums = {k: float(v) for k, v in lines(self.result("sum", path, *options))}
            self.assertEqual({k: repr(v) for k, v in sums.items()}, {k: repr(correct(g)) for k, g in values.items()})
            found = lines(self.result("stats", path, *options))
            columns = {name: i for i, name in enumerate(found[0])}
            for row in found[1:]:
                group = values[row[0]]
                self.assertEqual(int(row[columns["count"]]), len(group))
                if all(map(math.isfinite, group)):
                    self.assertEqual(float(row[columns["min"]]), min(group))
                    squares = sum(Fraction(v) ** 2 for v in group)
                    mean = sum(map(Fraction, group)) / len(group)
                    if squares < 2**1000:
                        self.assertEqual(float(row[columns["variance"]]), float(squares / len(group) - mean**2), row)

    def test_integers_near_the_limits(self):
        generator = random.Random(5)
        rows = [(generator.randrange(50), generator.choice([2**63 - 1, -(2**63), 1, -1, generator.randrange(10**18)]))
                for _ in range(2000)]
        expected = {}
        for key, value in rows:
            expected[str(key)] = expected.get(str(key), 0) + value
        path = self.write("x.csv", table([("k", "v"), *rows]))
        found = self.result("sum", path, "--column", "v", "--by", "k", "--input-type", "int64", "--format", "exact",
                            "--output-type", "float64")
        self.assertEqual({k: int(v) for k, v in lines(found)}, expected)

    def test_hundred_thousand_groups(self):
        generator = random.Random(6)
        keys = [f"key number {generator.randrange(100_000)}" for _ in range(200_000)]
        rows = [(key, generator.randrange(10**6) / 100) for key in keys]
        paths = [self.write(f"{i}.csv", table([("k", "v"), *rows[i::2]])) for i in range(2)]
        expected = {}
        for key, value in rows[::2] + rows[1::2]:
            expected.setdefault(key, []).append(value)
        for threads in (1, 4):
            found = lines(self.result("mean", *paths, "--column", "v", "--by", "k", "--threads", threads))
            self.assertEqual([k for k, _ in found], list(expected))
            self.assertTrue(all(float(v) == float(sum(map(Fraction, g)) / len(g))
                                for (_, v), g in zip(found[::97], list(expected.values())[::97])))

    def test_memory_of_many_keys(self):
        """Beyond the keys: at most 200 bytes for each, with what is printed."""
        self.skip_with_a_sanitizer()
        keys = 200_000
        few, many = (self.write(f"{count}.csv", table([("k", "v"), *((i % count, "0.25") for i in range(keys))]))
                     for count in (10, keys))
        for command, bytes_a_key in (("sum", 110), ("stats", 200)):
            for form in ([], ["--json"], ["--output-format", "table"]):
                options = (command, "--column", "v", "--by", "k", "--threads", 2, *form)
                spent = self.peak([*options, many]) - self.peak([*options, few])
                self.assertLess(spent, keys * (bytes_a_key + 6), options)

    def test_memory_of_many_columns(self):
        self.skip_with_a_sanitizer()
        path = self.path("wide.csv")
        with open(path, "w") as file:
            for row in range(3):
                print(*(f"{row}.{i % 10}" for i in range(520_000)), sep=",", file=file)
        self.assertLess(self.peak(["sum", path, "--each-column", "--header", "no"]), 200_000_000)
        self.assertLess(self.peak(["stats", path, "--each-column", "--header", "no"]), 220_000_000)

    def test_a_limit_of_keys(self):
        path = self.write("x.csv", table([("k", "v"), *((i, 1) for i in range(2000))]))
        options = ("sum", path, "--column", "v", "--by", "k")
        self.assertIn("x.csv: line 1001, column 1", self.error(1, *options, "--allow-keys", 999, "--threads", 1))
        self.assertIn("--allow-keys", self.error(1, *options, "--allow-keys", 999))
        self.assertEqual(self.result(*options, "--allow-keys", 2000).count("\n"), 1999)
        self.assertIn("--allow-keys", self.error(2, *options, "--allow-keys", 0))

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
        self.assertIn("is an array, whose columns have no names", self.error(2, "sum", self.save("x.npy", numpy.ones(3)), "--by", "shop"))


if __name__ == "__main__":
    unittest.main()
