"""Which file of this repository includes which."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
FOLDERS = ("include", "src", "c", "mpi", "cli", "examples", "bench", "ladder", "fuzz", "simt", "tests")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def sources(root=ROOT):
    """The text of every source, by its path from the root."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in SUFFIXES
    }


def resolve(path, quote, name, files):
    """The file of this repository that an include names, or None if it is from elsewhere."""
    # The simulator is a project of its own.
    folders = ["simt/", "simt/include/", "simt/shim/"] if path.startswith("simt/") else ["include/", "src/", "c/include/", "tests/", "ladder/"]
    if quote == '"':
        folders.insert(0, str(pathlib.PurePosixPath(path).parent) + "/")
    for folder in folders:
        candidate = str(pathlib.PurePosixPath(folder + name))
        while "/.." in candidate:  # a/b/../c is a/c
            candidate = re.sub(r"[^/]+/\.\./", "", candidate, count=1)
        if candidate in files:
            return candidate
    return None


def includes(files):
    """For each include: the file that has it, what it names, and the file of this repository that this is, or None."""
    for path, text in sorted(files.items()):
        for quote, name in INCLUDE.findall(text):
            yield path, name, resolve(path, quote, name, files)
