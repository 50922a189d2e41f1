"""The tables of docs/python.md: sums of doubles in Python, by foldline and by others."""
from .markdown import table

SIZES = {"1000": "10^3", "1000000": "10^6", "10000000": "10^7"}
WAYS = ("foldline.sum", "numpy.sum", "torch.sum", "math.fsum", "xsum.xsum_small", "xsum.xsum_large", "accupy.fsum", "accupy.ksum")


def peers_table(records):
    """Time of an element, and in how many vectors the result was the exact one, rounded once."""
    found = records.json("python-peers")["sizes"]
    rows = []
    for way in WAYS:
        cells = [found[size].get(way) for size in SIZES]
        if any(cells):
            rows.append([f"`{way}`", *("-" if cell is None else f"{cell['nanoseconds'] / int(size):.2f} ns" for size, cell in zip(SIZES, cells)),
                         *("-" if cell is None else f"{cell['right']} of {cell['trials']}" for cell in cells)])
    return table(["", *(f"n = {size}" for size in SIZES.values()), *(f"right bits, {size}" for size in SIZES.values())], rows)


TABLES = {"sums in Python": peers_table}
