"""Several files as one data set, and integers."""
import math
import unittest
from fractions import Fraction

import numpy

from command import CommandTest


class SeveralFiles(CommandTest):
    def test_are_one_data_set(self):
        generator = numpy.random.default_rng(1)
        arrays = [generator.standard_normal(n) * 2.0**e for n, e in ((10, 0), (5000, 300), (0, 0), (70_000, -300))]
        paths = [self.save(f"x{i}.npy", array) for i, array in enumerate(arrays)]
        whole = numpy.concatenate(arrays)
        self.assertEqual(float(self.result("sum", *paths)), math.fsum(whole))
        mean = float(sum(map(Fraction, whole.tolist())) / whole.size)
        self.assertEqual(float(self.result("mean", *paths, "--threads", 3)), mean)
        report = self.json("max", *paths)
        self.assertEqual((report["result"], report["count"]), (whole.max(), whole.size))
        self.assertEqual(report["files"], paths)
        together = self.save("whole.npy", whole)
        self.assertEqual(self.result("stats", *paths), self.result("stats", together))

    def test_of_several_kinds(self):
        paths = [self.save("x.npy", numpy.array([1.5, 2])), self.write("y.txt", b"10\n"), "-"]
        report = self.json("sum", *paths, stdin=b"0.25")
        self.assertEqual((report["result"], report["count"], report["shape"]), (13.75, 4, [4]))
        single = self.save("z.npy", numpy.array([0.5], numpy.float32))
        report = self.json("sum", paths[0], single)
        self.assertEqual((report["result"], report["input_type"]), (4, ["float64", "float32"]))

    def test_of_several_integer_types(self):
        small, large = self.save("a.npy", numpy.array([-1], numpy.int8)), self.save("b.npy", numpy.array([5], numpy.uint64))
        report = self.json("sum", small, large)
        self.assertEqual((report["result"], report["output_type"]), (4, "int64"))
        self.assertEqual(self.json("max", small, large)["output_type"], "int64")
        mixed = self.json("sum", small, self.save("c.npy", numpy.array([0.5])))
        self.assertEqual((mixed["result"], mixed["output_type"]), (-0.5, "float64"))

    def test_columns_go_by_name(self):
        x, y = self.write("x.csv", b"a,b\n1,2\n"), self.write("y.csv", b"b,a\n20,10\n")
        self.assertEqual(self.result("sum", x, y, "--each-column"), "a\t11\nb\t22")
        self.assertEqual(self.result("sum", x, y, "--column", "b,a"), "b\t22\na\t11")
        # Numbers say where a column stands, whatever it is called.
        self.assertEqual(self.result("sum", x, y, "--column", "1,2"), "a\t21\nb\t12")

    def test_mistakes(self):
        x = self.save("x.npy", numpy.ones(3))
        missing = self.path("missing.npy")
        self.assertIn(f"{missing}: no such file", self.error(1, "sum", x, missing, x))
        a, b = self.write("a.csv", b"a,b\n1,2\n"), self.write("b.csv", b"a,c\n1,2\n")
        self.assertIn("b.csv: the first file has no column 'c'", self.error(1, "sum", a, b, "--each-column"))
        wide = self.write("c.csv", b"a,b,c\n1,2,3\n")
        self.assertIn("c.csv: has 3 columns, the first file has 2", self.error(1, "sum", a, wide, "--each-column"))
        self.assertIn("b.csv", self.error(2, "sum", a, b, "--column", "b"))
        self.assertIn("only once", self.error(2, "sum", "-", "-"))
        self.assertIn("one file", self.error(2, "mean", x, x, "--weights", x))
        bad = self.write("bad.csv", b"a,b\n1,x\n")
        self.assertIn("bad.csv: line 2, column 2", self.error(1, "sum", a, bad, "--column", "b"))


class Integers(CommandTest):
    def test_sums_do_not_end_with_the_type(self):
        for dtype in (numpy.int8, numpy.int16, numpy.int32, numpy.uint8, numpy.uint16, numpy.uint32):
            largest = int(numpy.iinfo(dtype).max)
            path = self.save("x.npy", numpy.full(1000, largest, dtype))
            report = self.json("sum", path)
            self.assertEqual(report["result"], 1000 * largest)
            self.assertEqual(report["output_type"], "int64" if numpy.issubdtype(dtype, numpy.signedinteger) else "uint64")
            if largest < 2**16:
                self.assertEqual(self.json("dot", path, path)["result"], 1000 * largest**2)
            self.assertEqual((self.json("max", path)["result"], self.json("max", path)["output_type"]), (largest, numpy.dtype(dtype).name))

    def check_advice(self, message):
        """It is the command's options that are named, not what a program would write."""
        self.assertIn("--output-type", message)
        self.assertIn("--overflow wrap", message)
        self.assertNotIn("::", message)

    def test_overflow_names_the_operation(self):
        path = self.save("x.npy", numpy.full(2, 2**64 - 1, numpy.uint64))
        self.assertIn("sum", self.error(1, "sum", path))
        self.assertIn("uint64", self.error(1, "sum", path))
        self.check_advice(self.error(1, "sum", path))
        self.check_advice(self.error(1, "sum", path, "--axis", 0))
        infinite = self.error(1, "sum", self.save("z.npy", numpy.array([numpy.inf])), "--output-type", "int64")
        self.assertIn("--output-type", infinite)
        self.assertNotIn("wrap", infinite)
        self.assertEqual(self.result("sum", path, "--overflow", "wrap"), str(2**64 - 2))
        self.assertIn("dot", self.error(1, "dot", path, path))
        self.assertEqual(self.result("sum", path, "--output-type", "float64"), repr(2.0**65))
        self.assertEqual(self.result("mean", path), repr(2.0**64))
        small = self.save("y.npy", numpy.array([200], numpy.uint8))
        self.assertIn("int8", self.error(1, "sum", small, "--output-type", "int8"))

    def test_bool_counts(self):
        array = numpy.random.default_rng(1).random(100_000) < 0.3
        path = self.save("x.npy", array)
        self.assertEqual(self.result("sum", path), str(int(array.sum())))
        self.assertEqual(float(self.result("mean", path)), array.sum() / array.size)
        self.assertEqual(self.result("max", path), "true")
        self.assertEqual(self.json("min", path)["result"], False)

    def test_statistics(self):
        array = numpy.arange(-50, 100, dtype=numpy.int16)
        report = self.json("stats", self.save("x.npy", array))["result"]
        self.assertEqual((report["min"], report["max"], report["sum"], report["abs-sum"]), (-50, 99, int(array.sum()), int(abs(array).sum())))
        self.assertEqual(report["mean"], float(Fraction(int(array.sum()), array.size)))


if __name__ == "__main__":
    unittest.main()
