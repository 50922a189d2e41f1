"""matmul: products of matrices, exact and fast, and what is refused."""
import os
import unittest
from fractions import Fraction

import numpy

from command import CommandTest


class Products(CommandTest):
    def product(self, a, b, *arguments):
        target = self.path("c.npy")
        self.assertEqual(self.result("matmul", self.save("a.npy", a), self.save("b.npy", b), "-o", target, *arguments), "")
        return numpy.load(target)

    def test_every_entry_is_rounded_once(self):
        random = numpy.random.default_rng(1)
        for shape in ((3, 5, 4), (20, 70, 17), (1, 9, 1)):
            a = random.normal(size=shape[:2]) * 2.0 ** random.integers(-30, 30, size=shape[:2])
            b = random.normal(size=shape[1:])
            expected = [[float(sum(Fraction(x) * Fraction(y) for x, y in zip(row, column))) for column in b.T] for row in a]
            for threads in (1, 2, 3):
                numpy.testing.assert_array_equal(self.product(a, b, "--threads", threads), expected)

    def test_layouts_types_and_empty_matrices(self):
        a = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        b = numpy.arange(8, dtype=numpy.float32).reshape(4, 2)
        for order in (numpy.ascontiguousarray, numpy.asfortranarray):
            for arguments, dtype in (((), "f4"), (("--output-type", "float64"), "f8"), (("--accuracy", "fast"), "f4")):
                c = self.product(order(a), order(b), *arguments)
                self.assertEqual(c.dtype, dtype)
                numpy.testing.assert_array_equal(c, a @ b)
        numpy.testing.assert_array_equal(self.product(numpy.ones((2, 0)), numpy.ones((0, 3))), numpy.zeros((2, 3)))
        self.assertEqual(self.product(numpy.ones((0, 2)), numpy.ones((2, 3))).shape, (0, 3))

    def test_from_standard_input_and_to_standard_output(self):
        path = self.save("a.npy", numpy.eye(2))
        with open(path, "rb") as file:
            content = file.read()
        done = self.run_command("matmul", "-", path, "-o", "-", stdin=content)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, content, b""))

    def test_json(self):
        path = self.save("a.npy", numpy.eye(3))
        found = self.json("matmul", path, path, "-o", self.path("c.npy"))
        self.assertEqual((found["operation"], found["output_type"], found["shape"]), ("matmul", "float64", [3, 3]))

    def test_refusals(self):
        target = self.path("c.npy")
        two_by_three, whole = self.save("a.npy", numpy.ones((2, 3))), self.save("i.npy", numpy.ones((3, 3), int))
        narrow, cube = self.save("f.npy", numpy.ones((3, 3), "f4")), self.save("c3.npy", numpy.ones((3, 3, 3)))
        for code, message, arguments in (
            (1, "the first needs as many columns as the second has rows", (two_by_three, two_by_three)),
            (1, "they must be of one type", (two_by_three, narrow)),
            (1, "is of int64; products are of float32 and float64", (two_by_three, whole)),
            (1, "has 3 axes; a matrix has two", (two_by_three, cube)),
            (1, "a fast product has the type of its factors", (narrow, narrow, "--accuracy", "fast", "--output-type", "float64")),
            (2, "there is no device cuda:99", (narrow, narrow, "--device", "cuda:99")),
            (2, "standard input can be read only once", ("-", "-")),
        ):
            self.assertIn(message, self.error(code, "matmul", *arguments, "-o", target))
        self.assertFalse(os.path.exists(target))

    def test_files_that_were_cut_off(self):
        path = self.save("a.npy", numpy.ones((4, 4)))
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 8)
        self.assertIn("a.npy", self.error(1, "matmul", path, path, "-o", self.path("c.npy")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy"])


if __name__ == "__main__":
    unittest.main()
