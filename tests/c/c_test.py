#!/usr/bin/env python3
"""The C interface, called as other languages call it, beside fractions. LIBRARY is libfoldline_c.so."""
import ctypes
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = (ROOT / "c" / "include" / "foldline.h").read_text()
LIBRARY = os.environ["LIBRARY"]
fl = ctypes.CDLL(LIBRARY)
fl.foldline_last_message.restype = ctypes.c_char_p
fl.foldline_version.restype = ctypes.c_char_p

# Numbers of the header's enumerations: FOLDLINE_SUM is constant.SUM.
constant = {name: int(number) for name, number in re.findall(r"\bFOLDLINE_(\w+) = (-?\d+)", HEADER)}
CTYPES = {
    "FLOAT64": ctypes.c_double,
    "FLOAT32": ctypes.c_float,
    "INT64": ctypes.c_int64,
    "INT32": ctypes.c_int32,
    "INT8": ctypes.c_int8,
    "UINT8": ctypes.c_uint8,
    "BOOL": ctypes.c_bool,
}
DEFAULT = ctypes.c_int64(constant["DEFAULT_DDOF"])


class Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("axes", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class Queue(ctypes.Structure):
    _fields_ = [("workspace", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("status", ctypes.c_void_p)]


def numbers(values, type="FLOAT64", shape=None, strides=None, first=0):
    """An array of its own memory, `memory`."""
    memory = (CTYPES[type] * len(values))(*values)
    shape = [len(values)] if shape is None else shape
    array = Array(
        ctypes.addressof(memory) + first * ctypes.sizeof(CTYPES[type]),
        constant[type],
        len(shape),
        (ctypes.c_int64 * len(shape))(*shape),
        None if strides is None else (ctypes.c_int64 * len(shape))(*strides),
    )
    array.memory = memory
    return array


def one(type="FLOAT64"):
    return numbers([0], type, [])


def ok(status):
    if status != constant["OK"]:
        raise AssertionError(f"status {status}: {fl.foldline_last_message().decode()}")


def reduced(operation, x, type="FLOAT64", ddof=None):
    out = one(type)
    ddof = DEFAULT if ddof is None else ctypes.c_int64(ddof)
    ok(fl.foldline_reduce(constant[operation], ctypes.byref(x), ddof, ctypes.byref(out), None))
    return out.memory[0]


def exact_sum(values):
    return sum(map(Fraction, values), Fraction(0))


class Values(unittest.TestCase):
    def test_sums_of_random_numbers(self):
        generator = random.Random(1)
        for size in [0, 1, 2, 7, 64, 129, 1000]:
            values = [math.ldexp(generator.uniform(-1, 1), generator.randrange(-60, 60)) for _ in range(size)]
            x = numbers(values)
            self.assertEqual(reduced("SUM", x), float(exact_sum(values)))
            self.assertEqual(reduced("ABS_SUM", x), float(exact_sum(map(abs, values))))
            if size:
                self.assertEqual(reduced("MEAN", x), float(exact_sum(values) / size))
                mean = exact_sum(values) / size
                squares = sum((Fraction(value) - mean) ** 2 for value in values)
                self.assertEqual(reduced("VARIANCE", x), float(squares / size))
                if size > 1:
                    self.assertEqual(reduced("VARIANCE", x, ddof=1), float(squares / (size - 1)))

    def test_integers_and_types(self):
        self.assertEqual(reduced("SUM", numbers([2**31 - 1] * 3, "INT32"), "INT64"), 3 * (2**31 - 1))
        self.assertEqual(reduced("SUM", numbers([True, False, True], "BOOL"), "INT32"), 2)
        self.assertEqual(reduced("SUM", numbers([1.5, 2.25], "FLOAT32"), "FLOAT32"), 3.75)
        self.assertEqual(reduced("MAXIMUM", numbers([3, -4, 2], "INT8"), "INT8"), 3)

    def test_any_layout(self):
        values = [1e16, 1.0, -1e16, 3.0, 5.0, 7.0]
        self.assertEqual(reduced("SUM", numbers(values, shape=[3], strides=[2])), float(exact_sum(values[::2])))
        self.assertEqual(reduced("SUM", numbers(values, shape=[6], strides=[-1], first=5)), float(exact_sum(values)))
        self.assertEqual(reduced("SUM", numbers(values, shape=[2, 3])), float(exact_sum(values)))
        self.assertEqual(reduced("SUM", numbers(values, shape=[2, 2], strides=[3, 1])), float(exact_sum(values[:2] + values[3:5])))
        self.assertEqual(reduced("SUM", numbers([], shape=[0, 3], strides=[3, 1])), 0.0)

    def test_pairs(self):
        x, y, out = numbers([1e16, 1.0, -1e16]), numbers([3.0, 5.0, 3.0]), one()
        ok(fl.foldline_reduce_pairs(constant["DOT"], ctypes.byref(x), ctypes.byref(y), ctypes.byref(out), None))
        self.assertEqual(out.memory[0], 5.0)

    def test_axes_and_scans(self):
        values = [0.1 * i for i in range(12)]
        a, out = numbers(values, shape=[3, 4]), numbers([0] * 4)
        ok(fl.foldline_reduce_axis(constant["SUM"], ctypes.byref(a), ctypes.c_int64(0), DEFAULT, ctypes.byref(out), None))
        self.assertEqual(list(out.memory), [float(exact_sum(values[i::4])) for i in range(4)])
        sums = numbers([0] * 12, shape=[3, 4])
        ok(fl.foldline_inclusive_scan(ctypes.byref(a), ctypes.c_int64(-1), ctypes.byref(sums), None))
        rows = [values[i : i + 4] for i in (0, 4, 8)]
        self.assertEqual(list(sums.memory), [float(exact_sum(row[: i + 1])) for row in rows for i in range(4)])
        before, init = numbers([0] * 12), numbers([10.0], shape=[])
        x = numbers(values)
        ok(fl.foldline_exclusive_scan(ctypes.byref(x), ctypes.c_int64(0), ctypes.byref(init), ctypes.byref(before), None))
        self.assertEqual(list(before.memory), [float(10 + exact_sum(values[:i])) for i in range(12)])

    def test_segments_keys_and_masks(self):
        values = [random.uniform(-1, 1) * 2.0 ** random.randint(-60, 60) for _ in range(20)]
        x, out = numbers(values), numbers([0] * 4)
        offsets = numbers([0, 3, 3, 12, 20], "INT32")
        byref = ctypes.byref
        ok(fl.foldline_reduce_segments(constant["SUM"], byref(x), byref(offsets), DEFAULT, byref(out), None))
        self.assertEqual(list(out.memory), [float(exact_sum(values[a:b])) for a, b in ((0, 3), (3, 3), (3, 12), (12, 20))])
        keys = [i * 7 % 4 for i in range(20)]
        ok(fl.foldline_reduce_by_key(constant["SUM"], byref(numbers(keys, "INT64")), byref(x), DEFAULT, byref(out), None))
        self.assertEqual(list(out.memory), [float(exact_sum(v for v, key in zip(values, keys) if key == k)) for k in range(4)])
        total, taken = one(), ctypes.c_int64()
        mask = numbers([key == 2 for key in keys], "BOOL")
        ok(fl.foldline_reduce_where(constant["SUM"], byref(x), byref(mask), DEFAULT, byref(total), byref(taken), None))
        self.assertEqual((total.memory[0], taken.value), (out.memory[2], keys.count(2)))

    def test_masks_along_axes(self):
        generator = random.Random(2)
        byref = ctypes.byref
        axes_of = lambda *axes: (ctypes.c_int64 * len(axes))(*axes)  # noqa: E731
        for rows, columns in ((3, 4), (1, 700), (40, 9)):
            values = [math.ldexp(generator.uniform(-1, 1), generator.randrange(-60, 60)) for _ in range(rows * columns)]
            a = numbers(values, shape=[rows, columns])
            takes = [generator.random() < 0.5 for _ in values]
            mask = numbers(takes, "BOOL", [rows, columns])
            for axis, lines in ((0, [range(j, rows * columns, columns) for j in range(columns)]),
                                (-1, [range(i * columns, (i + 1) * columns) for i in range(rows)])):
                out, counts = numbers([9.0] * len(lines)), numbers([9] * len(lines), "INT64")
                ok(fl.foldline_reduce_axes_where(constant["SUM"], byref(a), byref(mask), axes_of(axis), 1, DEFAULT, byref(out), byref(counts), None))
                self.assertEqual(list(out.memory), [float(exact_sum(values[i] for i in line if takes[i])) for line in lines])
                self.assertEqual(list(counts.memory), [sum(takes[i] for i in line) for line in lines])
                smallest = numbers([9.0] * len(lines))
                ok(fl.foldline_reduce_axes_where(constant["MINIMUM"], byref(a), byref(mask), axes_of(axis), 1, DEFAULT, byref(smallest), None, None))
                self.assertEqual(list(smallest.memory), [min((values[i] for i in line if takes[i]), default=9.0) for line in lines])
            total = one()
            few = numbers(takes[:columns], "UINT8")  # stands for all rows
            ok(fl.foldline_reduce_axes_where(constant["SUM"], byref(a), byref(few), axes_of(1, 0), 2, DEFAULT, byref(total), None, None))
            self.assertEqual(total.memory[0], float(exact_sum(v for i, v in enumerate(values) if takes[i % columns])))

    def test_matrix_product(self):
        a, b, c = numbers([1e16, 1.0, 1.0, 2.0], shape=[2, 2]), numbers([1.0, 0.0, 5.0, 1.0], shape=[2, 2]), numbers([0] * 4, shape=[2, 2])
        one_, zero = ctypes.c_double(1), ctypes.c_double(0)
        ok(fl.foldline_matrix_product(ctypes.byref(a), ctypes.byref(b), ctypes.byref(c), one_, zero, None))
        self.assertEqual(list(c.memory), [float(Fraction(1e16) + 5), 1.0, 11.0, 2.0])

    def test_integrals(self):
        prototype = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_int64, ctypes.c_void_p)

        @prototype
        def square(x, y, n, data):
            for i in range(n):
                y[i] = x[i] * x[i]

        result = ctypes.c_double()
        ok(fl.foldline_integrate(square, None, ctypes.c_double(0), ctypes.c_double(3), constant["SIMPSON"], 0, ctypes.c_int64(8), ctypes.byref(result), None))
        self.assertEqual(result.value, 9.0)
        samples = numbers([0.0, 1.0, 4.0])
        ok(fl.foldline_trapezoid(ctypes.byref(samples), None, ctypes.c_double(0.5), ctypes.byref(result), None))
        self.assertEqual(result.value, 1.5)


class Accumulators(unittest.TestCase):
    def made(self, operation):
        accumulator = ctypes.c_void_p()
        ok(fl.foldline_accumulator_create(constant[operation], ctypes.byref(accumulator)))
        self.addCleanup(lambda: fl.foldline_accumulator_destroy(accumulator))
        return accumulator

    def result(self, accumulator, operation="SUM"):
        out = one()
        ok(fl.foldline_accumulator_result(accumulator, constant[operation], DEFAULT, ctypes.byref(out), None))
        return out.memory[0]

    def test_pieces_stores_and_text(self):
        first, second = self.made("SUM"), self.made("SUM")
        for accumulator, values in ((first, [1e300, 1.0]), (second, [-1e300, 0.5])):
            ok(fl.foldline_accumulator_add(accumulator, ctypes.byref(numbers(values)), None))
        needed = ctypes.c_size_t()
        ok(fl.foldline_accumulator_store(second, None, 0, ctypes.byref(needed)))
        state = ctypes.create_string_buffer(needed.value)
        ok(fl.foldline_accumulator_store(second, state, needed, ctypes.byref(needed)))
        loaded = ctypes.c_void_p()
        ok(fl.foldline_accumulator_load(state, needed, ctypes.byref(loaded)))
        self.addCleanup(lambda: fl.foldline_accumulator_destroy(loaded))
        ok(fl.foldline_accumulator_merge(first, loaded))
        self.assertEqual(self.result(first), 1.5)
        count = ctypes.c_int64()
        ok(fl.foldline_accumulator_count(first, ctypes.byref(count)))
        self.assertEqual(count.value, 4)
        text = ctypes.create_string_buffer(64)
        ok(fl.foldline_accumulator_exact(first, constant["SUM"], DEFAULT, text, ctypes.c_size_t(64), ctypes.byref(needed)))
        self.assertEqual((text.value, needed.value), (b"1.5", 4))
        state[0] = b"\xff"
        bad = ctypes.c_void_p()
        self.assertEqual(fl.foldline_accumulator_load(state, ctypes.c_size_t(len(state)), ctypes.byref(bad)), constant["DATA_ERROR"])
        self.assertIsNone(bad.value)

    def test_files(self):
        generator = random.Random(3)
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        values = [math.ldexp(generator.uniform(-1, 1), generator.randrange(-60, 60)) for _ in range(300_000)]

        def added(path, column_name=None, column=0, skip_missing=0):
            accumulator = self.made("SUM")
            ok(fl.foldline_accumulator_add(accumulator, ctypes.byref(numbers([1e16])), None))
            number = ctypes.c_int64(column)
            status = fl.foldline_accumulator_add_file(accumulator, os.fsencode(path), column_name, number, skip_missing, None)
            count = ctypes.c_int64()
            ok(fl.foldline_accumulator_count(accumulator, ctypes.byref(count)))
            return status, self.result(accumulator), count.value

        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
        array = folder / "x.npy"
        array.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}d", *values))
        self.assertEqual(added(array), (constant["OK"], float(exact_sum([1e16, *values])), len(values) + 1))
        self.assertEqual(added(array, column=1)[0], constant["INVALID_ARGUMENT"])
        text = folder / "x.csv"
        text.write_text("time,value\n" + "".join(f"{i},{v!r}\n" for i, v in enumerate(values)) + "-1,NA\n")
        expected = constant["OK"], float(exact_sum([1e16, *values])), len(values) + 1
        self.assertEqual(added(text, b"value", 0, 1), expected)
        self.assertEqual(added(text, None, 2, 1), expected)
        self.assertEqual(added(text, b"value"), (constant["DATA_ERROR"], 1e16, 1))  # nothing of it was added
        self.assertRegex(fl.foldline_last_message().decode(), "line 300002.*missing")
        self.assertEqual(added(text, b"other")[0], constant["DATA_ERROR"])
        self.assertEqual(added(folder / "nowhere"), (constant["DATA_ERROR"], 1e16, 1))
        plain = folder / "plain.txt"
        plain.write_text("1 2.5\n0.25\n")
        self.assertEqual(added(plain), (constant["OK"], 1e16 + 4, 4))

    def test_groups(self):
        groups = ctypes.c_void_p()
        ok(fl.foldline_accumulator_array_create(constant["SUM"], ctypes.c_int64(3), ctypes.byref(groups)))
        self.addCleanup(lambda: fl.foldline_accumulator_array_destroy(groups))
        x = numbers([1e16, 2.0, 1.0, -1e16])
        ok(fl.foldline_accumulator_array_add(groups, (ctypes.c_uint32 * 4)(0, 1, 0, 0), ctypes.byref(x)))
        sums = []
        for i in range(3):
            accumulator = ctypes.c_void_p()
            ok(fl.foldline_accumulator_array_at(groups, ctypes.c_int64(i), ctypes.byref(accumulator)))
            sums.append(self.result(accumulator))
            fl.foldline_accumulator_destroy(accumulator)
        self.assertEqual(sums, [1.0, 2.0, 0.0])

    def test_columns_and_running_scans(self):
        columns = ctypes.c_void_p()
        ok(fl.foldline_column_accumulator_create(constant["SUM"], constant["FLOAT64"], ctypes.c_int64(2), None, ctypes.byref(columns)))
        self.addCleanup(lambda: fl.foldline_column_accumulator_destroy(columns))
        for rows in ([1e16, 1.0], [1.0, 2.0, -1e16, 3.0]):
            ok(fl.foldline_column_accumulator_add(columns, ctypes.byref(numbers(rows, shape=[len(rows) // 2, 2]))))
        out = numbers([0, 0])
        ok(fl.foldline_column_accumulator_result(columns, DEFAULT, ctypes.byref(out), None))
        self.assertEqual(list(out.memory), [1.0, 6.0])
        more = ctypes.c_void_p()
        ok(fl.foldline_column_accumulator_create(constant["SUM"], constant["FLOAT64"], ctypes.c_int64(2), None, ctypes.byref(more)))
        self.addCleanup(lambda: fl.foldline_column_accumulator_destroy(more))
        ok(fl.foldline_column_accumulator_merge(columns, more))
        for status in (fl.foldline_column_accumulator_add(more, ctypes.byref(numbers([1.0, 2.0], shape=[1, 2]))),
                       fl.foldline_column_accumulator_result(more, DEFAULT, ctypes.byref(out), None),
                       fl.foldline_column_accumulator_merge(columns, more), fl.foldline_column_accumulator_merge(more, columns)):
            self.assertEqual(status, constant["INVALID_ARGUMENT"])
        scan = ctypes.c_void_p()
        ok(fl.foldline_running_scan_create_inclusive(ctypes.byref(scan)))
        self.addCleanup(lambda: fl.foldline_running_scan_destroy(scan))
        sums = []
        for block in ([1e16, 1.0], [-1e16]):
            out = numbers([0] * len(block))
            ok(fl.foldline_running_scan_next(scan, ctypes.byref(numbers(block)), ctypes.byref(out), None))
            sums += list(out.memory)
        self.assertEqual(sums, [1e16, 1e16, 1.0])


class Errors(unittest.TestCase):
    def refused(self, status, kind, words):
        self.assertEqual(status, constant[kind])
        self.assertRegex(fl.foldline_last_message().decode(), words)

    def test_arguments(self):
        x, out = numbers([1.0]), one()
        byref = ctypes.byref
        self.refused(fl.foldline_reduce(99, byref(x), DEFAULT, byref(out), None), "INVALID_ARGUMENT", "99 is no operation")
        self.refused(fl.foldline_reduce(0, None, DEFAULT, byref(out), None), "INVALID_ARGUMENT", "x is null")
        self.refused(fl.foldline_reduce(0, byref(x), DEFAULT, None, None), "INVALID_ARGUMENT", "the result is null")
        self.refused(fl.foldline_reduce(0, byref(x), DEFAULT, byref(numbers([0, 0])), None), "INVALID_ARGUMENT", "one element")
        self.refused(fl.foldline_reduce(constant["VARIANCE"], byref(x), ctypes.c_int64(-2), byref(out), None), "INVALID_ARGUMENT", "ddof")
        bad = numbers([1.0])
        for field, value, words in (("type", 13, "13 is no type"), ("axes", -1, "-1 axes"), ("data", None, "null")):
            previous = getattr(bad, field)
            setattr(bad, field, value)
            self.refused(fl.foldline_reduce(0, byref(bad), DEFAULT, byref(out), None), "INVALID_ARGUMENT", words)
            setattr(bad, field, previous)
        self.refused(fl.foldline_reduce_axis(0, byref(x), ctypes.c_int64(1), DEFAULT, byref(out), None), "INVALID_ARGUMENT", "axis")
        wrong, two, mask = numbers([0, 1, 0], "INT32"), numbers([0.0] * 2), numbers([True], "BOOL")
        self.refused(fl.foldline_reduce_segments(0, byref(numbers([1.0] * 3)), byref(wrong), DEFAULT, byref(two), None), "INVALID_ARGUMENT", r"offsets\[2\]")
        self.refused(fl.foldline_reduce_where(0, byref(numbers([1.0])), byref(mask), DEFAULT, byref(out), None, None), "INVALID_ARGUMENT", "taken")
        axes, all_ = (ctypes.c_int64 * 2)(0, 0), (byref(x), byref(mask))
        self.refused(fl.foldline_reduce_axes_where(0, *all_, axes, 2, DEFAULT, byref(out), None, None), "INVALID_ARGUMENT", "twice")
        self.refused(fl.foldline_reduce_axes_where(0, *all_, axes, -1, DEFAULT, byref(out), None, None), "INVALID_ARGUMENT", "-1 axes")
        self.refused(fl.foldline_reduce_axes_where(0, *all_, None, 1, DEFAULT, byref(out), None, None), "INVALID_ARGUMENT", "axes is null")
        self.refused(fl.foldline_reduce_axes_where(0, *all_, axes, 1, DEFAULT, byref(out), byref(out), None), "INVALID_ARGUMENT", "int64")
        self.refused(fl.foldline_accumulator_add_file(None, b"x", None, DEFAULT, 0, None), "INVALID_ARGUMENT", "null")
        self.refused(fl.foldline_accumulator_create(0, None), "INVALID_ARGUMENT", "null")
        self.refused(fl.foldline_accumulator_count(None, None), "INVALID_ARGUMENT", "null")

    def test_results(self):
        out = one("INT8")
        status = fl.foldline_reduce(0, ctypes.byref(numbers([100, 100], "INT8")), DEFAULT, ctypes.byref(out), None)
        self.refused(status, "OVERFLOW", "200")
        self.assertEqual(out.memory[0], 0)
        context = ctypes.c_void_p()
        ok(fl.foldline_context_create(ctypes.byref(context)))
        self.addCleanup(lambda: fl.foldline_context_destroy(context))
        ok(fl.foldline_context_set_overflow(context, constant["OVERFLOW_WRAPS"]))
        ok(fl.foldline_reduce(0, ctypes.byref(numbers([100, 100], "INT8")), DEFAULT, ctypes.byref(out), context))
        self.assertEqual(out.memory[0], 200 - 256)
        self.refused(fl.foldline_context_set_threads(context, 5000), "INVALID_ARGUMENT", "5000 threads")
        self.refused(fl.foldline_context_set_accuracy(context, 2), "INVALID_ARGUMENT", "2 is no accuracy")
        self.refused(fl.foldline_context_set_device(context, constant["CUDA"], 999), "INVALID_ARGUMENT", ".")

    def test_queue_without_workspace(self):
        x, out = numbers([1.0]), one()
        status = fl.foldline_queue_reduce(0, ctypes.byref(x), DEFAULT, ctypes.byref(out), ctypes.byref(Queue()), None)
        self.refused(status, "INVALID_ARGUMENT", "workspace is null")

    def test_destroy_takes_null(self):
        for name in re.findall(r"void (foldline_\w+_destroy)\(", HEADER):
            getattr(fl, name)(None)


class Library(unittest.TestCase):
    def test_version(self):
        self.assertIn(f"VERSION {fl.foldline_version().decode()} ", (ROOT / "CMakeLists.txt").read_text())

    def test_exports_what_the_header_declares(self):
        declared = set(re.findall(r"FOLDLINE_C_API [^;(]*?\b(foldline_\w+)\(", HEADER))
        lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        exported = re.findall(r" [^A ] (\S+?)@@FOLDLINE_C_\d+\.\d+$", lines, re.MULTILINE)
        self.assertEqual(declared, set(exported))
        self.assertEqual(len(exported), len(re.findall(r" [^A ] \S+$", lines, re.MULTILINE)), "symbols without a version")

    def test_numbers_are_those_of_the_headers(self):
        for header, names in (("types.hpp", {"half": "FLOAT16", "boolean": "BOOL"}), ("operation.hpp", {})):
            body = re.search(r"enum class \w+ : std::uint8_t \{(.*?)\};", (ROOT / "include/foldline" / header).read_text(), re.DOTALL)[1]
            for name, number in re.findall(r"^\s*(\w+) = (\d+)", body, re.MULTILINE):
                self.assertEqual(constant[names.get(name, name.upper())], int(number), name)


if __name__ == "__main__":
    unittest.main()
