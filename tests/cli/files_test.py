"""How the command reads files, pipes and standard input, right and wrong ones."""
import io
import math
import os
import resource
import struct
import subprocess
import threading
import unittest

import numpy

from command import COMMAND, CommandTest


def npy(dictionary, data=b"", version=1, length=None):
    """A .npy file made by hand, so that it can be wrong."""
    header = dictionary.encode("latin1")
    size = len(header) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + header + data


def dictionary(descr="'<f8'", shape="(3,)", order="False"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)


class Reading(CommandTest):
    def test_orders_and_types(self):
        array = numpy.random.default_rng(1).standard_normal((7, 11))
        for dtype in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"):
            typed = array.astype(dtype)
            for ordered in (typed, numpy.asfortranarray(typed)):
                path = self.save("x.npy", ordered)
                self.assertEqual(float(self.result("sum", path)), math.fsum(typed.ravel()))

    def test_versions(self):
        array = numpy.arange(5.0)
        for version in ((1, 0), (2, 0), (3, 0)):
            file = io.BytesIO()
            numpy.lib.format.write_array(file, array, version)
            path = self.write("x.npy", file.getvalue())
            self.assertEqual(self.result("sum", path), "10")

    def test_standard_input(self):
        path = self.save("x.npy", numpy.arange(100_000.0))
        with open(path, "rb") as file:
            content = file.read()
        expected = self.result("sum", path)
        self.assertEqual(self.result("sum", "-", stdin=content), expected)
        with open(path, "rb") as file:  # a regular file as standard input
            done = subprocess.run([COMMAND, "sum", "-"], stdin=file, capture_output=True)
        self.assertEqual(done.stdout.decode().strip(), expected)
        self.assertEqual(self.result("dot", path, "-", stdin=content), self.result("dot", path, path))
        self.assertEqual(self.result("dot", "-", path, stdin=content), self.result("dot", path, path))
        self.assertIn("only once", self.error(2, "dot", "-", "-"))

    def test_one_pipe_for_two_files(self):
        """Each reader would find nothing, or a part of it."""
        content, pipe = b"1\n2\n", self.path("pipe")
        os.mkfifo(pipe)
        for arguments in (["dot", "/dev/stdin", "/dev/stdin"], ["dot", "-", "/dev/stdin"], ["sum", "/dev/stdin", "/dev/stdin"],
                          ["mean", "/dev/stdin", "--weights", "/dev/fd/0"], ["trapezoid", "/dev/stdin", "-"]):
            self.assertIn("standard input can be read only once", self.error(2, *arguments, stdin=content))
        self.assertIn(pipe + ": is a pipe, which can be read only once", self.error(2, "dot", pipe, pipe))
        file = self.write("x.txt", content)
        self.assertEqual(self.result("sum", "/dev/stdin", file, stdin=content), "6")
        with open(file, "rb") as redirected:
            done = subprocess.run([COMMAND, "dot", "/dev/stdin", "/dev/stdin"], stdin=redirected, capture_output=True)
        self.assertEqual(done.stdout, b"5\n", done)

    def test_named_pipe(self):
        path = self.save("x.npy", numpy.arange(100_000.0))
        pipe = self.path("pipe")
        os.mkfifo(pipe)

        def feed():
            with open(path, "rb") as source, open(pipe, "wb") as sink:
                sink.write(source.read())

        feeder = threading.Thread(target=feed)
        feeder.start()
        self.assertEqual(self.result("sum", pipe), self.result("sum", path))
        feeder.join()

    def test_raw_numbers(self):
        array = numpy.arange(12.0, dtype=">f4")
        path = self.write("x.bin", b"skip me!" + array.tobytes())
        options = ("--input-type", "float32", "--offset", 8, "--byte-order", "big")
        self.assertEqual(self.result("sum", path, *options), "66")
        self.assertEqual(self.result("sum", path, *options, "--shape", "2,3"), "15")
        self.assertEqual(self.json("sum", path, *options, "--shape", "2,3")["shape"], [2, 3])
        self.assertEqual(self.result("sum", "-", *options, stdin=b"skip me!" + array.tobytes()), "66")
        bfloat16 = self.write("b.bin", struct.pack("=HH", 0x3F80, 0x4000))
        self.assertEqual(self.result("sum", bfloat16, "--input-type", "bfloat16"), "3")
        self.assertIn("not a multiple", self.error(1, "sum", path, "--input-type", "float64", "--offset", 1))
        self.assertIn("needs 4000 bytes", self.error(1, "sum", path, "--input-type", "float32", "--shape", "1000"))
        self.assertIn("ends within", self.error(1, "sum", "-", "--input-type", "float64", stdin=bytes(9)))
        self.assertIn("2^63", self.error(1, "sum", path, "--input-type", "float64", "--shape", "4294967296,4294967296"))

    def test_constant_memory(self):
        # A sparse file of 5 GB, more than 2^32 bytes: the same reading and adding, no disk needed.
        limit = 200_000 if "ASAN_OPTIONS" not in os.environ else 400_000  # KiB; the sanitizer needs some itself
        path = self.path("big.bin")
        with open(path, "wb") as file:
            file.truncate(5_000_000_000)
            file.seek(4_999_999_992)
            file.write(struct.pack("=d", 1.5))
        for threads in (1, 2, 64):
            process = subprocess.Popen(
                [COMMAND, "sum", path, "--input-type", "float64", "--threads", str(threads)], stdout=subprocess.PIPE
            )
            with process.stdout:
                self.assertEqual(process.stdout.read(), b"1.5\n")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            # exec keeps the peak of the process that it came from, which is this one
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            self.assertLess(usage.ru_maxrss, max(limit, own + 1))  # KiB


