"""How functions may be called, and what they say of other calls."""
import copy
import pickle
import threading

import numpy as np
import pytest

import foldline as fl

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("function", [fl.sum, fl.nansum, fl.mean, fl.min, fl.max, fl.var, fl.std, fl.vector_norm, fl.average, fl.cumsum,
                                      fl.cumulative_sum])
def test_arrays_are_given_by_place(function):
    with pytest.raises(TypeError):
        function(x=X)
    with pytest.raises(TypeError, match="None is no array"):
        function(None)


def test_pairs_are_given_by_place():
    for call in (lambda: fl.vecdot(x1=X, x2=X), lambda: fl.matmul(x1=X, x2=X.T), lambda: fl.dot(a=X, b=X.T), lambda: fl.fsum(numbers=[1])):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match="None is no array"):
        fl.vecdot(X, None)


def test_keepdims_is_what_python_takes_as_true():
    for truth in (1, np.True_, "yes"):
        assert fl.sum(X, keepdims=truth).shape == fl.var(X, keepdims=truth).shape == fl.vector_norm(X, keepdims=truth).shape == (1, 1)
        assert fl.average(X, keepdims=truth).shape == (1, 1)
    for untruth in (0, np.False_):
        assert fl.sum(X, keepdims=untruth).shape == ()
    with pytest.raises(ValueError, match="ambiguous"):
        fl.sum(X, keepdims=np.ones(2))


@pytest.mark.parametrize("function", [fl.min, fl.max])
def test_extrema_have_the_arguments_of_sum(function):
    assert function(X, dtype="float32").dtype == np.float32
    out = np.empty(3, np.float32)
    assert function(X, axis=0, out=out) is out and out.tolist() == function(X, axis=0).tolist()
    assert function(X, axis=1, where=X > 0, keepdims=True).shape == (2, 1)
    assert function(np.array([3, 200], np.uint8), dtype="uint8") in (3, 200)
    with pytest.raises(OverflowError):
        function(np.array([300]), dtype="uint8")
    with pytest.raises(ValueError, match="none of a result's elements"):
        function(X, where=np.zeros((2, 3), bool))


def test_vecdot_counts_axes_from_the_last_of_both_together():
    y = np.arange(12.0).reshape(2, 2, 3)
    assert np.array_equal(fl.vecdot(X, y), (X * y).sum(-1))
    assert np.array_equal(fl.vecdot(X, y, axis=-2), (X * y).sum(-2))
    assert np.array_equal(fl.vecdot(np.ones((2, 1)), y, axis=-2), y.sum(-2))
    for axis in (-3, 2):  # X has no third axis
        with pytest.raises(np.exceptions.AxisError):
            fl.vecdot(X, y, axis=axis)
    with pytest.raises(ValueError, match="from the last"):
        fl.vecdot(X, y, axis=0)
    with pytest.raises(ValueError, match="elements"):
        fl.vecdot(np.ones((2, 1)), y)  # that axis is not broadcast


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol(protocol):
    a = fl.Accumulator("mean")
    a.add(X)
    for b in (pickle.loads(pickle.dumps(a, protocol)), copy.copy(a), copy.deepcopy(a)):
        assert b.result() == 2.5 and b.operation == "mean" and b.count == 6


@pytest.mark.thread_unsafe
def test_small_stacks_are_refused():
    said = []

    def call():
        for function in (fl.sum, fl.cumsum, lambda x: fl.matmul(x, x.T)):
            try:
                said.append(function(X))
            except ValueError as error:
                said.append(str(error))

    before = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        threading.stack_size(256 * 1024)
        large = threading.Thread(target=lambda: said.append(fl.sum(np.ones((300, 300)), axis=(0, 1)) == 90_000))
        large.start()
        large.join()
    finally:
        threading.stack_size(before)
    assert len(said) == 4 and all("256 KiB" in text for text in said[:3]) and said[3]


def test_masked_arrays_of_a_function_are_refused():
    with pytest.raises(TypeError, match="masked"):
        fl.integrate(lambda x: np.ma.masked_less(x, 0.5), 0, 1)
