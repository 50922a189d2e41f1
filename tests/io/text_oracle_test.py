"""TextReader against Python: numbers by float(), Fraction and int, rows by the module csv."""
import csv
import io
import os
import random
import re
import shlex
import struct
import subprocess
import tempfile
import unicodedata
import unittest
from fractions import Fraction

DUMP = shlex.split(os.environ["TEXT_DUMP"])  # an emulator may come first
CASES = int(os.environ.get("FOLDLINE_TEST_CASES", "2000"))
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "-"]
INTEGERS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
INTEGERS |= {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)} | {"bool": (0, 1)}
FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def rounded(value, exponent_bits, fraction_bits):
    """The bits of the nearest number, ties to even, of a fraction that is not negative."""
    bias = 2 ** (exponent_bits - 1) - 1
    infinity = (2**exponent_bits - 1) << fraction_bits
    if value == 0:
        return 0
    leading = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** leading > value:
        leading -= 1
    binade = max(leading, 1 - bias)
    if binade > bias:
        return infinity
    units = round(value / Fraction(2) ** (binade - fraction_bits))  # Python rounds ties to even
    return min(((binade + bias - 1) << fraction_bits) + units, infinity)


def fraction_of(text):
    """The exact value of a decimal or hexadecimal number, without its sign."""
    text = text.lstrip("+-").lower()
    if text.startswith("0x"):
        digits, _, exponent = text[2:].partition("p")
        whole, _, part = digits.partition(".")
        return Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(part))
    return Fraction(text)


def bits_of(text, type):
    exponent_bits, fraction_bits = FORMATS[type]
    word = text.lstrip("+-").lower()
    if word in ("inf", "infinity"):
        bits = (2**exponent_bits - 1) << fraction_bits
    elif word == "nan":
        return "nan"
    elif re.fullmatch(r"[\d.]*e[+-]?\d{7,}", word):  # Fraction would write out all of its digits
        zero = not word.partition("e")[0].strip("0.") or "e-" in word
        bits = 0 if zero else (2**exponent_bits - 1) << fraction_bits
    else:
        bits = rounded(fraction_of(text), exponent_bits, fraction_bits)
    return bits | text.startswith("-") << (exponent_bits + fraction_bits)


def as_bits(words, type):
    """Bits from what text_dump prints: bytes as they lie in memory."""
    exponent_bits, fraction_bits = FORMATS[type]
    infinity = (2**exponent_bits - 1) << fraction_bits
    magnitude = 2 ** (exponent_bits + fraction_bits) - 1
    values = [int.from_bytes(bytes.fromhex(word), "little") for word in words]
    return ["nan" if value & magnitude > infinity else value for value in values]


def dump(text, *options):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    with tempfile.NamedTemporaryFile(prefix="foldline-test-") as file:
        file.write(data)
        file.flush()
        result = subprocess.run([*DUMP, file.name, *options], capture_output=True, text=True, check=True, timeout=60)
        return result.stdout.replace(file.name, "FILE").splitlines()


def random_digits(length):
    return "".join(random.choice("0123456789") for _ in range(length))


