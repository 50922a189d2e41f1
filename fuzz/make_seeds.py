"""Writes the first inputs of the fuzzers: make_seeds.py FOLDER makes FOLDER/npy_header, FOLDER/array_reader and so on."""
import bz2
import gzip
import io
import lzma
import pathlib
import struct
import sys
import zipfile


def dictionary(descr, shape, order="False"):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)


def npy(text, data=b"", version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


HEADERS = [
    dictionary("<f8", "(3, 4)"),
    dictionary(">f4", "()", "True"),
    dictionary("=f2", "(0,)"),
    dictionary("|O", "(1,)"),
    dictionary("<i8", "(3L,)"),
    '{"shape":(1,),"descr":"<f4","fortran_order":False}',
    "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
    dictionary("<f8", "(-1,)"),
    dictionary("<f8", "(4294967296, 4294967296)"),
]
FILES = [npy(dictionary("<f8", "(2,)"), bytes(16), version) for version in (1, 2, 3)] + [
    npy(dictionary(">f2", "(3, 1)", "True"), bytes(6)),
    npy(dictionary("<f4", "(0,)")),
    npy(dictionary("<f8", "()"), bytes(7)),
    npy(dictionary("<f8", "(1,)"), bytes(9)),
    bytes(range(64)),
]
SHAPES = ["3", "1000,3", "0", "9223372036854775807", "9223372036854775808", "1,", ",1", "-1", "1,2,3,4"]

FORMULAS = [
    "exp(-x^2)*cos(3*x)",
    "4/(1+x**2)",
    "-2^-x + atan2(x, 1e-3)/max(x, .5)",
    "sinn(x)",
    "1/0",
    "2x",
    "((x)",
    "pi*e - inf",
    "sqrt(-1)",
]

TEXTS = ["1\n2\n3\n", "1.5 -2e3\t0x1.8p3 # c\r\ninf nan\n", "a\n1\n\nNA\n", "0.1000000000000000055511151231257827\n", "x 1\n12x", "-128 +1 0xFF 1.2e1\n18446744073709551615 true",
         "1\r2\r\n3\r", "\u22125\n3\n", "O3\n1\n", "1#2\n1 #N/A\n# c\r#x\n", "price\n", "{\"a\": 1}\n"]
TABLES = [
    "a,b\n1,2\n3,4\n",
    'key,a\n"x,""\n",1.5\ny,\n',
    "k;a\r\n1;2\r\n3;NA",
    "# c\n1\t2\t3\n4\t5\n",
    '"a","b"\n"1" ,"2"x\n',
    "a,b\n1,2,3\n",
    "\xef\xbb\xbfa|b\n1|2\n",
    "# c\r#\ra,b\r1,2\r\n#N/A,#DIV/0!\r",
    "#1001,20\n#c,d\n",
    "US$5,\xa35\nl0,(5)\n",
    "<DATE>,<OPEN>\n2020,1\n",
]


# By the zstd command, as Python has no library: "1\\n2\\n" with a checksum, and an empty frame before it.
ZSTD = bytes.fromhex("28b52ffd0458210000310a320a9147a739")


def archive(method, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name in ("a.npy", "b.npy")[: options.pop("members", 1)]:
            with made.open(name, "w", **options) as member:
                member.write(FILES[0])
    return file.getvalue()


COMPRESSED = [compress(text) for compress in (gzip.compress, bz2.compress, lzma.compress) for text in (b"", b"1\n2\n", FILES[0])] + [
    gzip.compress(b"1\n") + gzip.compress(b"2\n") + bytes(8),
    gzip.compress(bytes(2**20)),
    lzma.compress(bytes(2**16), check=lzma.CHECK_SHA256),
    ZSTD,
    b"\x50\x2a\x4d\x18\x03\0\0\0abc" + ZSTD,
    archive(zipfile.ZIP_STORED),
    archive(zipfile.ZIP_DEFLATED),
    archive(zipfile.ZIP_DEFLATED, members=2),
    archive(zipfile.ZIP_STORED, force_zip64=True),
]


def write(folder, inputs):
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (folder / f"seed-{number}").write_bytes(content)


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    write(root / "npy_header", [h.encode() for h in HEADERS] + FILES)
    write(root / "array_reader", FILES)
    write(root / "unpacking", COMPRESSED)
    write(root / "text", [choice + t.encode() for t in TEXTS for choice in (b"\0\x30\0\0", b"\4\x75\x39\0", b"\x88\xc2\x25\1")])
    write(root / "csv", [choice + t.encode("latin-1") for t in TABLES for choice in (b"\3\1\0\0\0", b"\x87\2\5\x29\4", b"\x0b\x18\x80\x50\1", b"\x0b\x20\x80\x0c\0")])
    write(root / "expression", [f.encode() for f in FORMULAS])
    write(root / "shape", [s.encode() for s in SHAPES])
