"""read: NumPy's own files, and texts."""
import gzip
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from arrays import elements
from oracle import FLOATS, INTEGERS, assert_same

import foldline as fl

DATA = pathlib.Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("dtype", [d for d in (*FLOATS, *INTEGERS) if d.name != "bfloat16"], ids=str)
def test_arrays(tmp_path, dtype):
    x = elements(dtype, 60, 5, True).reshape(3, 4, 5)
    for number, y in enumerate((x, x.transpose(2, 0, 1), x[:0], x[0, 0, 0], np.asfortranarray(x[0]), x.astype(dtype.newbyteorder(">")))):
        path = tmp_path / f"{number}.npy"
        np.save(path, y)
        assert_same(fl.read(path), np.asarray(y).astype(dtype))
    np.savez(tmp_path / "some.npz", a=x, b=x[0])
    assert_same(fl.read(tmp_path / "some.npz", member="b"), x[0])
    (tmp_path / "x.npy.gz").write_bytes(gzip.compress((tmp_path / "0.npy").read_bytes()))
    assert_same(fl.read(str(tmp_path / "x.npy.gz")), x)


def test_texts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,0.1,x\n2,,y\n3,1e400,z\n")
    assert fl.read(path, "a").tolist() == fl.read(path, 1, dtype="int8").tolist() == [1, 2, 3]
    assert fl.read(path, "a", dtype="float32").dtype == np.float32
    assert fl.read(path, ["b", "a"], skip_missing=True).tolist() == [[0.1, 1], [np.inf, 3]]
    plain = tmp_path / "plain"
    plain.write_text("1 2\n3 4 5\n")
    assert fl.read(plain).tolist() == [1, 2, 3, 4, 5]
    big = np.random.default_rng(1).random(100_000)
    plain.write_text("\n".join(map(repr, big.tolist())))
    assert_same(fl.read(plain), big)
    (tmp_path / "empty").write_text("")
    assert fl.read(tmp_path / "empty").tolist() == []


def test_the_record():
    assert fl.sum(fl.read(DATA / "co2.csv", "co2", skip_missing=True)) == fl.sum(fl.read(DATA / "co2_float64.npy")) == 756816.5


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fl.read(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        fl.read(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,x\n4,\n")
    for options, said in (({"column": "b"}, "line 3"), ({"column": "q"}, "q"), ({"column": 3}, "3"), ({}, "column"), ({"column": []}, "none"),
                          ({"column": "a", "member": "m"}, "member")):
        with pytest.raises(ValueError, match=said):
            fl.read(path, **options)
    for column in (1.5, None):
        with pytest.raises((TypeError, ValueError)):
            fl.read(path, column)
    with pytest.raises(OverflowError):
        fl.read(path, 2**70)
    with pytest.raises(TypeError):
        fl.read(7.5)
    with pytest.raises(ValueError, match="null"):
        fl.read(f"{path}\0x")
    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(ValueError, match="is an array"):
        fl.read(tmp_path / "x.npy", "a")
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="x.npy"):
        fl.read(tmp_path / "x.npy")


def test_names_that_are_not_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff"
    with pytest.raises(FileNotFoundError, match=r"\\xff: no such file"):
        fl.read(name)
    with open(name, "w") as file:
        file.write("1\nx\n")
    with pytest.raises(ValueError, match=r"\\xff: line 2"):
        fl.read(os.fsdecode(name))


def test_a_pipe_that_another_thread_writes(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = ("import foldline as fl, sys, threading\n"
               "threading.Thread(target=lambda: open(sys.argv[1], 'w').write('1\\n2\\n')).start()\n"
               "print(fl.read(sys.argv[1]).tolist())")
    done = subprocess.run([sys.executable, "-c", command, pipe], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("[1.0, 2.0]\n", 0), done.stderr
