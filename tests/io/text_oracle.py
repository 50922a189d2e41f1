"""Numbers as texts, random ones, and their bits by Fraction; what TextReader makes of a text."""
import os
import random
import re
import shlex
import struct
import subprocess
import tempfile
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