class Pairs(CommandTest):
    def test_shapes_must_agree(self):
        x, y = self.save("x.npy", numpy.ones((2, 3))), self.save("y.npy", numpy.ones((3, 2)))
        self.assertIn("shapes differ, (2, 3) and (3, 2)", self.error(1, "dot", x, y))
        self.assertIn("shapes differ", self.error(1, "mean", x, "--weights", y))

    def test_orders_must_agree(self):
        array = numpy.arange(6.0).reshape(2, 3)
        x, y = self.save("x.npy", array), self.save("y.npy", numpy.asfortranarray(array))
        self.assertIn("Fortran order", self.error(1, "dot", x, y))
        self.assertEqual(self.result("dot", y, y), "55")
        # With one long axis there is one order only.
        row = self.write("row.npy", npy(dictionary(shape="(1, 3)"), numpy.arange(3.0).tobytes()))
        other = self.write("other.npy", npy(dictionary(shape="(1, 3)", order="True"), numpy.arange(3.0).tobytes()))
        self.assertEqual(self.result("dot", row, other), "5")

    def test_pipes_of_unknown_length(self):
        x = self.write("x.bin", numpy.ones(1000).tobytes())
        self.assertEqual(self.result("dot", x, "-", "--input-type", "float64", stdin=numpy.ones(1000).tobytes()), "1000")
        for count in (999, 1001):
            stdin = numpy.ones(count).tobytes()
            self.assertIn("the same size", self.error(1, "dot", x, "-", "--input-type", "float64", stdin=stdin))
            self.assertIn("the same size", self.error(1, "dot", "-", x, "--input-type", "float64", stdin=stdin))


class Hostile(CommandTest):
    def refuse(self, content, reason):
        path = self.write("bad.npy", content)
        self.assertIn(reason, self.error(1, "sum", path))
        if content:  # nothing at all is a text of no numbers
            self.assertIn("foldline: ", self.error(1, "sum", "-", stdin=content))

    def test_headers(self):
        data = numpy.ones(3).tobytes()
        for content, reason in (
            (npy(dictionary(), data[:-8]), "header promises 24 bytes of data, the file has 16: it is truncated"),
            (npy(dictionary(), data + b"x"), "header promises 24 bytes of data, the file has 25"),
            (npy(dictionary(shape="(4294967296, 4294967296)"), data), "2^63 bytes or more"),
            (npy(dictionary(shape="(-3,)"), data), "negative"),
            (npy(dictionary(shape="(1000000000000000000,)"), data), "header promises 8000000000000000000 bytes"),
            (npy(dictionary(descr="'|O'"), data), "Python objects, which are never read"),
            (npy(dictionary(descr="'<U5'"), data), "which are not numbers"),
            (npy(dictionary(descr="[('a', '<f8')]"), data), "structured"),
            (npy(dictionary(descr="'<c16'"), data), "complex"),
            (npy(dictionary() + " " * 2**20, data, version=2), "header of 10"),
            (npy(dictionary(), data, version=2, length=2**20), "header of 1048576 bytes"),
            (npy(dictionary(), data, version=3, length=2**32 - 1), "header of 4294967295 bytes"),
            (npy(dictionary(), data, length=65535), "truncated"),
            (npy("{" * 60000, data), "malformed"),
            (npy(dictionary(shape="(" * 60000), data), "malformed"),
            (npy("", data), "malformed"),
            (b"", "is empty"),
            (b"\x93NUMPY", "truncated"),
            (b"PK\x03\x04aaaaaaaaaa", ".npz"),
        ):
            with self.subTest(reason=reason, start=content[:100]):
                self.refuse(content, reason)

    def test_little_memory_for_hostile_headers(self):
        path = self.write("bad.npy", npy(dictionary(shape="(1000000000000000000,)")))
        # What the program itself needs, and not 1 MB more.
        usual = self.peak_memory("sum", self.path("missing.npy"))
        self.assertLess(self.peak_memory("sum", path) - usual, 1024)

    def peak_memory(self, *arguments):
        process = subprocess.Popen([COMMAND, *arguments], stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertNotEqual(status, 0)
        return usage.ru_maxrss  # KiB

    def test_truncated_while_it_is_read(self):
        path = self.path("big.npy")
        count = 500_000_000
        with open(path, "wb") as file:
            file.write(npy(dictionary(shape="(%d,)" % count)))
            file.truncate(file.tell() + 8 * count)
        # dot waits for the other array, which comes from a pipe, so the file can be cut at leisure.
        process = subprocess.Popen(
            [COMMAND, "dot", path, "-", "--threads", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        process.stdin.write(npy(dictionary(shape="(%d,)" % count)) + bytes(2**20))
        process.stdin.flush()
        os.truncate(path, 10_000_000)
        zeros = bytes(2**20)
        try:
            for _ in range(20):
                process.stdin.write(zeros)
        except BrokenPipeError:
            pass
        output, message = process.communicate()
        self.assertEqual((process.returncode, output), (1, b""))
        self.assertIn(b"truncated while it was read", message)

    def test_not_files(self):
        self.assertIn("no such file", self.error(1, "sum", self.path("missing.npy")))
        self.assertIn("is a directory", self.error(1, "sum", self.folder))
        if os.geteuid() != 0:
            path = self.save("x.npy", numpy.ones(1))
            os.chmod(path, 0)
            self.assertIn("permission denied", self.error(1, "sum", path))


if __name__ == "__main__":
    unittest.main()
