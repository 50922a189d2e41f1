"""What is taken for an array, what is refused, and with which exception."""
import array
import ctypes
import gc
import struct
import sys
from decimal import Decimal

import array_api_strict
import numpy as np
import pytest
from oracle import assert_same

import foldline as fl


def test_lists_and_numbers():
    assert_same(fl.sum([[1, 2], [3, 4]]), np.int64(10))
    assert_same(fl.sum(3), np.int64(3))
    assert_same(fl.sum(np.float32(0.1)), np.float32(0.1))
    assert_same(fl.sum((True, False)), np.int64(1))


def test_buffers():
    assert fl.sum(array.array("f", [1, 2])) == 3
    assert fl.sum(memoryview(bytearray(b"\x01\x02"))) == 3


class Dlpack:
    """A library that knows the protocol and nothing else."""

    def __init__(self, x, version=True):
        self.x, self.version = x, version

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, max_version=None):
        if max_version is not None and not self.version:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.x.__dlpack__(max_version=max_version) if self.version else self.x.__dlpack__()


@pytest.mark.parametrize("version", [True, False])
def test_dlpack(version):
    x = np.arange(12.0).reshape(3, 4)[::-1, ::2]
    before = sys.getrefcount(x)
    assert_same(fl.sum(Dlpack(x, version), axis=0), x.sum(axis=0))
    assert_same(fl.sum(Dlpack(np.array([True, True]), version)), np.int64(2))
    gc.collect()
    assert sys.getrefcount(x) == before
    with pytest.raises(TypeError, match="complex128"):
        fl.sum(Dlpack(np.ones(2, complex), version))


def test_dlpack_of_a_device():
    class OnDevice:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **options):
            raise AssertionError("was asked for its memory")

    with pytest.raises(TypeError, match="copy .* to the host"):
        fl.sum(OnDevice())


class LyingDlpack:
    """What another library's mistakes, or none, give."""

    def __init__(self, device, shape=None):
        self.device, self.shape, self.memory = device, shape, np.ones(8)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if self.shape is None:
            raise AssertionError("was asked for its memory")
        # DLManagedTensor of version 0: data, device, axes, type, shape, strides, offset, context, deleter
        self.shape = np.array(self.shape, np.int64)
        axes = self.shape.size if self.shape.size else -1
        self.tensor = np.frombuffer(
            struct.pack("=QiiiBBHQQQQQ", self.memory.ctypes.data, 1, 0, axes, 2, 64, 1, self.shape.ctypes.data, 0, 0, 0, 0), np.uint8).copy()
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(self.tensor.ctypes.data, b"dltensor", None)


@pytest.mark.parametrize("device", [1, (), None, {}])
def test_dlpack_devices_that_are_none(device):
    with pytest.raises((TypeError, IndexError, KeyError)):
        fl.sum(LyingDlpack(device))
    with pytest.raises(OverflowError):
        fl.sum(LyingDlpack((2**70, 0)))


def test_dlpack_shapes_that_are_none():
    assert fl.sum(LyingDlpack((1, 0), (2, 4))) == 8
    for function in (fl.sum, fl.nansum, fl.cumsum):
        for shape in ((-4,), (-4, 2), (2**33, 2**31), ()):
            with pytest.raises(ValueError, match="__dlpack__ gave"):
                function(LyingDlpack((1, 0), shape))


def test_results_are_of_the_library_of_the_input():
    xp = array_api_strict
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    for result, expected in ((fl.sum(x), 10.0), (fl.sum(x, axis=0)[1], 6.0), (fl.matmul(x, x)[0, 0], 7.0),
                             (fl.cumulative_sum(x, axis=1)[1, 1], 7.0), (fl.vecdot(x, x)[1], 25.0)):
        assert type(result) is type(x)
        assert float(result) == expected
        assert result.dtype == xp.float64


@pytest.mark.parametrize("x, name, advice", [
    (np.ones(2, complex), "complex128", "x.real"),
    (np.array([Decimal(1)]), "object", "fsum"),
    (np.array(["a"]), "<U1", "real"),
    (np.array(["2020-01-01"], "M8[D]"), "datetime64", "real"),
    (np.ones(2, np.longdouble), "float128", "float64"),
    ([1, None], "object", "fsum"),
    ([2**70], "object", "fsum"),
])
@pytest.mark.parametrize("function", [fl.sum, fl.mean, fl.vector_norm, fl.cumsum, fl.trapezoid, lambda x: fl.Accumulator().add(x)])
def test_types_that_are_none(function, x, name, advice):
    with pytest.raises(TypeError, match=name) as caught:
        function(x)
    assert advice in str(caught.value)


