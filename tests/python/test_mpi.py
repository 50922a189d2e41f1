"""foldline.mpi on several ranks. Skipped where there is no mpi4py or no mpirun."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
MPIRUN = shutil.which("mpirun")
if MPIRUN is None:
    pytest.skip("there is no mpirun", allow_module_level=True)


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"


def on_ranks(ranks, program):
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    options = ["--oversubscribe"] if "Open MPI" in version or "open-mpi" in version else []
    return subprocess.run([MPIRUN, *options, "-n", str(ranks), sys.executable, program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"})


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_on_ranks(ranks):
    done = on_ranks(ranks, pathlib.Path(__file__).with_name("on_ranks.py"))
    assert (done.returncode, done.stdout) == (0, f"{ranks} ranks\n"), done.stderr


def test_the_example():
    printed = [on_ranks(ranks, EXAMPLES / "mpi_sums.py").stdout.split(": ", 1) for ranks in (1, 3)]
    assert printed[0][0] == "1 ranks" and printed[1] == ["3 ranks", printed[0][1]]
