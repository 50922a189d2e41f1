"""What a user has who installed the wheel: right sums, the command, the licences of what is inside, a quick import; with --cuda, the CUDA backend."""
import pathlib
import subprocess
import sys
import time

import numpy as np

import foldline as fl

assert fl.sum([1e16, 1.0, -1e16]) == 1
assert fl.matmul(np.eye(3), np.ones((3, 2))).tolist() == np.ones((3, 2)).tolist()
home = pathlib.Path(fl.__file__).parent
licences = {path.name for path in (home / "licences").iterdir()}
assert {"nanobind"} <= licences, licences
grafted = sorted(path.name for path in home.parent.glob("foldline.libs/*"))
for name, package in (("libgomp", "libgomp1"), ("libbz2", "libbz2-dev"), ("libfmt", "libfmt-dev")):
    assert package in licences or not any(library.startswith(name) for library in grafted), (package, licences)
if "--cuda" in sys.argv[1:]:
    assert fl.has_cuda() and "cuda-runtime" in licences, licences
command = pathlib.Path(sys.executable).parent / "foldline"
if command.exists():
    assert subprocess.run([command, "sum", "-"], input="1e16\n1\n-1e16\n", text=True, capture_output=True, check=True).stdout == "1\n"


def seconds(code):
    def once():
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin

    return min(once() for _ in range(7))


alone = seconds("import numpy, foldline") - seconds("import numpy")
print(f"libraries inside: {', '.join(grafted) or 'none'}; licences: {', '.join(sorted(licences))}")
print(f"the command: {'yes' if command.exists() else 'no'}; CUDA: {'yes' if fl.has_cuda() else 'no'}; import foldline, after numpy: {alone * 1e3:.0f} ms")
