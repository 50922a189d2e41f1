"""trapezoid and simpson: integrals of samples in files, beside fractions, and what is refused."""
import unittest
from fractions import Fraction

import numpy

from command import CommandTest


def by_trapezoids(y, x):
    """Of floats, without any rounding."""
    pairs = list(zip(map(Fraction, map(float, x)), map(Fraction, map(float, y))))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(pairs, pairs[1:]))


class IntegralsOfSamples(CommandTest):
    def test_trapezoids_are_rounded_once(self):
        random = numpy.random.default_rng(1)
        for n in (2, 3, 1000, 70001):
            y = random.normal(size=n) * 2.0 ** random.integers(-40, 40, size=n)
            x = numpy.sort(random.uniform(size=n))
            expected = float(by_trapezoids(y, x))
            y_path, x_path = self.save("y.npy", y), self.save("x.npy", x)
            self.assertEqual(float(self.result("trapezoid", y_path, x_path)), expected)
            self.assertEqual(float(self.result("trapezoid", y_path, x_path, "--threads", 1)), expected)
            expected = float(by_trapezoids(y, range(n)) * Fraction(0.1))
            self.assertEqual(float(self.result("trapezoid", y_path, "--dx", 0.1)), expected)

    def test_parabolas_are_exact_for_cubics(self):
        x = numpy.array([0, 1, 2, 3, 4], dtype=numpy.float32)
        path = self.save("y.npy", x**3)
        self.assertEqual(self.result("simpson", path), "64")
        self.assertEqual(self.result("simpson", path, self.save("x.npy", x)), "64")
        self.assertEqual(self.result("simpson", path, "--dx", -2), "-128")

    def test_columns_of_a_text(self):
        path = self.write("table.csv", b"time,speed\n0,1\n1,3\n3,5\n")
        self.assertEqual(self.result("trapezoid", path, "--column", "speed,time"), "10")
        self.assertEqual(self.result("trapezoid", path, "--column", "speed"), "6")
        self.assertEqual(self.result("trapezoid", "-", stdin=b"1\n3\n5\n"), "6")
        gaps = self.write("gaps.csv", b"time,speed\n0,1\n1,\n2,\n3,5\n")
        self.assertIn("gaps.csv: line 3, column 2", self.error(1, "trapezoid", gaps, "--column", "speed,time"))
        found = self.json("trapezoid", gaps, "--column", "speed,time", "--skip-missing")
        self.assertEqual((found["result"], found["skipped_missing"], found["shape"]), (9, 2, [2]))
        self.assertIn("close the gaps", self.error(2, "trapezoid", gaps, "--column", "speed", "--skip-missing"))

    def test_integrals_up_to_each_sample(self):
        y = numpy.random.default_rng(2).normal(size=201)
        path, target = self.save("y.npy", y), self.path("out.npy")
        self.assertEqual(self.result("trapezoid", path, "--dx", 0.5, "-o", target), "")
        expected = [float(by_trapezoids(y[:i], range(i)) / 2) for i in range(1, len(y) + 1)]
        numpy.testing.assert_array_equal(numpy.load(target), expected)
        places = numpy.sort(numpy.random.default_rng(3).integers(0, 10**6, size=201)).astype(float)
        found = self.json("trapezoid", path, self.save("x.npy", places), "-o", target)
        expected = [float(by_trapezoids(y[:i], places[:i])) for i in range(1, len(y) + 1)]
        numpy.testing.assert_array_equal(numpy.load(target), expected)
        self.assertEqual((found["output"], found["output_type"], found["shape"]), (target, "float64", [201]))

    def test_few_samples(self):
        for n, expected in ((0, "0"), (1, "0"), (2, "1")):
            path = self.save("few.npy", numpy.ones(n))
            for rule in ("trapezoid", "simpson"):
                self.assertEqual(self.result(rule, path), expected)
            self.result("trapezoid", path, "-o", self.path("out.npy"))
            self.assertEqual(len(numpy.load(self.path("out.npy"))), n)

    def test_json_and_formats(self):
        path = self.save("y.npy", numpy.array([0.1, 0.2]))
        self.assertEqual(self.result("trapezoid", path, "--format", "hex"), float((Fraction(0.1) + Fraction(0.2)) / 2).hex())
        found = self.json("simpson", path, "--dx", 3)
        self.assertEqual((found["operation"], found["dx"], found["input_type"]), ("simpson", 3, "float64"))
        self.assertEqual(float.fromhex(found["hex"]), found["result"])
        self.assertEqual(self.json("trapezoid", self.save("y.npy", numpy.array([1, numpy.inf])))["hex"], "inf")

    def test_what_is_refused(self):
        y = self.save("y.npy", numpy.ones(3))
        self.assertIn("leave X or --dx out", self.error(2, "trapezoid", y, y, "--dx", 1))
        self.assertIn("'0.x' is no distance", self.error(2, "trapezoid", y, "--dx", "0.x"))
        self.assertIn("'inf' is no distance", self.error(2, "trapezoid", y, "--dx", "inf"))
        self.assertIn("unknown option '--output'", self.error(2, "simpson", y, "--output", self.path("o.npy")))
        self.assertIn("runs on the CPU", self.error(2, "simpson", y, "--device", "cuda"))
        self.assertIn("--format exact", self.error(2, "simpson", y, "--format", "exact"))
        self.assertIn("samples lie along one", self.error(1, "trapezoid", self.save("m.npy", numpy.ones((2, 3)))))
        self.assertIn("simpson: ", self.error(1, "simpson", y, y))
        self.error(1, "trapezoid", y, self.save("short.npy", numpy.ones(2)))
        self.error(1, "trapezoid", self.path("nowhere.npy"))


if __name__ == "__main__":
    unittest.main()
