"""Results of the command against exact rational arithmetic."""
import math
import unittest
from fractions import Fraction

import numpy

from command import CommandTest


def exactly(array):
    """The elements as fractions, in the order of memory."""
    return [Fraction(float(x)) for x in array.ravel(order="K")]


def rounded_root(square):
    """The double nearest to the square root of a fraction."""
    guess = math.sqrt(square)
    near = [guess, math.nextafter(guess, 0), math.nextafter(guess, math.inf)]
    # The root lies between two neighbours; their midpoint decides, compared by its square.
    near.sort()
    for low, high in zip(near, near[1:]):
        middle = (Fraction(low) + Fraction(high)) / 2
        if Fraction(low) ** 2 <= square < Fraction(high) ** 2:
            return low if square < middle ** 2 else high
    return guess


def wide(count, dtype, seed):
    """Values of very different sizes, and of both signs."""
    generator = numpy.random.default_rng(seed)
    exponents = {numpy.float16: 8, numpy.float32: 60, numpy.float64: 500}[dtype]
    values = generator.standard_normal(count) * numpy.exp2(generator.uniform(-exponents, exponents, count))
    return values.astype(dtype)


class Results(CommandTest):
    def test_twenty_million_tenths(self):
        path = self.save("tenths.npy", numpy.full(20_000_000, 0.1, numpy.float32))
        for target in self.targets():
            for threads in (1, 2):
                choice = ("--threads", threads, "--target", target)
                self.assertEqual(self.result("sum", path, *choice), "2000000.0298023224")
                report = self.json("sum", path, *choice)
                self.assertEqual(
                    (report["result"], report["threads"], report["target"]), (2000000.0298023224, threads, target)
                )

    def test_every_operation_against_fractions(self):
        for dtype in (numpy.float16, numpy.float32, numpy.float64):
            for count in (1, 2, 17, 1000):
                array = wide(count, dtype, count)
                path = self.save("x.npy", array)
                x = exactly(array)
                total = sum(x)
                mean = total / count
                expected = {
                    "min": float(array.min()),
                    "max": float(array.max()),
                    "range": float(max(x) - min(x)),
                    "sum": math.fsum(array),
                    "mean": float(mean),
                    "std": rounded_root(sum((v - mean) ** 2 for v in x) / count),
                    "variance": float(sum((v - mean) ** 2 for v in x) / count),
                    "abs-sum": math.fsum(abs(array)),
                    "norm": rounded_root(sum(v * v for v in x)),
                }
                self.assertEqual(self.json("stats", path)["result"], expected, (dtype, count))
                expected["rms"] = rounded_root(sum(v * v for v in x) / count)
                for operation, value in expected.items():
                    self.assertEqual(float(self.result(operation, path)), value, (operation, dtype, count))

    def test_dot_and_weighted_mean(self):
        for dtype in (numpy.float16, numpy.float32, numpy.float64):
            a, b = wide(1000, dtype, 1), wide(1000, dtype, 2)
            x, y = self.save("x.npy", a), self.save("y.npy", b)
            products = sum(p * q for p, q in zip(exactly(a), exactly(b)))
            self.assertEqual(float(self.result("dot", x, y)), float(products))
            self.assertEqual(float(self.result("mean", x, "--weights", y)), float(products / sum(exactly(b))))

    def test_ddof(self):
        path = self.save("x.npy", numpy.array([1.0, 2.0, 4.0]))
        self.assertEqual(self.result("variance", path, "--ddof", 1), repr(7 / 3))
        self.assertEqual(self.json("stats", path, "--ddof", 1)["result"]["variance"], 7 / 3)

    def test_rounds_once_to_the_output_type(self):
        # Rounded to double first, the last term would be lost, and what is left is a tie that goes to 1.
        array = numpy.array([1.0, 2.0**-24, 2.0**-80])
        path = self.save("x.npy", array)
        self.assertEqual(self.result("sum", path, "--output-type", "float32"), "1.0000001")
        self.assertEqual(self.json("sum", path, "--output-type", "float32")["result"], 1 + 2.0**-23)
        self.assertEqual(self.result("sum", path), "1.0000000596046448")

    def test_shortest_digits_for_sixteen_bits(self):
        path = self.save("x.npy", numpy.array([0.1]))
        self.assertEqual(self.result("sum", path, "--output-type", "float16"), "0.1")
        self.assertEqual(self.result("sum", path, "--output-type", "bfloat16"), "0.1")
        for bits in (1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x5678, 0x8001, 0xFBFF):
            value = numpy.uint16(bits).view(numpy.float16)
            path = self.save("x.npy", numpy.array([value]))
            text = self.result("sum", path, "--output-type", "float16")
            self.assertEqual(numpy.float16(text), value)
            digits = text.split("e")[0].replace(".", "").lstrip("-0")
            self.assertLessEqual(len(digits), 5, text)  # always enough for 11 bits

    def test_formats(self):
        path = self.save("x.npy", numpy.array([0.1, 0.2], numpy.float64))
        self.assertEqual(self.result("sum", path, "--format", "hex"), (0.30000000000000004).hex())
        exact = self.result("sum", path, "--format", "exact")
        self.assertEqual(Fraction(exact), Fraction(0.1) + Fraction(0.2))
        numerator, denominator = self.result("mean", path, "--format", "exact").split(" / ")
        self.assertEqual(Fraction(numerator) / Fraction(denominator), (Fraction(0.1) + Fraction(0.2)) / 2)

    def test_json_has_everything(self):
        path = self.save("x.npy", numpy.ones((2, 3), numpy.float32))
        target = self.targets()[0]
        report = self.json("sum", path, "--threads", 1, "--target", target, "--explain")
        self.assertIn("6 float32", report.pop("plan"))
        self.assertEqual(
            report,
            {
                "operation": "sum",
                "result": 6.0,
                "hex": "0x1.8p+2",
                "count": 6,
                "shape": [2, 3],
                "input_type": "float32",
                "output_type": "float64",
                "accuracy": "exact",
                "threads": 1,
                "target": target,
                "device": "cpu",
                "files": [path],
            },
        )

    def test_specials(self):
        for values, expected in (
            ([numpy.inf, 1], "inf"),
            ([-numpy.inf, 1], "-inf"),
            ([numpy.inf, -numpy.inf], "nan"),
            ([numpy.nan, 1], "nan"),
            ([-0.0, -0.0], "-0"),
            ([], "0"),
            ([1e308, 1e308, -1e308], "1e+308"),
        ):
            path = self.save("x.npy", numpy.array(values, numpy.float64))
            self.assertEqual(self.result("sum", path), expected)
        path = self.save("x.npy", numpy.array([numpy.inf]))
        self.assertEqual(self.json("sum", path)["result"], None)  # JSON has no infinity

    def test_empty_arrays(self):
        path = self.save("x.npy", numpy.ones((0, 5)))
        self.assertEqual(self.result("sum", path), "0")
        for command in ("mean", "min", "stats"):
            self.assertIn("has no elements", self.error(1, command, path))

    def test_fast_is_close(self):
        array = numpy.random.default_rng(3).random(100_000)
        path = self.save("x.npy", array)
        self.assertAlmostEqual(float(self.result("sum", path, "--accuracy", "fast")) / math.fsum(array), 1, 12)
        self.assertEqual(self.json("sum", path, "--accuracy", "fast")["accuracy"], "fast")

    def test_info(self):
        report = self.json("info")
        self.assertCountEqual(report["targets"], self.targets())
        self.assertGreater(report["read_gigabytes_per_second"], 0.1)
        gpus = report["gpus"]
        self.assertIn(f"GPU: {gpus[0]['device']}: {gpus[0]['name']}" if gpus else "GPU: none (", self.result("info"))


if __name__ == "__main__":
    unittest.main()
