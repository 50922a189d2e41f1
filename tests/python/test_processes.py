"""Threads, forks and signals."""
import concurrent.futures
import math
import multiprocessing
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import foldline as fl

X = np.random.default_rng(7).standard_normal(800_000)


def in_child(_):
    y = X.reshape(400, 2000)
    return fl.sum(X), float(fl.sum(fl.sum(y, axis=0))), fl.matmul(y[:50], y[:50].T)[0, 0], fl.cumsum(X)[-1], fl.get_num_threads()


def test_forked_workers_do_not_wait_for_threads_of_the_parent():
    fl.set_num_threads(4)  # so that there are threads on any machine
    fl.sum(X)
    fl.cumsum(X)
    fl.matmul(X.reshape(400, 2000)[:200], X.reshape(400, 2000)[:200].T)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(in_child, range(4)).get(timeout=60)
    fl.set_num_threads(0)
    assert all(result[0] == result[3] == math.fsum(X) and result[4] == 1 for result in results)
    assert fl.get_num_threads() == 0
    assert fl.sum(X) == math.fsum(X)


def test_spawned_workers():
    code = "import foldline as fl, numpy as np; print(fl.sum(np.arange(1000000)), fl.get_num_threads())"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout
    assert printed == "499999500000 0\n"


def test_threads_compute_at_once():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: fl.sum(X[n:]), range(16)))
    assert results == [math.fsum(X[n:]) for n in range(16)]


def test_other_threads_run_meanwhile():
    big = np.broadcast_to(X, (500, len(X)))
    done = threading.Event()
    thread = threading.Thread(target=lambda: (fl.sum(big), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 3


def test_an_interrupt_is_not_lost():
    code = """
import _thread, signal, threading, numpy as np, foldline as fl
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it otherwise
x = np.broadcast_to(np.ones(1000000), (300, 1000000))
threading.Timer(0.01, _thread.interrupt_main).start()
try:
    for _ in range(1000):
        fl.sum(x)
except KeyboardInterrupt:
    print("interrupted")
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout
    assert printed == "interrupted\n"


@pytest.mark.parametrize("call", ["fl.sum(x)", "fl.sum(x, axis=(0, 2))", "a.add(x)", "fl.matmul(x[0], x[1].T)",
                                  "fl.fsum(n for n in range(1000))", "fl.integrate(lambda x: x * x, 0, 1)"])
def test_daemon_threads_do_not_spoil_the_end(call):
    code = f"""
import threading, time, numpy as np, foldline as fl
x, a = np.ones((100, 200, 10)), fl.Accumulator()
def work():
    while True:
        {call}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_do_not_show(threads):
    fl.set_num_threads(threads)
    try:
        results = [fl.sum(X), fl.sum(X[::-1]), np.float64(fl.fsum(X)), fl.cumsum(X)[-1]]
        assert {result.tobytes() for result in results} == {np.float64(math.fsum(X)).tobytes()}
    finally:
        fl.set_num_threads(0)
