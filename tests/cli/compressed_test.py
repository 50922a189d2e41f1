"""Compressed files, .npz and other archives, and kinds of file by content and not by name."""
import bz2
import gzip
import io
import json
import lzma
import os
import resource
import shutil
import struct
import subprocess
import unittest
import zipfile
import zlib
from fractions import Fraction

import numpy

from command import COMMAND, CommandTest


def zstd(content):
    return subprocess.run(["zstd", "-q", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout


FORMATS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
if shutil.which("zstd"):
    FORMATS["zst"] = zstd

TEXT = b"v\n1\n2\n3.5\n"


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


class Compressed(CommandTest):
    def each_way(self, content):
        """The arguments and the standard input that bring a content: a file of any name, a pipe, a redirected file."""
        path = self.write("any-name", content)
        yield path, b""
        yield "-", content

    def test_texts_and_arrays(self):
        array = numpy.random.default_rng(1).standard_normal((70, 11))
        exact = float(sum(map(Fraction, array.ravel().tolist())))
        for compress in FORMATS.values():
            for file, stdin in self.each_way(compress(TEXT)):
                self.assertEqual(self.result("sum", file, stdin=stdin), "6.5")
                self.assertEqual(self.result("sum", file, "--csv", "--column", "v", stdin=stdin), "6.5")
            for ordered in (array, numpy.asfortranarray(array)):
                for file, stdin in self.each_way(compress(npy(ordered))):
                    self.assertEqual(float(self.result("sum", file, stdin=stdin)), exact)
                    rows = self.result("sum", file, "--axis", 1, stdin=stdin).split()
                    expected = [float(sum(map(Fraction, row))) for row in array.tolist()]
                    self.assertEqual([float(x) for x in rows], expected)

    def test_standard_input_from_a_file(self):
        for compress in FORMATS.values():
            with open(self.write("x", compress(TEXT)), "rb") as file:
                done = subprocess.run([COMMAND, "sum", "-"], stdin=file, capture_output=True)
            self.assertEqual(done.stdout, b"6.5\n")

    def test_every_command(self):
        x, y = numpy.arange(6.0).reshape(2, 3), numpy.ones((3, 2))
        first, second = (self.write(name, gzip.compress(npy(array))) for name, array in (("x", x), ("y", y)))
        plain = self.save("x.npy", x)
        self.assertEqual(self.result("dot", first, plain), "55")
        self.assertEqual(self.result("dot", plain, first), "55")
        self.assertEqual(self.result("mean", first, "--weights", plain), "3.6666666666666665")
        statistics = json.loads(self.result("stats", first, "--json"))["result"]
        self.assertEqual((statistics["sum"], statistics["abs-sum"]), (15, 15))
        self.assertEqual(self.result("sum", first, plain), "30")
        out = self.path("out.npy")
        self.result("matmul", first, second, "-o", out)
        self.assertTrue((numpy.load(out) == x @ y).all())
        self.result("scan", first, "-o", out)
        self.assertTrue((numpy.load(out).ravel() == x.ravel().cumsum()).all())
        self.assertEqual(self.result("trapezoid", self.write("t", gzip.compress(b"1\n2\n4\n"))), "4.5")
        sales = gzip.compress(b"shop,price\nnorth,1.5\nsouth,2\nnorth,2.5\n")
        self.assertEqual(self.result("sum", "-", "--column", "price", "--by", "shop", stdin=sales), "north\t4\nsouth\t2")

    def test_members_and_what_follows(self):
        for name, compress in FORMATS.items():
            two = compress(TEXT) + compress(b"4\n")
            self.assertEqual(self.result("sum", "-", stdin=two), "10.5")
            for garbage in (b"x", b"5\n", compress(TEXT)[:7]):
                self.error(1, "sum", "-", stdin=compress(TEXT) + garbage)
                self.error(1, "sum", self.write("x", compress(TEXT) + garbage))
        self.assertEqual(self.result("sum", "-", stdin=gzip.compress(TEXT) + bytes(1000)), "6.5")

    def test_never_a_part_of_it(self):
        # tests/io goes on from here, byte by byte and bit by bit.
        for name, compress in FORMATS.items():
            whole = compress(TEXT)
            for size in [*range(0, 13), len(whole) // 2, len(whole) - 1]:
                self.error(1, "sum", self.write("x.csv." + name, whole[:size]))
                if size != 0:  # nothing at all is a text of no numbers
                    self.error(1, "sum", "-", stdin=whole[:size])
            damaged = bytearray(whole)
            damaged[-6 if name != "xz" else len(whole) // 2] ^= 4
            self.error(1, "sum", "-", stdin=bytes(damaged))

    def test_nothing(self):
        for name, compress in FORMATS.items():
            self.assertEqual(self.result("sum", self.write("x.csv." + name, compress(b""))), "0")
            self.assertIn("is empty", self.error(1, "sum", self.write("x.csv." + name, b"")))
            self.assertIn("is empty", self.error(1, "sum", self.write("x.npy." + name, compress(b""))))
        self.assertEqual(self.result("sum", self.write("x.csv", b"")), "0")

    def test_messages(self):
        twice = gzip.compress(gzip.compress(TEXT))
        self.assertIn("compressed twice, by gzip within gzip", self.error(1, "sum", "-", stdin=twice))
        self.assertIn("truncated", self.error(1, "sum", "-", stdin=gzip.compress(TEXT)[:-1]))
        if "zst" in FORMATS:
            far = subprocess.run(["zstd", "-q", "-c", "--long=28"], input=TEXT, stdout=subprocess.PIPE).stdout
            self.assertIn("needs 257 MiB of memory", self.error(1, "sum", "-", stdin=far))

    def test_bombs_take_little_memory(self):
        # 256 MiB of zeros behind the header of an array: the same compressed MiB again and again.
        count = 256
        file = io.BytesIO()
        description = {"descr": "<f8", "fortran_order": False, "shape": (count * 2**17,)}
        numpy.lib.format.write_array_header_1_0(file, description)
        header = file.getvalue()
        for name, compress in FORMATS.items():
            path = self.write("bomb", compress(header) + compress(bytes(2**20)) * count)
            self.assertLess(os.path.getsize(path), 2**20)
            limit = 200_000 if "ASAN_OPTIONS" not in os.environ else 600_000  # KiB
            process = subprocess.Popen([COMMAND, "sum", path], stdout=subprocess.PIPE)
            with process.stdout:
                self.assertEqual(process.stdout.read(), b"0\n")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # which exec keeps
            self.assertLess(usage.ru_maxrss, max(limit, own + 1), name)

    def test_bare_numbers(self):
        array = numpy.arange(1000.0)
        for compress in FORMATS.values():
            content = compress(array.tobytes())
            self.assertEqual(self.result("sum", "-", "--input-type", "float64", stdin=content), "499500")
            self.assertEqual(self.result("sum", "-", "--input-type", "float64", "--shape", 10, stdin=content), "45")
            as_it_stands = self.result("sum", "-", "--input-type", "uint8", "--no-decompression", stdin=content)
            self.assertEqual(int(as_it_stands), sum(content))
            truncated = content[:-1]
            for options in ((), ("--shape", 10)):
                self.error(1, "sum", "-", "--input-type", "float64", *options, stdin=truncated)
        self.assertIn("--shape", self.error(2, "sum", "-", "--axis", 0, "--input-type", "float64", stdin=content))


class Archives(CommandTest):
    def savez(self, name="x.npz", save=numpy.savez, **arrays):
        save(self.path(name), **arrays)
        return self.path(name)

    def test_npz(self):
        x, y = numpy.arange(6.0).reshape(2, 3), numpy.full((2, 3), 2.0)
        for save in (numpy.savez, numpy.savez_compressed):
            self.assertEqual(self.result("sum", self.savez(save=save, x=x)), "15")
            both = self.savez("both.npz", save, x=x, y=numpy.asfortranarray(y), z=numpy.arange(5, dtype=">i4"))
            self.assertEqual(self.result("sum", both, "--member", "x"), "15")
            self.assertEqual(self.result("sum", both, "--member", "y.npy"), "12")
            self.assertEqual(self.result("sum", both, "--member", "y", "--axis", 0), "4 4 4")
            self.assertEqual(self.result("sum", both, "--member=z"), "10")
            self.assertEqual(self.result("dot", both, both, "--member", "x", "--member", "x"), "55")
            self.assertEqual(self.result("dot", both, both, "--member", "x"), "55")
            self.assertEqual(self.result("sum", both, both, "--member", "x", "--member", "y"), "27")
            self.assertEqual(self.result("dot", both, self.save("x.npy", x), "--member=x", "--member=-"), "55")
            self.assertEqual(self.json("sum", both, "--member", "x")["files"], [both + ' "x.npy"'])
            message = self.error(2, "sum", both)
            self.assertIn('has 3 members; name one: "x.npy", "y.npy", "z.npy" (--member)', message)
            self.assertIn('no member "xx"; name one: "x.npy"', self.error(2, "sum", both, "--member", "xx"))
            self.assertIn("not once for each file", self.error(2, "sum", both, "--member", "x", "--member", "y"))
            self.assertIn("is no .npz", self.error(1, "sum", self.save("x.npy", x), "--member", "x"))
        with open(both, "rb") as file:
            done = subprocess.run([COMMAND, "sum", "-", "--member=x"], stdin=file, capture_output=True)
            self.assertEqual(done.stdout, b"15\n")
            file.seek(0)
            self.assertIn("a pipe cannot", self.error(1, "sum", "-", "--member=x", stdin=file.read()))

    def test_other_arrays(self):
        objects = self.savez(x=numpy.array([{}], dtype=object))
        self.assertIn("never read", self.error(1, "sum", objects))
        self.assertIn("without any file", self.error(1, "sum", self.savez()))
        self.assertEqual(self.result("sum", self.savez(x=numpy.float64(3))), "3")
        self.assertEqual(self.result("sum", self.savez(x=numpy.zeros((0, 3)))), "0")

    def test_zip_of_a_text(self):
        path = self.path("data.csv.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("data.csv", "a,b\n1,2\n3,4\n")
        self.assertEqual(self.result("sum", path, "--column", "b"), "6")

    def test_zip64(self):
        path = self.path("x.npz")
        with zipfile.ZipFile(path, "w") as archive, archive.open("x.npy", "w", force_zip64=True) as member:
            member.write(npy(numpy.arange(5.0)))
        self.assertEqual(self.result("sum", path), "10")

    def test_other_methods_and_damage(self):
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            path = self.path("x.npz")
            with zipfile.ZipFile(path, "w", method) as archive:
                archive.writestr("x.npy", npy(numpy.arange(5.0)))
            self.assertIn("method", self.error(1, "sum", path))
        path = self.savez(x=numpy.arange(50.0))
        with open(path, "rb") as file:
            content = file.read()
        for size in (5, 100, len(content) // 2, len(content) - 1):
            self.error(1, "sum", self.write("x.npz", content[:size]))
        damaged = bytearray(content)
        damaged[300] ^= 1
        self.assertIn("checksum", self.error(1, "sum", self.write("x.npz", damaged)))

    def test_bombs(self):
        path = self.path("x.npz")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy(numpy.zeros(2**23)))
        self.assertEqual(self.result("sum", path), "0")
        # A directory that promises what the member does not hold.
        with open(path, "rb") as file:
            content = file.read()
        at = content.rindex(b"PK\x01\x02")
        lying = content[: at + 24] + struct.pack("<I", 1000) + content[at + 28 :]
        self.assertIn("size", self.error(1, "sum", self.write("x.npz", lying)))


class Kinds(CommandTest):
    def test_texts_of_any_name(self):
        for name in ("x", "x.dat", "x.log", "x.out", "x.asc", "x.npy", "x.npz", "x.gz", "x.bin", "x.CSV"):
            self.assertEqual(self.result("sum", self.write(name, TEXT)), "6.5")

    def test_arrays_of_any_name(self):
        content = npy(numpy.arange(5.0))
        for name in ("x", "x.csv", "x.txt", "x.dat", "x.gz"):
            path = self.write(name, content)
            self.assertEqual(self.result("sum", path), "10")
            self.assertIn("an array", self.error(2, "sum", path, "--column", "x"))
            self.assertIn("leave out --input-type", self.error(2, "sum", path, "--input-type", "float64"))

    def test_bare_numbers_of_any_name(self):
        array = numpy.random.default_rng(2).standard_normal(100)
        for name in ("x", "x.csv", "x.dat", "x.npy"):
            path = self.write(name, array.tobytes())
            self.assertEqual(float(self.result("sum", path, "--input-type", "float64")), float(sum(map(Fraction, array))))
            self.error(1, "sum", path)

    def test_texts_where_bare_numbers_are_expected(self):
        content = b"1000\n2000\n3000\n4" # 16 bytes, two doubles
        for name in ("x.csv", "x.txt", "x.dat"):
            self.assertEqual(self.result("sum", self.write(name, content), "--input-type", "float32"), "6004")
        for file, stdin in ((self.write("x.log", content), b""), ("-", content)):
            message = self.error(2, "sum", file, "--input-type", "float64", stdin=stdin)
            self.assertIn("begins like a text; give --text", message)
            self.assertEqual(self.result("sum", file, "--input-type", "float64", "--text", stdin=stdin), "6004")
            as_numbers = struct.unpack("<2d", content)
            raw = self.result("sum", file, "--input-type", "float64", "--offset", 0, stdin=stdin)
            self.assertEqual(float(raw), sum(as_numbers))
            self.assertEqual(self.result("sum", file, "--input-type", "uint8", "--offset", 0, stdin=stdin), str(sum(content)))


if __name__ == "__main__":
    unittest.main()
