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


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_on_ranks(ranks):
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    options = ["--oversubscribe"] if "Open MPI" in version or "open-mpi" in version else []
    done = subprocess.run([MPIRUN, *options, "-n", str(ranks), sys.executable, pathlib.Path(__file__).with_name("on_ranks.py")],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"})
    assert (done.returncode, done.stdout) == (0, f"{ranks} ranks\n"), done.stderr
