"""peer_table_test.py PROGRAM: the table of docs/quadrature.md is what the program prints. Another processor's sin and exp may change last
places and, by those, how often something is bisected: hence the margins."""
import pathlib
import subprocess
import sys

CHAPTER = pathlib.Path(__file__).resolve().parents[2] / "docs/quadrature.md"


def cells(line):
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def agree(shown, printed):
    if shown == printed:
        return True
    try:
        shown, printed = float(shown), float(printed)
    except ValueError:
        return False
    if shown < 1e-10:  # an error: its size
        return shown / 4 <= printed <= 4 * shown
    return abs(shown - printed) <= max(1, 0.02 * shown) if shown >= 10 else abs(shown - printed) <= 0.05


lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
document = CHAPTER.read_text().splitlines()
if lines[0] not in document:
    sys.exit(f"docs/quadrature.md has no table that begins with\n{lines[0]}")
start = document.index(lines[0])
wrong = [f"shown:   {shown}\nprinted: {printed}" for shown, printed in zip(document[start:], lines)
         if len(cells(shown)) != len(cells(printed)) or not all(map(agree, cells(shown), cells(printed)))]
if document[start + len(lines)].startswith("|"):
    wrong.append("the document has more lines")
print("\n".join(wrong))
sys.exit(bool(wrong))
