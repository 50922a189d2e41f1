"""mpi_test.py MPI FOLDER [unittest's arguments]: runs the programs of FOLDER that were built with this MPI (openmpi, mpich) on several ranks.
FOLDLINE_MPI_CASES is the number of random cases for each number of ranks, FOLDLINE_MPI_RANKS these numbers, FOLDLINE_MPI_KILLS that of kills."""
import array
import concurrent.futures
import gzip
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPI, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIX = "" if MPI == "plain" else f".{MPI}"
CASES = int(os.environ.get("FOLDLINE_MPI_CASES", 0))
RANKS = [int(n) for n in os.environ.get("FOLDLINE_MPI_RANKS", "1 2 3 4 7").split()]
KILLS = int(os.environ.get("FOLDLINE_MPI_KILLS", 2))
FEW = {1: 240, 2: 240, 3: 180, 4: 120, 7: 60}
SLEEPS = FOLDER / "libsleep_while_waiting.so"


def command(ranks, *words, preload=()):
    options = ["--oversubscribe"] if MPI == "openmpi" else []
    libraries = [*([SLEEPS] if SLEEPS.exists() else []), *preload]
    start = ["env", f"LD_PRELOAD={':'.join(map(str, libraries))}"] if libraries else []
    return [f"mpirun{SUFFIX}", *options, "-n", str(ranks), *start, *map(str, words)]


def environment():
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "OMP_NUM_THREADS": "1"}  # looking for networks takes half of a start


def run(ranks, *words, limit=120, preload=()):
    return subprocess.run(command(ranks, *words, preload=preload), env=environment(), capture_output=True, text=True, timeout=limit,
                          stdin=subprocess.DEVNULL)


