"""median, quantile and histogram: beside fractions, and beside NumPy."""
import math
import subprocess
import unittest
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest

INF = math.inf
QUANTILES = ["0", "0.1", "0.25", "0.3333333333333333", "0.5", ".75", "0.9", "0.999999999999999999", "1.0"]


def quantile(values, q):
    """The number that lies at q on the line through the sorted values, rounded once; q is the decimal."""
    values = sorted(values)
    place = Fraction(q) * (len(values) - 1)
    below = math.floor(place)
    rest = place - below
    low = values[below]
    high = values[below + 1] if rest else low
    if low == high:
        return float(low)
    if not (math.isfinite(low) and math.isfinite(high)):
        return float(low) + float(high)  # an infinity, or NaN between both
    return float(Fraction(low) * (1 - rest) + Fraction(high) * rest)


def some(random, dtype, n):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        return (random.normal(size=n) * 2.0 ** random.integers(-10, 10, size=n)).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, size=n).astype(bool)
    limits = numpy.iinfo(dtype)
    return random.integers(limits.min, limits.max, size=n, dtype=dtype, endpoint=True)


class Quantiles(CommandTest):
    def quantiles(self, *arguments):
        lines = self.result("quantile", *arguments, "--q", ",".join(QUANTILES)).split("\n")
        self.assertEqual([line.split("\t")[0] for line in lines], QUANTILES)
        return [float(line.split("\t")[1]) for line in lines]

    def test_every_type_and_size(self):
        random = numpy.random.default_rng(1)
        for i, dtype in enumerate(("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")):
            for n in (1, 2, 3, [10, 11, 1000, 4097][i % 4]):
                x = some(random, dtype, n)
                values = x.astype(float).tolist() if x.dtype.kind == "f" else list(map(int, x.tolist()))
                path = self.save("x.npy", x)
                with self.subTest(dtype=dtype, n=n):
                    self.assertEqual(self.quantiles(path), [quantile(values, q) for q in QUANTILES])
            self.assertEqual(float(self.result("median", path)), quantile(values, "0.5"))

    def test_numpy_agrees_but_for_rounding(self):
        x = numpy.random.default_rng(2).normal(size=100_001)
        path = self.save("x.npy", x)
        self.assertEqual(float(self.result("median", path)), numpy.median(x))
        found = numpy.array(self.quantiles(path))
        numpy.testing.assert_allclose(found, numpy.quantile(x, list(map(float, QUANTILES))), rtol=1e-13)

    def test_extremes(self):
        for values in ([1e308, 1.7e308], [-1.7e308, 1.7e308], [5e-324, 1e-323], [5e-324, 0.0], [INF, 1.0], [-INF, INF], [INF, INF],
                       [-INF, -INF, 3.0], [1.0, 1.0 + 2.0**-52], [INF, 2.0, -INF]):
            path = self.save("x.npy", numpy.array(values))
            for found, q in zip(self.quantiles(path), QUANTILES):
                expected = quantile(values, q)
                self.assertTrue(found == expected or (math.isnan(found) and math.isnan(expected)), (values, q, found, expected))
        self.assertEqual(self.result("median", self.save("x.npy", numpy.array([-0.0, -0.0, 0.0]))), "-0")
        self.assertEqual(self.result("quantile", self.path("x.npy"), "--q", 1), "0")

    def test_a_decimal_is_what_it_says(self):
        # 0.1 is a little more than 1/10 as a double: that would reach for the infinity.
        path = self.save("x.npy", numpy.array([1.0, 2] + [INF] * 9))
        self.assertEqual(self.result("quantile", path, "--q", "0.1"), "2")
        self.assertEqual(self.result("quantile", path, "--q", "0.100000000000000001"), "inf")

    def test_integers_beyond_doubles(self):
        path = self.save("x.npy", numpy.array([2**63 - 1, 2**63 - 3, 2**63 - 2]))
        self.assertEqual(self.result("median", path, "--format", "exact"), str(2**63 - 2))
        path = self.save("x.npy", numpy.array([2**64 - 1, 2**64 - 4], "u8"))
        self.assertEqual(eval(self.result("median", path, "--format", "exact").replace("/", "//")), (2**65 - 5) // 2)
        self.assertEqual(float(self.result("median", path)), float(Fraction(2**65 - 5, 2)))

    def test_nan(self):
        path = self.save("x.npy", numpy.array([1, math.nan, 3]))
        self.assertEqual(self.result("median", path), "nan")
        self.assertEqual(self.result("quantile", path, "--q", "0,1"), "0\tnan\n1\tnan")
        self.assertEqual(self.result("median", path, "--skip-nan"), "2")
        found = self.json("median", path, "--skip-nan")
        self.assertEqual((found["result"], found["count"], found["skipped_nan"]), (2, 2, 1))
        self.assertIsNone(self.json("median", path)["result"])
        gone = self.save("gone.npy", numpy.array([math.nan]))
        self.assertIn("there is no median", self.error(1, "median", gone, "--skip-nan"))

    def test_texts(self):
        table = self.write("t.csv", b"name,a,b\nx,1,10\ny,2,\nz,4,30\n")
        self.assertEqual(self.result("median", table, "--column", "a"), "2")
        self.assertEqual(self.result("median", table, "--column", "a,b", "--skip-missing"), "a\t2\nb\t20")
        self.assertEqual(self.result("quantile", table, "--column", "a,b", "--skip-missing", "--q", "0,0.5"),
                         "column\t0\t0.5\na\t1\t2\nb\t10\t20")
        self.assertIn("line 3, column 3", self.error(1, "median", table, "--column", "b"))
        numbers = self.write("n.csv", b"a,b\n1,2\n3,4\n")
        self.assertEqual(self.result("median", numbers, "--each-column"), "a\t2\nb\t3")
        self.assertEqual(self.result("median", "-", stdin=b"3\n1\n2\n"), "2")
        found = self.json("quantile", numbers, "--each-column", "--q", "0.5,1")
        self.assertEqual([(r["column"], r["q"], r["result"]) for r in found["results"]],
                         [("a", 0.5, 2), ("a", 1, 3), ("b", 0.5, 3), ("b", 1, 4)])
        self.assertEqual(self.result("quantile", "-", "--q", "0.5", "--output-format", "csv", stdin=b"3\n1\n"), "q,quantile\n0.5,2")
        large = self.path("large.txt")
        values = numpy.random.default_rng(3).normal(size=200_001)
        numpy.savetxt(large, values, fmt="%r")
        for threads in (1, 3):
            self.assertEqual(float(self.result("median", large, "--threads", threads)), float(numpy.median(values)))

    def test_several_files_are_one_data_set(self):
        a, b = self.save("a.npy", numpy.array([1, 5, 2**53 + 1])), self.save("b.npy", numpy.array([2, 3], "u8"))
        self.assertEqual(self.result("median", a, b), "3")
        text = self.write("c.txt", b"2.5\n")
        self.assertEqual(self.result("median", b, text), "2.5")
        self.assertIn(f"{2**53 + 1} is no float64", self.error(1, "median", text, a))
        big = self.save("big.npy", numpy.array([2**64 - 1], "u8"))
        self.assertIn(f"{2**64 - 1} is no int64", self.error(1, "median", a, big))

    def test_mistakes(self):
        path = self.save("x.npy", numpy.ones(3))
        for q in ("1.5", "-0.1", "half", ".", "0.1234567890123456789", "1e-3", "0..5"):
            self.assertIn("is not a decimal from 0 to 1", self.error(2, "quantile", path, f"--q={q}"))
        for command in ("median", "quantile", "histogram"):
            for arguments in (("--accuracy", "fast"), ("--device", "cuda"), ("--output-format", "npy")):
                self.error(2, command, path, *arguments)
            self.assertIn("has no elements", self.error(1, command, self.save("none.npy", numpy.ones(0))))
            self.assertIn("nowhere", self.error(1, command, self.path("nowhere.npy")))
        self.assertIn("unknown option '--q'", self.error(2, "median", path, "--q", "0.5"))
        self.assertEqual(self.result("quantile", path).split("\n"), [f"{q}\t1" for q in ("0", "0.25", "0.5", "0.75", "1")])

    def test_more_than_fits(self):
        self.skip_with_a_sanitizer()
        path = self.save("large.npy", numpy.zeros(40_000_000, "i1"))  # 320 MB as numbers to be put in order
        text = f"yes 1 | head -n 40000000 | '{COMMAND}' median -"
        for command in (f"'{COMMAND}' median '{path}'", text):
            done = subprocess.run(["bash", "-c", f"ulimit -v 500000; {command}"], capture_output=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (1, b""), done)
            self.assertRegex(done.stderr, b"median needs (more than )?[0-9.]+ MB of memory, 8 bytes for each number")
            self.assertEqual(done.stderr.count(b"\n"), 1)


class Histograms(CommandTest):
    def bins(self, *arguments):
        lines = [line.split("\t") for line in self.result("histogram", *arguments).split("\n")]
        self.assertEqual(lines[0], ["from", "to", "count"])
        edges = [float(line[0]) for line in lines[1:]] + [float(lines[-1][1])]
        return edges, [int(line[2]) for line in lines[1:]]

    def expected(self, values, bins, low, high):
        low, high = Fraction(low), Fraction(high)
        if low == high:
            low, high = low - Fraction(1, 2), high + Fraction(1, 2)
        edges = [float(low + (high - low) * i / bins) for i in range(bins + 1)]
        counts = [0] * bins
        for value in values:
            inside = [i for i in range(bins) if edges[i] <= value and (value < edges[i + 1] or i == bins - 1)]
            if low <= value <= high:
                counts[inside[-1] if inside else 0] += 1
        return edges, counts

    def test_every_type(self):
        random = numpy.random.default_rng(4)
        for dtype in ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "?"):
            x = some(random, dtype, 500)
            values = x.astype(float).tolist() if x.dtype.kind == "f" else list(map(int, x.tolist()))
            path = self.save("x.npy", x)
            for bins in (1, 3, 10, 64):
                with self.subTest(dtype=dtype, bins=bins):
                    self.assertEqual(self.bins(path, "--bins", bins), self.expected(values, bins, min(values), max(values)))
            low, high = float(numpy.float32(x.astype(float).min() / 2)), float(x.astype(float).max() / 3)
            if low < high:
                self.assertEqual(self.bins(path, "--range", f"{low!r},{high!r}"), self.expected(values, 10, low, high))

    def test_values_on_edges(self):
        values = [i / 10 for i in range(11)] + [0.1 * 3, 0.1 * 7, math.nextafter(0.3, 0), -0.0]
        path = self.save("x.npy", numpy.array(values))
        edges, counts = self.bins(path)
        self.assertEqual(edges, [i / 10 for i in range(11)])
        self.assertEqual((edges, counts), self.expected(values, 10, 0, 1))
        self.assertEqual(sum(counts), len(values))

    def test_integers_at_the_ends_of_their_type(self):
        values = [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1]
        path = self.save("x.npy", numpy.array(values))
        self.assertEqual(self.bins(path, "--bins", 2), ([-(2.0**63), -0.5, 2.0**63], [2, 3]))
        self.assertEqual(self.bins(path, "--range", "-1e30,1e30", "--bins", 1)[1], [5])
        self.assertEqual(self.bins(path, "--range", "9007199254740992,9007199254740994", "--bins", 2)[1], [0, 1])
        self.assertEqual(self.json("histogram", path, "--range", "1e19,1e20")["below"], 5)
        self.assertEqual(self.json("histogram", path, "--range", "-1e20,-1e19")["above"], 5)
        unsigned = self.save("u.npy", numpy.array([0, 2**64 - 1], "u8"))
        self.assertEqual(self.bins(unsigned, "--bins", 2)[1], [1, 1])
        self.assertEqual(self.bins(unsigned, "--range", "-2,-1", "--bins", 1)[1], [0])
        self.assertEqual(self.bins(unsigned, "--range", "-1,0", "--bins", 1)[1], [1])

    def test_ranges(self):
        x = self.save("x.npy", numpy.array([1.0, 2, 3, INF, -INF]))
        self.assertIn("give --range", self.error(1, "histogram", x))
        found = self.json("histogram", x, "--range", "1,2.5", "--bins", 3)
        self.assertEqual((found["edges"], found["counts"]), ([1, 1.5, 2, 2.5], [1, 0, 1]))
        self.assertEqual((found["below"], found["above"], found["count"]), (1, 2, 5))
        same = self.save("same.npy", numpy.full(4, 7.0))
        self.assertEqual(self.bins(same, "--bins", 2), ([6.5, 7, 7.5], [0, 4]))
        wide = self.save("wide.npy", numpy.array([-1.7e308, 1.7e308]))
        self.assertEqual(self.bins(wide, "--bins", 2), ([-1.7e308, 0, 1.7e308], [1, 1]))
        for text in ("1", "2,1", "a,b", "0,inf", "nan,1", "1,2,3", ","):
            self.assertIn("is no range", self.error(2, "histogram", x, "--range", text))
        for bins in ("0", "-1", "1.5", "99999999999"):
            self.assertIn("is not a whole number", self.error(2, "histogram", x, "--bins", bins))

    def test_nan(self):
        x = self.save("x.npy", numpy.array([1, math.nan, 2]))
        self.assertIn("--skip-nan", self.error(1, "histogram", x))
        self.assertEqual(self.bins(x, "--skip-nan", "--bins", 1), ([1, 2], [2]))

    def test_formats(self):
        x = self.save("x.npy", numpy.array([0.0, 1, 1]))
        self.assertEqual(self.result("histogram", x, "--bins", 2, "--output-format", "csv"), "from,to,count\n0,0.5,1\n0.5,1,2")
        self.assertEqual(self.result("histogram", x, "--bins", 1, "--format", "hex"), "from\tto\tcount\n0x0p+0\t0x1p+0\t3")
        self.assertIn("name one", self.error(2, "histogram", self.write("t.csv", b"a,b\n1,2\n"), "--column", "a,b"))


if __name__ == "__main__":
    unittest.main()