@pytest.mark.parametrize("axis, error", [(2, np.exceptions.AxisError), ((0, -3), np.exceptions.AxisError),
                                         ((0, -2), ValueError), (1.0, TypeError), ("x", TypeError), ([0, 1], TypeError)])
@pytest.mark.parametrize("function", [fl.sum, fl.mean, fl.std, fl.max, fl.nansum, fl.average])
def test_wrong_axes(function, axis, error):
    with pytest.raises(error):
        function(np.ones((2, 3)), axis=axis)


def test_misuse():
    x = np.ones((2, 3))
    with pytest.raises(ValueError, match="shape"):
        fl.sum(x, axis=0, out=np.zeros(2))
    with pytest.raises(TypeError, match="out="):
        fl.sum(x, out=[0])
    with pytest.raises(ValueError, match="read-only"):
        fl.sum(x, axis=0, out=np.broadcast_to(0.0, 3))
    for text_or_time in ("U3", "S1", "m8[s]"):
        with pytest.raises(TypeError, match="cannot be cast"):
            fl.sum([2**40], out=np.zeros((), text_or_time))
    with pytest.raises(TypeError, match="bool"):
        fl.sum(x, where=np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        fl.sum(x, where=np.ones(2, bool))
    with pytest.raises(TypeError, match="complex64"):
        fl.sum(x, dtype="complex64")
    with pytest.raises(TypeError):
        fl.sum(x, dtype="nothing")
    with pytest.raises(TypeError):
        fl.sum()
    with pytest.raises(TypeError):
        fl.mean(x, initial=3)
    with pytest.raises(TypeError, match="masked"):
        fl.sum(np.ma.masked_array([1, 2], [True, False]))
    with pytest.raises(ValueError, match="correction"):
        fl.var(x, correction=-1)
    with pytest.raises(ValueError, match="whole number"):
        fl.var(x, correction=0.5)
    with pytest.raises(ValueError, match="give one"):
        fl.var(x, ddof=1, correction=1)
    with pytest.raises(ValueError, match="ord"):
        fl.vector_norm(x, ord=3)
    for call in (lambda: fl.vector_norm(x, ord="2"), lambda: fl.var(x, correction="1"), lambda: fl.std(x, ddof=b"1")):
        with pytest.raises(TypeError, match="real number"):
            call()
    with pytest.raises(ValueError):
        fl.set_num_threads(-1)


def test_subclasses_are_read_as_arrays():
    class Mine(np.ndarray):
        pass
    x = np.arange(4.0).view(Mine)
    assert fl.sum(x) == 6
    assert fl.sum(np.matrix([[1, 2], [3, 4]]), axis=0).tolist() == [4, 6]


@pytest.mark.thread_unsafe
def test_references_come_back():
    x, mask, out, axis = np.ones((40, 50)), np.ones(50, bool), np.zeros(50), (0,)
    watched = [x, mask, out, axis, np.dtype("f8"), np.dtype("i8")]
    calls = [lambda: fl.sum(x), lambda: fl.sum(x, axis=axis, out=out, where=mask), lambda: fl.sum(x, dtype="f8"),
             lambda: fl.matmul(x, x.T), lambda: fl.cumsum(x), lambda: fl.var(x.astype("i8"), axis=1),
             lambda: pytest.raises(ValueError, fl.sum, x, axis=(0, 0)), lambda: pytest.raises(TypeError, fl.sum, x, out=3)]
    for call in calls:  # what is made once
        call()
    before = [sys.getrefcount(thing) for thing in watched]
    for _ in range(200):
        for call in calls:
            call()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in watched]
    assert all(abs(a - b) < 20 for a, b in zip(after, before)), (before, after)


def test_arrays_of_a_gpu_name_the_option_of_the_build():
    class OnGpu:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (4096, True), "version": 3}

    if fl.has_cuda():
        return
    for function in (fl.sum, fl.mean, fl.cumsum, lambda x: fl.vecdot(x, x), lambda x: fl.dot(x, [1.0]), fl.trapezoid, fl.simpson, fl.fsum,
                     lambda x: fl.trapezoid([1.0], x), fl.Accumulator().add):
        with pytest.raises(TypeError, match="FOLDLINE_CUDA=ON"):
            function(OnGpu())


def test_dtypes_by_pytorchs_name_and_bfloat16():
    assert fl.sum([0.1, 0.2], dtype="bfloat16").dtype.name == "bfloat16"
