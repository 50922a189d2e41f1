"""TextReader against Python: numbers by float(), Fraction and int, rows by the module csv."""
import csv
import io
import pathlib
import random
import re
import struct
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import sampled  # noqa: E402
from text_oracle import CASES, FORMATS, INTEGERS, MISSING, as_bits, bits_of, dump, fraction_of, random_number


class Numbers(unittest.TestCase):
    def test_every_number_is_rounded_once(self):
        texts = [random_number() for _ in range(10 * CASES)]
        texts += ["1e999", "-1e999", "1e-999", "1e99999999999999999999", "0e99999999999999999999", "-0", "65519.999", "65520",
                  "65504", "2.98023223876953125e-8", "2.98023223876953125000001e-8", "0x1p-25", "0x1.00000000001p-25",
                  "3.3961775292304601e38", "340282356779733661637539395458142568447.99", "1" + "0" * 500 + "e-500",
                  "0." + "0" * 500 + "1e501", "9007199254740993", "9007199254740992.9999", "0x10000000000000.8", "0x.8", "0x8.", "1969.4999", "1683.4999"]
        for type in FORMATS:
            lines = dump("\n".join(texts), f"type={type}", f"block={random.choice([1, 50, 1000, 100000])}", "threads=2")
            found = as_bits(lines[1].split(), type)
            self.assertEqual(len(found), len(texts))
            for text, bits in zip(texts, found):
                self.assertEqual(bits, bits_of(text, type), (text, type))

    def test_the_oracle_itself(self):
        for _ in range(1000):
            text = random_number()
            if "x" in text.lower() or "n" in text.lower():
                continue
            self.assertEqual(bits_of(text, "float64"), struct.unpack("Q", struct.pack("d", float(text)))[0], text)

    def test_what_is_no_number(self):
        texts = ["1x", "x1", "--1", "+-1", "-+1", "++1", "1e", "1e+", "e5", ".", "+", "1.2.3", "1_000", "0x", "0x.", "0xg",
                 "0x1p", "0x1p+", "0x1p1.5", "nan(1)", "nan()", "infi", "infinit", "1d5", "١", "1\u00a0", "1'000", "1-2", "$1",
                 "1%", "0b1", "1L", "1f", "-NA", "na", "none", "nil", "true", "1e5e5", "0x1e+5", "in", "nanx", "-0x-1", "(1)"]
        for text, type in sampled([(text, type) for text in texts for type in [*FORMATS, *INTEGERS] if (text, type) != ("true", "bool")]):
            with self.subTest(text=text, type=type):
                lines = dump(f"0\n{text}\n", "header=no", f"type={type}")
                self.assertRegex(lines[0], r"^error FILE: line 2, column 1: .* is not a number; ")


def random_integer(type):
    """An integer as people write them, in or next to the range of a type more often than not."""
    low, high = INTEGERS[type]
    value = random.choice([low, high, 0, random.randint(low, high), random.randint(-300, 300), random.randint(-2**70, 2**70)])
    value += random.choice([0, 0, -1, 1])
    sign = "-" if value < 0 else random.choice(["", "", "+", "-"] if value == 0 else ["", "", "+"])
    digits = random.choice(["", "0", "0" * random.randrange(30)]) + str(abs(value))
    if random.random() < 0.1:
        return sign + random.choice(["0x", "0X"]) + random.choice(["", "00"]) + f"{abs(value):x}"
    if random.random() < 0.3:  # the point and the exponent that moves it back
        point = random.randrange(len(digits) + 1)
        digits = f"{digits[:point]}.{digits[point:]}{random.choice('eE')}{random.choice(['', '+'])}{len(digits) - point}"
    return sign + digits + ("." + "0" * random.randrange(3) if digits.isdigit() and random.random() < 0.1 else "")


def integer_of(text, type):
    """The value of a text as an integer of the type, or what the error must say of it."""
    low, high = INTEGERS[type]
    if type == "bool" and text.lower() in ("true", "false"):
        return int(text.lower() == "true")
    if re.fullmatch(r"[+-]?\d+", text):
        value = int(text)
    else:
        value = fraction_of(text) * (-1 if text.startswith("-") else 1)
        if value.denominator != 1:
            return " is not an integer; "
    return int(value) if low <= value <= high else f" is beyond the range of {type}; "


