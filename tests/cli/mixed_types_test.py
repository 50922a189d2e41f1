"""Pairs of different element types in dot, --weights, trapezoid and simpson: beside fractions, which convert nothing."""
import itertools
import math
import unittest
from fractions import Fraction

import numpy

from command import CommandTest

TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
LARGEST = Fraction(math.ldexp(2.0**53 - 1, 971))


def rounded(value):
    """The nearest double; beyond the largest, an infinity."""
    if abs(value) >= LARGEST + Fraction(2) ** 970:
        return math.inf if value > 0 else -math.inf
    return float(value)


def fractions(array):
    return [Fraction(v) for v in (array.astype(float) if array.dtype.kind == "f" else array).tolist()]


def product(x, y):
    """Of two elements: a fraction, or what IEEE 754 makes of special ones."""
    special = [v for v in (x, y) if isinstance(v, float) and not math.isfinite(v)]
    if not special:
        return Fraction(x) * Fraction(y)
    sign = [math.nan if math.isnan(v) else (v > 0) - (v < 0) for v in (x, y)]
    return sign[0] * sign[1] * math.inf  # nan where one is 0 or NaN


def total(terms):
    special = [t for t in terms if isinstance(t, float)]
    return sum(special) if special else sum(terms, Fraction(0))


def any_values(random, dtype, n):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        scale = {2: 6, 4: 60, 8: 500}[dtype.itemsize]
        return (random.normal(size=n) * 2.0 ** random.integers(-scale, scale, size=n)).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, size=n).astype(bool)
    limits = numpy.iinfo(dtype)
    values = random.integers(limits.min, limits.max, size=n, dtype=dtype, endpoint=True)
    values[:2] = limits.min, limits.max
    small = random.integers(0, 2, size=n).astype(bool)
    values[small] //= dtype.type(2) ** dtype.type(random.integers(0, 8 * dtype.itemsize - 1))
    return values


def same(text, expected):
    value = float(text)
    return math.isnan(expected) if math.isnan(value) else value == expected


class Pairs(CommandTest):
    def test_every_pair_of_types(self):
        random = numpy.random.default_rng(38)
        for i, (type_x, type_y) in enumerate(itertools.product(TYPES, TYPES)):
            n = [1, 2, 33, 300][i % 4]
            x, y = any_values(random, type_x, max(n, 2))[:n], any_values(random, type_y, max(n, 2))[:n]
            paths = self.save("x.npy", x), self.save("y.npy", y)
            dot = sum(a * b for a, b in zip(fractions(x), fractions(y)))
            with self.subTest(types=(type_x, type_y)):
                if x.dtype.kind != "f" and y.dtype.kind != "f":
                    self.assertEqual(self.result("dot", *paths, "--format", "exact", "--overflow", "wrap"), str(dot))
                else:
                    self.assertEqual(float(self.result("dot", *paths)), rounded(dot))
                weights = sum(fractions(y))
                found = float(self.result("mean", paths[0], "--weights", paths[1]))
                if weights:
                    self.assertEqual(found, rounded(dot / weights))
                else:
                    self.assertTrue(math.isnan(found))

    def test_adversarial_values(self):
        floats = [0.1, 5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan, -0.0, 0.0, 2.0**-1074 * 7, -1.0, 2.0**53 + 2]
        integers = {
            "i8": [2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 0, 1, -1, -(2**62) - 1, 2**53, 3],
            "u8": [2**64 - 1, 2**63, 2**53 + 1, 0, 1, 2**64 - 2**11 + 1],
        }
        for dtype, values in integers.items():
            for f in floats:
                for group in (values[:4], values[4:], values[:1], values[1:2], values):
                    x, y = numpy.array(group, dtype), numpy.full(len(group), f)
                    paths = self.save("x.npy", x), self.save("y.npy", y)
                    expected = total([product(a, f) for a in group])
                    expected = expected if isinstance(expected, float) else rounded(expected)
                    with self.subTest(integers=group, f=f):
                        for order in (paths, paths[::-1]):
                            found = self.result("dot", *order)
                            self.assertTrue(same(found, expected), (found, expected))

    def test_cancellation_to_the_last_bit(self):
        x = numpy.array([2**63 - 1, -(2**63), 1, 1])
        y = numpy.array([1.0, 1.0, -1.0, 2.0])
        self.assertEqual(self.result("dot", self.save("x.npy", x), self.save("y.npy", y)), "0")
        unsigned = self.save("u.npy", numpy.array([2**64 - 1, 2**64 - 1, 1], "u8"))
        signed = self.save("s.npy", numpy.array([2**63 - 1, -(2**63), 2**63 - 1]))
        exact = (2**64 - 1) * (2**63 - 1) - (2**64 - 1) * 2**63 + 2**63 - 1
        self.assertEqual(self.result("dot", unsigned, signed), str(exact))

    def test_weights_with_infinities(self):
        x = self.save("x.npy", numpy.array([math.inf, 1.0]))
        weights = self.save("w.npy", numpy.array([2**53 + 1, -(2**53)]))  # their sum is 1, not 0
        self.assertEqual(self.result("mean", x, "--weights", weights), "inf")
        opposite = self.save("w.npy", numpy.array([2**53 + 1, -(2**53) - 2]))
        self.assertEqual(self.result("mean", x, "--weights", opposite), "-inf")

    def test_results_have_a_type_that_fits(self):
        paths = {t: self.save(f"{t.replace('?', 'b')}.npy", numpy.ones(3, t)) for t in TYPES}
        for x, y, expected in (("i8", "f4", "float64"), ("f4", "f8", "float64"), ("i4", "u1", "int64"), ("u4", "u8", "uint64"),
                               ("?", "i2", "int64"), ("u8", "i8", "int64"), ("f2", "?", "float64")):
            found = self.json("dot", paths[x], paths[y])
            self.assertEqual((found["output_type"], found["result"], found["count"]), (expected, 3, 3))
            self.assertEqual(found["input_type"], [numpy.dtype(x).name, numpy.dtype(y).name])
        whole = self.save("whole.npy", numpy.full(3, 2.5))
        self.assertIn("not a whole number", self.error(1, "dot", whole, paths["i4"], "--output-type", "int64"))
        self.assertEqual(self.result("dot", paths["f8"], paths["i4"], "--output-type", "int64"), "3")

    def test_any_threads_and_targets(self):
        random = numpy.random.default_rng(5)
        x, y = random.integers(-(2**63), 2**63 - 1, size=300_001), random.normal(size=300_001)
        paths = self.save("x.npy", x), self.save("y.npy", y)
        expected = float(sum(Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), y.tolist())))
        for threads in (1, 2, 3):
            self.assertEqual(float(self.result("dot", *paths, "--threads", threads)), expected)
        for target in self.targets():
            self.assertEqual(float(self.result("dot", *paths, "--target", target)), expected)

    def test_nans_are_skipped_by_pairs(self):
        x = self.save("x.npy", numpy.array([1, 2, 3]))
        y = self.save("y.npy", numpy.array([0.5, math.nan, 2], "f4"))
        self.assertEqual(self.result("dot", x, y), "nan")
        self.assertEqual(self.result("dot", x, y, "--skip-nan"), "6.5")
        self.assertEqual(self.json("mean", x, "--weights", y, "--skip-nan")["skipped_nan"], 1)

    def test_texts_beside_arrays(self):
        text = self.write("x.txt", b"0.5\n2\n")
        exact = float(Fraction(1) + 2 * (2**62 + 1))
        self.assertEqual(float(self.result("dot", text, self.save("y.npy", numpy.array([2, 2**62 + 1])))), exact)
        long = self.save("long.npy", numpy.ones(3, "i4"))
        self.assertIn("ends after 2 elements", self.error(1, "dot", text, long))
        self.assertIn("shapes differ", self.error(1, "dot", self.save("s.npy", numpy.ones(2)), long))


