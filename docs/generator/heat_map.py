"""The grid of foldline-bench as a heat map: a row for each shape and axis, a column for each operation and type."""
import json

from .records import NotThere
from .svg import text

OPERATIONS = ("sum", "mean", "variance", "two_norm", "maximum", "inclusive_scan")
NAMES = {"two_norm": "norm", "maximum": "max", "variance": "var", "inclusive_scan": "scan"}
LEFT, TOP, WIDTH, HEIGHT, APART = 190, 78, 31, 16, 6
# The least ratio of each colour; mid-tones, for white and for black.
COLOURS = ((1.3, "#1a9850"), (1.0, "#66a861"), (0.8, "#d9a441"), (0.0, "#d64545"))


def colour_of(ratio):
    return next(colour for least, colour in COLOURS if ratio >= least)


def short(ratio):
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 1.995 else f"{ratio:.2f}".lstrip("0")


def heat_map(records, file, title):
    path = records.folder / file
    if not path.exists():
        raise NotThere(f"there is no {path}")
    with open(path, encoding="utf-8") as stream:
        record = json.load(stream)
    cells = {}
    for cell in record["cells"]:
        if "ratio" in cell:
            row = (cell["base"], cell["axis"], cell["layout"])
            cells[row, cell["operation"], cell["type"]] = cell["ratio"]
    rows = sorted({key[0] for key in cells}, key=row_order)
    types = sorted({key[2] for key in cells}, key=lambda name: (name[0] in "iu", -int(name.strip("abfilnotu")), name))
    columns = [(name, operation) for name in types for operation in OPERATIONS if any(key[1:] == (operation, name) for key in cells)]
    left, places, last = LEFT, [], None
    for name, operation in columns:
        left += APART if last not in (None, name) else 0
        places.append(left)
        left += WIDTH
        last = name
    height = TOP + HEIGHT * len(rows) + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 10} {height}" font-family="sans-serif" role="img">',
             f"<title>{title}</title>", text(10, 22, title, size=15)]
    for name in types:
        first = next(place for place, column in zip(places, columns) if column[0] == name)
        parts.append(text(first, 46, name, size=13))
    for place, (_, operation) in zip(places, columns):
        parts.append(text(place + WIDTH / 2, 66, NAMES.get(operation, operation), "middle", 10))
    for i, row in enumerate(rows):
        y = TOP + HEIGHT * i
        base, axis, layout = row
        parts.append(text(LEFT - 8, y + 12, f"{base.replace('x', ' x ')}, axis {axis}{'' if layout == 'dense' else ', ' + layout}", "end", 10))
        for place, (name, operation) in zip(places, columns):
            ratio = cells.get((row, operation, name))
            if ratio is None:
                continue
            parts.append(f'<rect x="{place}" y="{y}" width="{WIDTH - 1}" height="{HEIGHT - 1}" fill="{colour_of(ratio)}"/>')
            parts.append(text(place + WIDTH / 2 - 0.5, y + 11.5, short(ratio), "middle", 9, "#ffffff"))
    at = LEFT
    for (least, colour), words in zip(COLOURS, ("1.3 times as fast or more", "1 or more", "0.8 or more", "slower")):
        parts.append(f'<rect x="{at}" y="{height - 24}" width="14" height="14" fill="{colour}"/>')
        parts.append(text(at + 19, height - 12, words, size=11))
        at += 170 if least == 1.3 else 95
    return "\n".join([*parts, "</svg>"]) + "\n"


def row_order(row):
    """As the benchmark lists them: by the first extent over the last one, views at the end."""
    base, axis, layout = row
    extents = [int(extent) for extent in base.split("x")]
    return layout != "dense", len(extents), -extents[0] / extents[-1], base, axis, layout