class Integers(unittest.TestCase):
    def values(self, lines, type):
        return [int.from_bytes(bytes.fromhex(word), "little", signed=type.startswith("int")) for word in lines[1].split()]

    def test_integers(self):
        for type in INTEGERS:
            texts = [random_integer(type) for _ in range(10 * CASES)] + ["true", "FALSE", "True"] * (type == "bool")
            texts = [text for text in texts if isinstance(integer_of(text, type), int)]
            lines = dump("\n".join(texts), f"type={type}", f"block={random.choice([1, 50, 1000, 100000])}", "threads=2", "header=no")
            self.assertFalse(lines[0].startswith("error"), (lines[0], type))
            self.assertEqual(self.values(lines, type), [integer_of(text, type) for text in texts], type)

    def test_what_is_none_in_range(self):
        fixed = ["1.5", "-0.1", "1e-1", "1e20", "-1e20", "1e400", "-1e99", "1e-400", "18446744073709551616", "1.8446744073709551616e19",
                 "0x10000000000000000", "-0x8000000000000001"]
        cases = sampled([(text, type) for text in fixed for type in INTEGERS])
        cases += [(random_integer(type), type) for type in INTEGERS for _ in range(CASES // 100)] + [("2", "bool")]
        for text, type in cases:
            expected = integer_of(text, type)
            if isinstance(expected, str):
                with self.subTest(text=text, type=type):
                    found = dump(f"0\n{text}\n", f"type={type}")[0]
                    self.assertIn(f"error FILE: line 2, column 1: \"{text[:40]}", found)
                    self.assertIn(expected, found)

    def test_other_numbers_are_no_integers(self):
        for text in ["inf", "-Infinity", "nan", "0x1.8p1", "0x1p3", "0x.8"]:
            for type in INTEGERS:
                self.assertIn(" is not an integer; ", dump(f"0\n{text}\n", f"type={type}")[0])

    def test_truth_values_are_of_bool_only(self):
        self.assertEqual(dump("true\nFalse\n1\n0\n", "type=bool"), ["4 0", "01 00 01 00 "])  # no header
        self.assertEqual(dump("truth\nFalse\n", "type=bool"), ["1 0", "00 "])
        for type in [*FORMATS, *set(INTEGERS) - {"bool"}]:
            self.assertIn(" is not a number; ", dump("0\ntrue\n", f"type={type}")[0])


def random_field():
    return random.choice([str(random.randrange(1000)), random_number(), random.choice(MISSING), "text", 'a,b;c "d"\n#e', " x ", "12x"])


def random_table():
    """Rows of fields, its first column numbers or missing, its second keys, the rest anything."""
    rows = []
    for _ in range(random.randrange(30)):
        number = random.choice(MISSING) if random.random() < 0.1 else random_number()
        rows.append([number, random.choice(["a", "b", "key, with", 'q"q', "two\nlines"])] + [random_field() for _ in range(2)])
    return rows


class Tables(unittest.TestCase):
    def check(self, text, separator, *options):
        """What the module csv reads from a text is what TextReader reads from it."""
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
        numbers = [row[0].strip(" ") for row in rows]
        kept = [i for i, number in enumerate(numbers) if number not in MISSING]
        lines = dump(text, "columns=1", "key=2", f"separator={separator}", "header=no", "comment=none", "missing=value", *options)
        self.assertFalse(lines[0].startswith("error"), (lines[0], text))
        self.assertEqual(lines[0], f"{len(rows)} {len(rows) - len(kept)}", text)
        self.assertEqual(as_bits(lines[1].split(), "float64"), [bits_of(numbers[i], "float64") for i in kept], text)
        keys = [bytes.fromhex(word[1:]).decode() for word in lines[2].split()]
        self.assertEqual(keys, [rows[i][1] for i in kept], text)

    def test_tables(self):
        for _ in range(CASES // 4):
            separator, end = random.choice(",;\t|"), random.choice(["\n", "\r\n"])
            out = io.StringIO(newline="")
            writer = csv.writer(out, delimiter=separator, lineterminator=end,
                                quoting=random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
            writer.writerows(random_table())
            text = out.getvalue()
            if random.random() < 0.2:
                text = text.replace(end, 2 * end)  # blank lines
            if random.random() < 0.3:
                text = text.removesuffix(end)
            with self.subTest(text=text):
                self.check(text, separator, f"block={random.choice([1, 7, 64, 100000])}", f"threads={random.choice([1, 3])}")

    def test_the_first_error_is_reported_whatever_the_threads(self):
        for _ in range(CASES // 20):
            lines = [f"{random.randrange(1000)},x" for _ in range(random.randrange(1, 300))]
            wrong = sorted(random.sample(range(len(lines)), min(len(lines), random.randrange(1, 6))))
            for i in wrong:
                lines[i] = random.choice(["12x,x", ",x", "1,x,3", '"1"2,x'])
            expected = {"12x,x": ", column 1: \"12x\" is not", ",x": ", column 1: is empty", "1,x,3": ": the row has 3 fields",
                        '"1"2,x': ", column 1: there is text after"}[lines[wrong[0]]]
            if wrong[0] == 0:
                continue
            text = "\n".join(lines)
            for block in (1, 20, 100, 100000):
                found = dump(text, "columns=1", "header=no", f"block={block}", "threads=4")
                self.assertEqual(found[0][: len(expected) + 17 + len(str(wrong[0] + 1))], f"error FILE: line {wrong[0] + 1}{expected}")
                self.assertNotIn("BUT ALSO", found[0])


if __name__ == "__main__":
    unittest.main()
