"""Accumulator and fsum."""
import copy
import itertools
import math
import pickle
import signal
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import oracle
import pytest
from arrays import arrays
from hypothesis import given
from hypothesis import strategies as st
from oracle import assert_same
from test_reductions import native

import foldline as fl


@given(st.lists(arrays(specials=False), max_size=4))
def test_chunks_are_one_sum(chunks):
    a, b = fl.Accumulator(), fl.Accumulator("sum")
    exact = Fraction(0)
    for i, chunk in enumerate(chunks):
        (a if i % 2 else b).add(chunk)
        exact += sum(oracle.fractions(native(chunk)), Fraction(0))
    a |= b
    assert a.exact() == exact
    assert a.count == sum(chunk.size for chunk in chunks)
    assert a.result(dtype="float64") == oracle.rounded(exact, "float64")
    for other in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a), fl.Accumulator.from_bytes(bytes(a))):
        assert other.exact() == exact
        assert other.count == a.count
    assert_same(pickle.loads(pickle.dumps(a)).result(dtype="float32"), a.result(dtype="float32"))


class Labelled(fl.Accumulator):
    def __init__(self, label):
        super().__init__("mean")
        self.label = label
        self.history = []

    def add(self, x):
        super().add(x)
        self.history.append(len(x))


class Slotted(fl.Accumulator):
    __slots__ = ("__private", "unset", "unit")

    def __init__(self):
        super().__init__()
        self.__private, self.unit = [1], "m"

    def private(self):
        return self.__private


def copies(a):
    return [copy.copy(a), copy.deepcopy(a), *(pickle.loads(pickle.dumps(a, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1))]


def test_copies_of_a_subclass_are_of_it():
    a = Labelled("north")
    a.add(np.array([1, 2, 6], np.float32))
    a.itself = a
    for i, other in enumerate(copies(a)):
        assert type(other) is Labelled and other.label == "north" and other.history == [3]
        assert (other.history is a.history) == (i == 0) and (other.itself is a) == (i == 0)
        assert_same(other.result(), np.float32(3))
        other.add([7.0, 8.0])
        assert other.history == ([3, 2] if i else a.history) and other.count == 5 and a.count == 3
    assert copy.deepcopy([a, a])[0] is not a
    pair = copy.deepcopy([a, a])
    assert pair[0] is pair[1]
    b = Slotted()
    b.add(0.5)
    for other in copies(b):
        assert type(other) is Slotted and other.private() == [1] and other.unit == "m" and other.exact() == Fraction(1, 2)
        assert not hasattr(other, "unset")


def test_type_of_the_result_is_that_of_the_function():
    for x in (np.ones(3, np.float32), np.ones(3, np.int8), np.ones(3, np.uint8), np.ones(3)):
        a = fl.Accumulator()
        a.add(x)
        assert_same(a.result(), fl.sum(x))
        assert_same((a | fl.Accumulator()).result("mean"), fl.mean(x))
        assert_same(pickle.loads(pickle.dumps(a)).result(), fl.sum(x))


def test_other_operations():
    x, w = np.array([1.0, 2.0, 4.0]), np.array([1, 1, 2])
    a = fl.Accumulator("average")
    a.add(x, w)
    assert a.result() == 2.75
    assert a.exact() == Fraction(11, 4)
    a = fl.Accumulator("statistics")
    a.add(x)
    assert a.result("min") == 1
    assert a.result("var", correction=1) == fl.var(x, ddof=1)
    assert a.exact("var") == oracle.exact_variance(x, 0)
    with pytest.raises(ValueError, match="root"):
        a.exact("std")
    a.add([math.nan, math.inf])
    with pytest.raises(ValueError, match="NaN"):
        a.exact("sum")


def test_misuse():
    with pytest.raises(ValueError, match="no operation 'median'; there are sum, "):
        fl.Accumulator("median")
    with pytest.raises(TypeError, match=r"add\(x, y\)"):
        fl.Accumulator("dot").add([1.0])
    with pytest.raises(ValueError, match="differ"):
        fl.Accumulator("dot").add([1.0], [1.0, 2.0])
    with pytest.raises(ValueError):
        fl.Accumulator.from_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="cannot be merged"):
        fl.Accumulator("sum").merge(fl.Accumulator("mean"))
    with pytest.raises(TypeError):
        fl.Accumulator().merge(3)


def test_threads_share_one():
    a, one = fl.Accumulator(), fl.Accumulator()
    x = np.random.default_rng(3).standard_normal(50_000)
    one.add(x)

    def work():
        for _ in range(20):
            a.add(x)
            a.merge(one)
            a.result()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert a.exact() == 80 * one.exact()
    a |= a
    assert a.exact() == 160 * one.exact()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_fsum_is_fsum(numbers):
    assert fl.fsum(numbers) == fl.fsum(iter(numbers)) == fl.fsum(np.array(numbers)) == math.fsum(numbers)


def test_fsum_of_all_kinds_of_numbers():
    numbers = [1, 2.5, True, np.float32(0.1), np.int8(-3), Fraction(1, 4), 2**62, -(2**62)]
    assert fl.fsum(numbers) == math.fsum([1, 2.5, 1, float(np.float32(0.1)), -3, 0.25])
    assert type(fl.fsum(np.ones(3, np.int8))) is float
    with pytest.raises(OverflowError, match="too large"):
        fl.fsum([2**1024])
    for wrong in ("abc", 3, [None]):
        with pytest.raises(TypeError):
            fl.fsum(wrong)
    with pytest.raises(ZeroDivisionError):
        fl.fsum(1 / n for n in (1, 0))


@pytest.mark.parametrize("numbers", [
    [2**63], [-(2**63) - 1, 2**63], [2**70 + 1, -(2**70)], [-(2**1023), 2**1023 - 1], [np.uint64(2**64 - 1), 0.5], [10**300 + 7, -(10**300)],
    [np.array(1.5), np.array(3)],
])
def test_fsum_of_large_numbers_and_of_arrays_of_no_axes(numbers):
    fractions = [Fraction(float(n)) if np.asarray(n).dtype.kind == "f" else Fraction(int(n)) for n in numbers]
    assert fl.fsum(numbers) == float(sum(fractions))


def test_fsum_of_arrays_of_objects():
    assert fl.fsum(np.array([Fraction(1, 4), Decimal("0.5"), 2**65], object)) == 2**65
    assert fl.fsum(np.array([], object)) == 0


@pytest.mark.thread_unsafe
def test_fsum_is_interrupted():
    class Alarm(Exception):
        pass

    def alarm(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Alarm):
            fl.fsum(itertools.repeat(1.0, 2**32))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