class Samples(CommandTest):
    def integrals(self, y, x=None):
        """What trapezoid prints, writes with -o, and simpson prints."""
        paths = [self.save("y.npy", y)] + ([] if x is None else [self.save("x.npy", x)])
        self.result("trapezoid", *paths, "-o", self.path("running.npy"))
        return float(self.result("trapezoid", *paths)), numpy.load(self.path("running.npy")), float(self.result("simpson", *paths))

    def test_every_type(self):
        random = numpy.random.default_rng(7)
        for i, (type_y, type_x) in enumerate(itertools.product(TYPES, ["i8", "u4", "f8", "f4", None])):
            n = [2, 3, 4, 257, 700][i % 5]
            y, x = any_values(random, type_y, n), None
            places = range(n)
            if type_x:
                x = numpy.sort(any_values(random, type_x, 4 * n))[:: 4] if type_x == "f8" else \
                    numpy.arange(n).astype(type_x) * numpy.dtype(type_x).type(3)
                places = fractions(x)
            exact, running = Fraction(0), [Fraction(0)]
            values = fractions(y)
            for a in range(n - 1):
                dx = places[a + 1] - places[a]
                running.append(running[-1] + Fraction(rounded(dx)) * (values[a] + values[a + 1]) / 2)
                exact += dx * (values[a] + values[a + 1]) / 2
            trapezoid, cumulative, simpson = self.integrals(y, x)
            with self.subTest(types=(type_y, type_x), n=n):
                self.assertEqual(trapezoid, rounded(exact))
                self.assertEqual(cumulative.tolist(), list(map(rounded, running)))
                if n == 3 and type_x != "f8":
                    step = 1 if x is None else 3
                    expected = (values[0] + 4 * values[1] + values[2]) * step / 3
                    self.assertTrue(abs(simpson - expected) <= 1e-15 * sum(map(abs, values)) * step * 3)
                    if x is None:
                        self.assertEqual(simpson, rounded(expected))

    def test_parabolas_of_large_integers_at_equal_distances(self):
        y = numpy.array([2**63 - 1, -(2**63), 2**62 + 1, 2**53 + 1, 3, -(2**63)])
        v = list(map(Fraction, y.tolist()))
        twelfths = 4 * v[0] + 16 * v[1] + 8 * v[2] + 16 * v[3] + 4 * v[4] + (-v[3] + 8 * v[4] + 5 * v[5])
        self.assertEqual(float(self.result("simpson", self.save("y.npy", y))), float(twelfths / 12))

    def test_times_in_nanoseconds(self):
        start = 1_700_000_000_123_456_789
        times = numpy.array([start, start + 1, start + 3, start + 1000])
        y = numpy.array([1, 3, 5, 7], "i2")
        trapezoid, cumulative, simpson = self.integrals(y, times)
        self.assertEqual((trapezoid, cumulative.tolist()), (2 + 8 + 997 * 6, [0, 2, 10, 10 + 997 * 6]))
        seconds = self.save("s.npy", (times - start).astype(float))
        self.assertEqual(simpson, float(self.result("simpson", self.path("y.npy"), seconds)))

    def test_cancellation(self):
        y = numpy.array([2**63 - 1, -(2**63) + 1, 2**63 - 1, -(2**63) + 2])
        self.assertEqual(self.integrals(y)[0], 0.5)
        numpy.testing.assert_array_equal(self.integrals(y)[1], [0, 0, 0, 0.5])


if __name__ == "__main__":
    unittest.main()