def processes_of(program, mark):
    """Ids of the processes that run a program and have a mark in their environment."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if pathlib.Path(os.readlink(folder / "exe")).name == program.name and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


class OnSeveralRanks(unittest.TestCase):
    def test_random_cases(self):
        for ranks in RANKS:
            cases = CASES or FEW.get(ranks, 6)
            with self.subTest(ranks=ranks):
                done = run(ranks, FOLDER / f"mpi_battery_{MPI}", "--cases", cases, "--seed", ranks * 1_000_000, limit=3 * 3600 if CASES else 120)
                print(done.stdout.strip(), flush=True)
                self.assertEqual((done.stdout.strip(), done.returncode), (f"{cases} cases on {ranks} ranks", 0), done.stderr)

    def test_the_example(self):
        program = FOLDER.parents[1] / f"mpi/example_spread_{MPI}"
        printed = {run(ranks, program).stdout.rsplit(" first", 1)[0] for ranks in (1, 3)}
        self.assertEqual(len(printed), 1, printed)
        self.assertIn("sum 14.39272672286572", printed.pop())

    def test_every_rank_gets_the_error(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                done = run(ranks, FOLDER / f"mpi_faults_{MPI}")
                self.assertEqual((done.stdout, done.returncode), ("0 failures\n", 0), done.stderr)

    def test_a_killed_rank_ends_all(self):
        program = FOLDER / f"mpi_battery_{MPI}"
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                mark = f"FOLDLINE_MPI_RUN={os.getpid()}-{kill}"
                all_ranks = subprocess.Popen(command(3, program, "--cases", 1_000_000_000, "--announce", 1), env=environment() | dict([mark.split("=")]),
                                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                try:
                    # Not before: Open MPI's mpirun may hang by itself, in PMIx_server_finalize, if a rank dies while it connects.
                    self.assertTrue(select.select([all_ranks.stdout], [], [], 60)[0] and all_ranks.stdout.readline() == b"begins\n")
                    ours = processes_of(program, mark)
                    self.assertEqual(len(ours), 3)
                    time.sleep(random.uniform(0, 1.5))
                    os.kill(random.choice(ours), signal.SIGKILL)
                    self.assertNotEqual(all_ranks.wait(timeout=30), 0)
                    deadline = time.monotonic() + 5  # the launcher may end a moment before the ranks
                    while processes_of(program, mark) and time.monotonic() < deadline:
                        time.sleep(0.02)
                    self.assertEqual(processes_of(program, mark), [])
                finally:
                    if all_ranks.poll() is None:
                        all_ranks.kill()
                        all_ranks.wait()
                    all_ranks.stdout.close()


class Command(unittest.TestCase):
    """mpirun -n P foldline: what one process prints, once. Starting ranks is mostly waiting, so some are started at a time."""

    def setUp(self):
        self.pool, self.asked = concurrent.futures.ThreadPoolExecutor(3), []
        self.command = FOLDER.parents[1] / "cli/foldline"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        random.seed(7)
        self.files = []
        for number in range(5):
            rows = [f"{random.uniform(-1, 1) * 10.0 ** random.randint(-12, 12)!r},{random.choice(['', '1.5', '-2e9'])},{number}" for _ in range(40)]
            self.files.append(self.write(f"{number}.csv", "\n".join(["a,b,c", *rows]) + "\n"))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def same(self, *words, start=()):
        """Is compared at the end of the test."""
        alone = self.pool.submit(subprocess.run, [self.command, *map(str, words)], capture_output=True, text=True, timeout=60)
        self.asked.append((words, alone, self.pool.submit(run, 3, *start, self.command, *words)))

    def tearDown(self):
        self.pool.shutdown()
        for words, alone, shared in ((words, alone.result(), shared.result()) for words, alone, shared in self.asked):
            with self.subTest(words=words):
                self.assertEqual((shared.stdout, shared.returncode != 0), (alone.stdout, alone.returncode != 0), shared.stderr)
                complaints = [line for line in shared.stderr.splitlines() if line.startswith("foldline: ")]
                self.assertEqual(complaints, alone.stderr.splitlines())

    def test_prints_once_what_one_process_prints(self):
        self.same("stats", *self.files)
        self.same("sum", "--column", "a", "--format", "exact", *self.files)
        self.same("variance", "--column", "b", "--skip-missing", *self.files)
        self.same("count", "--column", "b", "--skip-missing", self.files[0])
        self.same("stats", *self.files[:2], self.write("text.csv", "a,b,c\n1,2,x\n"))  # c is left out

    def test_every_process_reads_a_part_of_a_long_file(self):
        value = lambda: repr(random.uniform(-1, 1) * 10.0 ** random.randint(-12, 12))  # noqa: E731
        rows = [f"{value()},{random.choice(['', '1.5', '-2e9'])},{i},x{i}" for i in range(6000)]
        plain = self.write("plain.csv", "a,b,c,name\n" + "\r\n".join(rows))  # without an end
        # Fields in quotes have what look like rows: where these begin cannot be told from the middle.
        for i in range(0, 6000, 120):
            rows[i] = f'{value()},1,{i},"' + "\n".join(f'{value()},2,3,""x""' for _ in range(random.randint(1, 300))) + '"'
        quoted = self.write("quoted.csv", "a,b,c,name\n" + "\n".join(rows) + "\n")
        late = self.write("late.csv", "a,b\n" + "\n".join(["1,2"] * 40000 + ["1,x", "1,2"] * 30000))  # b is left out, for line 40002
        wrong = self.write("wrong.csv", "a,b\n" + "\n".join(["1,2"] * 50000 + ["x,2"] * 2 + ["1,2"] * 5000))
        numbers = array.array("d", (random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300) for _ in range(30000)))
        raw, other = self.folder / "raw", self.folder / "other"
        raw.write_bytes(b"head" + numbers.tobytes())
        other.write_bytes(b"head" + numbers[::-1].tobytes())
        layout = ("--input-type", "float64", "--offset", "4")
        packed = self.folder / "plain.csv.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        self.same("stats", plain, quoted)
        self.same("sum", "--column", "a", "--format", "exact", quoted, packed, plain)
        self.same("stats", late)
        self.same("sum", "--column", "a", plain, quoted, wrong)
        self.same("stats", raw, *layout)
        self.same("dot", raw, other, *layout)
        self.same("mean", plain, "--column", "a", "--weights-column", "c")

    def test_other_launchers(self):
        """What srun sets; PMIx, which Open MPI's mpirun has too, without a number of processes."""
        for rank, expected in (("0", "foldline: was started as 2 processes by srun without PMI"), ("1", "")):
            with self.subTest(rank=rank):
                alone = subprocess.run([self.command, "sum", "--column", "a", self.files[0]], capture_output=True, text=True, timeout=60,
                                       env={**environment(), "SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": "2"})
                self.assertEqual((alone.stdout, alone.stderr[:len(expected)] if expected else alone.stderr), ("", expected))
        if MPI == "openmpi":
            self.same("sum", "--column", "a", *self.files, start=["env", "-u", "OMPI_COMM_WORLD_RANK", "-u", "OMPI_COMM_WORLD_SIZE"])
        self.same("sum", "--column", "a", *self.files, start=["env", f"FOLDLINE_MPI={MPI}"])

    def test_a_mistake_in_one_file_is_one_message(self):
        self.same("sum", "--column", "a", *self.files, self.write("wrong.csv", "a,b,c\n1,2,3\nx,2,3\n"))
        self.same("sum", self.files[0], self.folder / "missing.csv")
        first, later = (self.write(f"wrong{number}.csv", f"a\n{number}\nx{number}\n") for number in range(2))
        right = self.write("right.csv", "a\n1\n")
        self.same("sum", "--column", "a", right, first, right, later)  # the first process reads the later one
        self.same("sum", "--column")

    def test_help_is_printed_once(self):
        self.same("sum", "--help")

    def test_a_process_that_mpirun_did_not_start(self):
        rank, ranks = {"mpich": ("PMI_RANK", "PMI_SIZE")}.get(MPI, ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
        for number in "01":
            alone = subprocess.run([self.command, "sum", "--column", "a", self.files[0]], capture_output=True, text=True, timeout=60,
                                   env={**environment(), rank: number, ranks: "2"})
            self.assertEqual((alone.stdout, alone.returncode), ("", 1))
            self.assertIn(f"foldline: is process {number} of 2 by the environment of", alone.stderr)

    def test_pipes_are_refused(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        link = self.folder / "link"
        link.symlink_to("/dev/stdin")
        for file in (pipe, link, "/dev/stdin"):
            with self.subTest(file=file):
                shared = run(2, self.command, "sum", "--column", "a", self.files[0], file)
                self.assertEqual((shared.stdout, shared.returncode), ("", 1))
                self.assertIn(f"foldline: {file} is a pipe or device, which cannot be shared", shared.stderr)

    def test_what_cannot_be_shared(self):
        for words in (["scan", self.files[0]], ["sum", "-"], ["sum", "--by", "c", "--column", "a", self.files[0]]):
            shared = run(2, self.command, *words)
            self.assertEqual((shared.stdout, shared.returncode), ("", 1))
            self.assertEqual(len(re.findall("^foldline: .* cannot be shared by the processes of mpirun", shared.stderr, re.MULTILINE)), 1, shared.stderr)


class OnGpu(unittest.TestCase):
    def test_arrays_in_the_memory_of_a_gpu(self):
        program = FOLDER / f"mpi_on_gpu_{MPI}"
        if not program.exists():
            self.skipTest("built without CUDA")
        for ranks in (1, 3):
            done = run(ranks, program, "--bytes", 1 << 20)
            if "no GPU" in done.stdout:
                self.skipTest(done.stdout)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Preloaded(unittest.TestCase):
    """examples/mpi: what depends on the order of the ranks, and with the library preloaded does not."""

    def check(self, compiler, source):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "ranks"
            subprocess.run([f"{compiler}{SUFFIX}", ROOT / "examples/mpi" / source, "-o", program], check=True, cwd=folder)
            library = FOLDER.parents[1] / f"mpi/libfoldline_pmpi_{MPI}.so"
            for ranks in (3, 5):
                with self.subTest(ranks=ranks):
                    plain = [line.split() for line in run(ranks, program).stdout.splitlines()]
                    self.assertTrue(any(int(changed) > 0 for _, changed, _ in plain), plain)
                    exact = run(ranks, program, preload=[library])
                    lines = [line.split() for line in exact.stdout.splitlines()]
                    self.assertEqual([(name, changed, float(first)) for name, changed, first in lines], [(name, "0", 1) for name, _, _ in plain],
                                     exact.stderr)
                    self.assertGreater(len(lines), 2)

    def test_random_cases(self):
        library = FOLDER.parents[1] / f"mpi/libfoldline_pmpi_{MPI}.so"
        for ranks in (1, 2, 3, 4):
            cases = FEW[ranks]
            with self.subTest(ranks=ranks):
                done = run(ranks, FOLDER / f"mpi_battery_{MPI}", "--cases", cases, "--preloaded", 1, preload=[library])
                self.assertEqual((done.stdout.strip(), done.returncode), (f"{cases} cases on {ranks} ranks", 0), done.stderr)

    def test_a_program_in_c(self):
        self.check("mpicc", "ranks.c")

    @unittest.skipUnless(shutil.which("gfortran"), "there is no Fortran compiler")
    def test_a_program_in_fortran(self):
        self.check("mpifort", "ranks.f90")


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