def halfway(type):
    """A number exactly half-way between two of a type, in all its digits, or as good as."""
    exponent_bits, fraction_bits = FORMATS[type]
    bias = 2 ** (exponent_bits - 1) - 1
    units = 2 * random.randrange(2**fraction_bits) + 1 + random.choice([0, 2 ** (fraction_bits + 1)])
    exponent = random.choice([1 - bias, 0, random.randrange(max(1 - bias, -150), min(bias, 150))]) - fraction_bits - 1
    value = Fraction(units) * Fraction(2) ** exponent
    scale = max(0, -exponent)  # 2^-k has k digits after the point
    digits = str(value.numerator * 10**scale // value.denominator).rjust(scale + 1, "0")
    text = digits[: len(digits) - scale] + "." + digits[len(digits) - scale :]
    return text + random.choice(["", "0", "000000001", "0" * 30 + "1"]) if random.random() < 0.7 else text[:-1] + "4999"


def random_number():
    kind = random.randrange(8)
    sign = random.choice(["", "", "-", "+"])
    if kind == 0:
        return sign + str(random.randrange(10 ** random.randrange(1, 25)))
    if kind == 1:
        return sign + repr(abs(struct.unpack("d", random.randbytes(8))[0]))
    if kind == 2:
        return sign + random_digits(random.randrange(1, 30)) + "." + random_digits(random.randrange(40))
    if kind == 3:
        return sign + "." + random_digits(random.randrange(1, 30)) + random.choice("eE") + str(random.randrange(-330, 330))
    if kind == 4:
        digits = "".join(random.choice("0123456789abcdefABCDEF") for _ in range(random.randrange(1, 25)))
        point = random.randrange(len(digits) + 1)
        power = random.choice(["", f"p{random.randrange(-1100, 1100)}", f"P+{random.randrange(40)}"])
        return sign + random.choice(["0x", "0X"]) + digits[:point] + random.choice([".", ""]) + digits[point:] + power
    if kind == 5:
        return sign + random.choice(["inf", "INF", "Infinity", "infinity", "nan", "NaN", "NAN", "0", "0.0", "-0"[1:]])
    if kind == 6:
        return sign + halfway(random.choice(list(FORMATS)))
    return sign + f"{random.uniform(0, 1e4):.{random.randrange(1, 18)}g}"


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
        for text in ["1x", "x1", "--1", "+-1", "-+1", "++1", "1e", "1e+", "e5", ".", "+", "1.2.3", "1_000", "0x", "0x.", "0xg",
                     "0x1p", "0x1p+", "0x1p1.5", "nan(1)", "nan()", "infi", "infinit", "1d5", "١", "1\u00a0", "1'000", "1-2", "$1",
                     "1%", "0b1", "1L", "1f", "-NA", "na", "none", "nil", "true", "1e5e5", "0x1e+5", "in", "nanx", "-0x-1", "(1)"]:
            for type in [*FORMATS, *INTEGERS]:
                if text == "true" and type == "bool":
                    continue
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
        for type in INTEGERS:
            texts = fixed + [random_integer(type) for _ in range(CASES // 100)] + ["2"] * (type == "bool")
            for text in texts:
                expected = integer_of(text, type)
                if isinstance(expected, str):
                    with self.subTest(text=text, type=type):
                        self.assertIn(f"error FILE: line 2, column 1: \"{text[:40]}", dump(f"0\n{text}\n", f"type={type}")[0])
                        self.assertIn(expected, dump(f"0\n{text}\n", f"type={type}")[0])

    def test_other_numbers_are_no_integers(self):
        for text in ["inf", "-Infinity", "nan", "0x1.8p1", "0x1p3", "0x.8"]:
            for type in INTEGERS:
                self.assertIn(" is not an integer; ", dump(f"0\n{text}\n", f"type={type}")[0])

    def test_truth_values_are_of_bool_only(self):
        self.assertEqual(dump("true\nFalse\n1\n0\n", "type=bool"), ["4 0", "01 00 01 00 "])  # no header
        self.assertEqual(dump("truth\nFalse\n", "type=bool"), ["1 0", "00 "])
        for type in [*FORMATS, *set(INTEGERS) - {"bool"}]:
            self.assertIn(" is not a number; ", dump("0\ntrue\n", f"type={type}")[0])


QUOTES = "'`\u00b4\u2018\u2019\u201c\u201d\u2032\u2033\u00ab\u00bb\""


def is_number(text):
    return "_" not in text and re.fullmatch(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf(inity)?|nan|0x[\da-f]+)", text, re.A | re.I) is not None


def is_error(text):
    """An error value of a spreadsheet."""
    return text in ("#N/A", "#NV", "#N/D", "#GETTING_DATA") or re.fullmatch(r"#[A-Z/0\u0080-\U0010ffff]+[!?]", text) is not None


def remains(text):
    """What is left without spaces, currency signs and punctuation; and behind the last currency sign."""
    kept, last = "", 0
    for c in text:
        category = unicodedata.category(c)
        if category == "Sc":
            last = len(kept)
        elif category == "Nd":
            kept += str(unicodedata.digit(c))
        elif c in "+." or category[0] == "L" or c == "_":
            kept += c
        elif category == "Pd" or c == "\u2212":
            kept += "-"
    return kept, kept[last:]


def kind_of(field):
    """What a field of the first line is, by the rules of docs/text.md."""
    if field in MISSING:
        return "missing"
    if is_number(field):
        return "number"
    category = unicodedata.category(field[0])
    if category in ("Nd", "Pd", "Sc", "Zs", "Cf", "Ps", "Pe", "Pi", "Pf") or field[0] in "+.\u2212" + QUOTES or is_error(field):
        return "damaged"
    if field in ("#", "%"):
        return "name"
    kept, behind = remains(field)
    if is_number(kept) or is_number(behind) or not re.search(r"[\w.]", kept):
        return "damaged"
    alike = kept.translate(str.maketrans("OoIl\u041e\u039f", "001100"))
    return "damaged" if re.search(r"[\d.]", kept) and is_number(alike) else "name"


class Headers(unittest.TestCase):
    def check(self, field):
        """A field alone: a name makes a header, a damaged number an error."""
        kind = kind_of(field)
        lines = dump(f"\ufeff{field}\n7\n", "separator=|", "missing=value")
        with self.subTest(field=field, kind=kind):
            if kind == "damaged":
                self.assertRegex(lines[0], "^error FILE: line 1, column 1: .* is not a number, and looks too much like one")
            else:
                self.assertEqual(lines[0], {"name": "1 0", "number": "2 0", "missing": "2 1"}[kind])

    def test_fields_of_all_kinds(self):
        pieces = ["5", "12", ".", ",", "-", "+", "e", "x", "O", "o", "l", "I", "S", "co", "inf", "nan", "#", "%", "$", "\u20ac", "(", ")", "'", "<", ">", "~", "/",
                  "\u2212", "\u00a0", "\uff15", "\u0665", "\u041e", "_", "!", "?", "*", "\u00e4", "\u2026", " ", "Q", "DIV", "N/A"]
        for _ in range(CASES // 8):
            field = "".join(random.choice(pieces) for _ in range(random.randrange(1, 6))).strip(" ")
            if field and not re.match("<|#[ #!]", field):  # HTML, or a comment
                self.check(field)

    def test_first_characters(self):
        by_category = {}
        for code in range(0x80, 0x20000):
            by_category.setdefault(unicodedata.category(chr(code)), []).append(chr(code))
        for category in ("Sc", "Zs", "Pd", "Nd", "Ps", "Pe", "Pi", "Pf", "Lu", "Lo", "Cf"):
            known = [c for c in by_category[category] if category != "Cf" or c in "\u200b\u200d\u2060\ufeff\u00ad\u061c"]
            for c in random.sample(known, min(len(known), 12)):
                self.check(c + "5")


class Lines(unittest.TestCase):
    """Every line is a row, a header, a comment or blank; none of them disappears."""

    def test_rows_and_lines(self):
        pieces = ["1", "#", "#N/A", "#7", "#!", "##", "#NUM!", "NA", "x", "-"]
        for _ in range(CASES // 8):
            ends = random.choice([["\n"], ["\r"], ["\r\n"], ["\n", "\r", "\r\n"]])
            separator, comment = random.choice(" ,"), random.choice(["", "comment=#", "comment=none"])
            keys = ["".join(random.choice(pieces) for _ in range(random.randrange(1, 3))) for _ in range(random.randrange(8))]
            lines = [random.choice(["", "", " "]) + key + random.choice(["", " "]) + separator + "5" for key in keys]
            lines += ["", " ", "\t"] if random.random() < 0.5 else []
            random.shuffle(lines)
            text = "".join(line + random.choice(ends) for line in lines)
            rows = 0
            for line in re.split("\r\n|\r|\n", text):
                first = re.split("[\t ,]", line.strip(" \t"))[0]
                is_value = first == "#N/A" or is_error(first)
                is_clear = rows == 0 and re.match("#([ !#]|$)", line.strip(" \t")) is not None
                is_comment = first.startswith("#") and {"": is_clear if separator == "," else not is_value, "comment=#": not is_value,
                                                        "comment=none": False}[comment]
                rows += line.strip(" \t") != "" and not is_comment
            with self.subTest(text=text, separator=separator, comment=comment):
                options = [f"separator={separator}", "header=no", f"block={random.choice([1, 2, 7, 1000])}", *filter(None, [comment])]
                self.assertEqual(dump(text, "columns=2", *options)[0], f"{rows} 0")


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


THOUSANDS = {"": [], " ": [" ", "\u00a0", "\u202f"], "'": ["'", "\u2019"], ".": ["."], ",": [","], "\u00a0": ["\u00a0"], "\u202f": ["\u202f"]}


def plain(text, decimal, thousands, fortran):
    """A number as its country or Fortran writes it, as Python reads it; None if it is none."""
    mark = re.escape(decimal)
    if re.fullmatch("[+-]?(inf|infinity|nan)", text, re.A | re.I):
        return text
    if re.fullmatch(rf"[+-]?0x([\da-f]+({mark}[\da-f]*)?|{mark}[\da-f]+)(p[+-]?\d+)?", text, re.A | re.I):
        return text.replace(decimal, ".")
    groups = "|".join(map(re.escape, THOUSANDS[thousands])) or "(?!)"
    match = re.fullmatch(rf"([+-]?)([1-9]\d{{0,2}}(?:(?:{groups})\d{{3}})+|\d*)(?:({mark})(\d*))?(?:([a-zA-Z]?)([+-]?\d+))?", text, re.A)
    if not match:
        return None
    sign, whole, point, part, letter, power = match.groups()
    whole = re.sub(r"\D", "", whole)
    if not whole + (part or ""):
        return None
    is_fortrans = letter is not None and (
        (letter in "dD" and letter and (fortran or point or power[0] in "+-")) or (letter in "qQ" and letter and fortran) or
        (not letter and fortran and point and re.fullmatch(r"[+-]\d\d\d", power)))
    if letter is not None and letter not in ("e", "E") and not is_fortrans:
        return None
    return f"{sign}{whole or 0}.{part or 0}" + (f"e{power}" if power else "")


def local_number(decimal, thousands):
    """A number as people of some country write it, or nearly so."""
    whole = random_digits(random.randrange(8)).lstrip("0") or random.choice(["", "0", "5"])
    if thousands and random.random() < 0.6:
        mark = random.choice(THOUSANDS[thousands])
        whole = re.sub(r"(?<=\d)(?=(\d{3})+$)", lambda _: mark, whole)
    text = random.choice(["", "", "-", "+"]) + whole + random.choice(["", decimal + random_digits(random.randrange(20))])
    text += random.choice(["", "", random.choice("eEdDqQx") + random.choice(["", "-", "+"]) + str(random.randrange(300)), f"{random.choice('+-')}{random.randrange(300)}"])
    if random.random() < 0.2:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(["", *".,' +-eEdDqQ05", "\u00a0", "\u2019"]) + text[at + random.randrange(2):]
    return random.choice([text, text, text, text, "0x1" + decimal + "8p3", "-inf"]).strip(" ")


class Spellings(unittest.TestCase):
    """Decimal commas, thousands, and Fortran's exponents: --decimal, --thousands, --fortran."""

    def test_numbers_and_what_is_none(self):
        for _ in range(CASES // 50):
            decimal = random.choice(".,")
            thousands = random.choice([mark for mark in THOUSANDS if mark != decimal])
            fortran = random.random() < 0.5
            type = random.choice(list(FORMATS))
            options = ["header=no", "separator=;", f"type={type}", f"decimal={decimal}", f"thousands={thousands}", *["fortran"] * fortran]
            texts = [text for text in (local_number(decimal, thousands) for _ in range(100)) if text not in MISSING]
            numbers = [text for text in texts if plain(text, decimal, thousands, fortran) is not None]
            lines = dump("\n".join(numbers), *options, f"block={random.choice([1, 50, 100000])}")
            self.assertFalse(lines[0].startswith("error"), (lines[0], options))
            found = as_bits(lines[1].split(), type)
            self.assertEqual(len(found), len(numbers))
            for text, bits in zip(numbers, found):
                self.assertEqual(bits, bits_of(plain(text, decimal, thousands, fortran), type), (text, options))
            for text in [text for text in texts if text not in numbers][:10]:
                with self.subTest(text=text, options=options):
                    self.assertRegex(dump(f"0\n{text}\n", *options)[0], r"^error FILE: line 2, column 1: .* is not a number")


class Layouts(unittest.TestCase):
    """Lines to skip, Excel's line of the separator, comments, markers, and decimal commas in quotes, against the module csv."""

    def check(self, rows, texts, decimal, markers, only, options, text):
        known = set(markers) | set([] if only else MISSING)
        values = {Fraction(marker) for marker in markers if re.fullmatch(r"-?\d+(\.\d+)?", marker)}
        kept, missing = [], 0
        for line, field in texts:
            number = None if field in known else plain(field, decimal, "", False)
            if field not in known and number is None:
                found = dump(text, *options)[0]
                self.assertTrue(found.startswith(f"error FILE: line {line}, column 1: "), (found, line, field))
                return
            if number is None or Fraction(number) in values:
                missing += 1
            else:
                kept.append(bits_of(number, "float64"))
        found = dump(text, *options)
        self.assertEqual(found[0], f"{rows} {missing}")
        self.assertEqual(as_bits(found[1].split(), "float64"), kept)

    def random_row(self, separator, decimal, end, markers, odd):
        """The first field and the line, in which it is quoted if a decimal comma would end it."""
        field = random.choice([f"{random.randrange(-10**6, 10**6) / 1000:.3f}", str(random.randrange(-1000, 1000)), "-999.0", "0.50", "7e0"])
        field = field.replace(".", decimal)
        field = random.choice([field] * 5 + odd + markers)
        quotes = separator == decimal and decimal in field or random.random() < 0.3
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL)
        writer.writerow([field, random.choice(["a", "b c", f"x{separator}y", ""])])
        return field, out.getvalue()

    def test_layouts(self):
        for _ in range(CASES // 4):
            separator, decimal, end = random.choice(",;\t|"), random.choice(".,"), random.choice(["\n", "\r\n", "\r"])
            comment = random.choice([None, "%", "!"])
            markers = random.sample(["-999", "none", "0.5", ".", "n.d.", "7"], random.randrange(4))
            only = bool(markers) and random.random() < 0.4
            odd = random.choice([[], [], MISSING, ["x", "1.2.3", "NA", ""]])
            told = random.choice(["option", "line", "text" if separator != "|" and not comment else "option"])
            skipped = 0 if told == "line" else random.randrange(4)
            other = "|" if separator == ";" else ";"
            options = ["columns=1", "header=no", "missing=value", f"decimal={decimal}", f"block={random.choice([1, 7, 64, 100000])}",
                       *[f"marker={marker}" for marker in markers], *["only"] * only, f"comment={comment or 'none'}", f"skip={skipped}",
                       *{"option": [f"separator={separator}"], "line": [f"separator={other}"], "text": []}[told]]
            text = "".join(random.choice(["", "1", 'a "quote', "a,b;c|d\te", "sep=;", "% x"]) + end for _ in range(skipped))
            text += f"sep={separator}{end}" if told == "line" else ""
            line, texts = skipped + (told == "line"), []
            if told == "text":  # a quoted decimal comma between commas, or another separator
                texts, line = [(line + 1, f"1{decimal}5")], line + 1
                text += f'"1{decimal}5"{separator}a{end}'
            for _ in range(random.randrange(1, 20)):
                line += 1
                if comment and random.random() < 0.2:
                    text += comment + random.choice(["", " a", f'1{separator}2 "']) + end
                    continue
                field, row = self.random_row(separator, decimal, end, markers, odd)
                text += row
                texts.append((line, field))
            with self.subTest(text=text, options=options):
                self.check(len(texts), texts, decimal, markers, only, options, text)


if __name__ == "__main__":
    unittest.main()
