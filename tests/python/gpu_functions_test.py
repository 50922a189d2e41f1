"""Functions of arrays in the memory of a GPU beyond reductions of one: accumulators, segments, masks, out=, products, two types."""
import numpy as np
import pytest

import foldline as fl
from arrays import elements
from gpu_arrays import ALL_TYPES, LIBRARIES, check, cupy, given, host, is_of, torch
from oracle import FLOATS, assert_same


@pytest.mark.parametrize("library", LIBRARIES)
def test_accumulators(library):
    x = elements(np.dtype(np.float64), 6000, 9, False).reshape(10, 20, 30)
    both, on_host = fl.Accumulator("statistics"), fl.Accumulator("statistics")
    for part in (x[:4], x[4:, :3], x[4:, 3:]):
        both.add(given(library, part) if part.shape[1] > 3 else part)
        on_host.add(part)
    assert bytes(both) == bytes(on_host)
    if library != "jax":
        views, dots = fl.Accumulator("dot"), fl.Accumulator("dot")
        views.add(given(library, x)[::2, :, 1:], given(library, x)[1::2, :, :-1])
        dots.add(x[::2, :, 1:], x[1::2, :, :-1])
        assert bytes(views) == bytes(dots)


@pytest.mark.parametrize("library", LIBRARIES)
def test_segments(library):
    for dtype in (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int32)):
        x, offsets = elements(dtype, 5000, 13, False), np.array([0, 7, 7, 7, 3000, 4990, 5000])
        for function in (fl.segment_sum, fl.segment_mean):
            check(library, function, x, offsets)
        check(library, fl.segment_max, x, offsets[3:].astype(np.int32))
    with pytest.raises(ValueError):
        fl.segment_sum(given(library, np.ones(3)), given(library, np.array([0, 4])))
    with pytest.raises(ValueError, match="move one of them"):
        fl.segment_sum(given(library, np.ones(3)), np.array([0, 3]))


@pytest.mark.parametrize("library", LIBRARIES)
def test_groups(library):
    keys = np.random.default_rng(1).integers(0, 70, 5000)
    for dtype in (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int32)):
        x = elements(dtype, 5000, 13, False)
        for function in (fl.group_sum, fl.group_mean, fl.group_max):
            result = function(given(library, keys), given(library, x))
            assert is_of(library, result)
            assert_same(host(result), function(keys, x))
        assert_same(host(fl.group_sum(given(library, np.sort(keys)), given(library, x), 80)), fl.group_sum(np.sort(keys), x, 80))
    for wrong, message in ((np.array([0, -1]), "key"), (np.array([-3, -1]), "negative"), (np.array([0, 2**50]), "so large")):
        with pytest.raises(ValueError, match=message):
            fl.group_sum(given(library, wrong), given(library, np.ones(2)))
    with pytest.raises(ValueError, match="move one of them"):
        fl.group_sum(keys, given(library, np.ones(5000)))
    with pytest.raises(TypeError, match="integers"):
        fl.group_sum(given(library, np.ones(2)), given(library, np.ones(2)))


WHERE = [lambda x, mask, **o: fl.sum(x, where=mask, **o), lambda x, mask, **o: fl.mean(x, where=mask, **o),
         lambda x, mask, **o: fl.var(x, where=mask, **o), lambda x, mask, **o: fl.std(x, ddof=1, where=mask, **o)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
def test_masks(library, dtype):
    x = elements(dtype, 4 * 30 * 50, 7, False).reshape(4, 30, 50)
    mask = np.random.default_rng(2).random(x.shape) < 0.4
    for axis in (None, 0, 1, -1, (0, 2), (0, 1), ()):
        for function in WHERE:
            check(library, function, x, mask, axis=axis)
        some = mask.copy()
        some[2, 3, 4] = True
        check(library, lambda v, m, **o: fl.sum(v, where=m, **o), x, some[2:3], axis=axis, keepdims=True)  # broadcast
    taken = mask | (np.arange(50) == 7)
    for function in (fl.min, fl.max):
        check(library, lambda v, m, f=function: f(v, axis=2, where=m), x, taken)
        check(library, lambda v, m, f=function: f(v, where=m), x, taken[0, 0])


@pytest.mark.parametrize("library", LIBRARIES)
def test_masks_of_views_and_odd_ones(library):
    x = elements(np.dtype(np.float64), 30 * 40 * 6, 8, False).reshape(30, 40, 6)
    mask = np.random.default_rng(3).random(x.shape) < 0.5
    on_gpu, taken = given(library, x), given(library, mask)
    for view in (lambda a: a[::2, 3:9], lambda a: a[5, :, 1], lambda a: a[:, ::7, ::5]):
        for axis in (None, 0, -1):
            assert_same(host(fl.sum(view(on_gpu), axis=axis, where=view(taken))), np.asarray(fl.sum(view(x), axis=axis, where=view(mask))))
    assert_same(host(fl.sum(on_gpu, axis=(0, 2), where=taken[:1])), fl.sum(x, axis=(0, 2), where=mask[:1]))
    none = np.zeros(6, bool)
    check(library, lambda v, m: fl.sum(v, where=m), x, none)
    check(library, lambda v, m: fl.mean(v, axis=0, where=m), x, none)
    check(library, lambda v, m: fl.sum(v, where=m), np.full(6, -0.0), np.arange(6) < 2)
    check(library, lambda v, m: fl.sum(v, where=m), np.array([np.nan, 1, np.inf]), np.array([False, True, True]))
    assert np.isnan(host(fl.min(on_gpu, where=given(library, none))))  # on the host this is an error, which would have to wait
    with pytest.raises(ValueError, match="no elements"):
        fl.max(given(library, np.arange(6)), where=given(library, none))
    with pytest.raises(OverflowError):
        fl.sum(given(library, np.full(3, 2**62)), where=given(library, np.array([True, True, False])))
    check(library, lambda v, m: fl.sum(v, where=m), np.full(3, 2**62), np.array([True, False, False]))
    long = elements(np.dtype(np.float32), 3_000_001, 9, False)
    check(library, lambda v, m: fl.var(v, where=m), long, np.random.default_rng(4).random(long.size) < 0.9)
    check(library, fl.nanmean, long)
    with pytest.raises(TypeError, match="bool"):
        fl.sum(on_gpu, where=on_gpu)
    with pytest.raises(ValueError, match="move one of them"):
        fl.sum(on_gpu, where=mask)
    with pytest.raises(ValueError, match="broadcast"):
        fl.sum(on_gpu, where=taken[:7])


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_without_nan(library, dtype):
    x = elements(dtype, 20 * 3 * 70, 21, False).reshape(20, 3, 70)
    holes = np.random.default_rng(5).random(x.shape) < 0.2
    x[holes] = np.nan
    x[3, 1] = np.nan
    for function in (fl.nansum, fl.nanmean, fl.nanvar, fl.nanstd):
        for axis in (None, 0, 2, (0, 2)):
            check(library, function, x, axis=axis)
        check(library, lambda v, m, f=function: f(v, axis=2, where=m), x, ~holes[:, :, ::-1])
    check(library, fl.nansum, x, axis=1, keepdims=True, dtype="float64")
    check(library, fl.nansum, np.arange(5))


@pytest.mark.parametrize("library", ("torch", "cupy"))
def test_out(library):
    x = elements(np.dtype(np.float32), 40 * 50, 3, False).reshape(40, 50)
    on_gpu = given(library, x)
    for dtype in (np.float32, np.float64):
        wide = given(library, np.zeros((50, 2), dtype))
        out = wide[:, 1]
        assert fl.sum(on_gpu, axis=0, out=out) is out
        assert_same(host(out), fl.sum(x, axis=0, dtype=dtype))
        assert_same(host(wide[:, 0]), np.zeros(50, dtype))
    out = given(library, np.zeros(50))
    fl.mean(on_gpu, axis=0, dtype="float32", out=out)
    assert_same(host(out), fl.mean(x, axis=0).astype(np.float64))
    out = given(library, np.zeros((40, 50), np.float32))
    fl.cumulative_sum(on_gpu, axis=1, out=out)
    assert_same(host(out), fl.cumulative_sum(x, axis=1))
    fl.sum(on_gpu, axis=0, out=on_gpu[1])  # part of the input
    assert_same(host(on_gpu[1]), fl.sum(x, axis=0))
    for wrong, error, message in ((out, ValueError, "shape"), (np.zeros(50), ValueError, "move one of them"),
                                  (given(library, np.zeros(50, np.int32)), TypeError, "cast")):
        with pytest.raises(error, match=message):
            fl.sum(given(library, x), axis=0, out=wrong)
    with pytest.raises(TypeError, match="out="):
        fl.sum(given("jax", x), axis=0, out=given("jax", np.zeros(50)))


@pytest.mark.parametrize("library", LIBRARIES)
def test_samples(library):
    for dtype in ALL_TYPES:
        y = elements(dtype, 4 * 50 * 7, 5, False).reshape(4, 50, 7)
        for function in (fl.trapezoid, fl.simpson):
            for axis in (0, 1, -1):
                check(library, function, y, dx=0.25, axis=axis)
            check(library, function, y[0, :, 0].copy())
        assert fl.fsum(given(library, y)) == fl.fsum(y)
    x, y = np.cumsum(np.random.default_rng(1).random(50)), np.random.default_rng(2).standard_normal((4, 50))
    for function in (fl.trapezoid, fl.simpson):
        check(library, function, y, x)
        check(library, function, y, x + y)  # places of each sample
        check(library, function, y[:0].copy(), x)
        if library != "jax":
            assert_same(host(function(given(library, y).T, given(library, x), axis=0)), function(y, x))
    assert fl.fsum(given(library, np.array([1e308, 1e308, -1e308]))) == 1e308
    with pytest.raises(ValueError, match="places for"):
        fl.trapezoid(given(library, y), given(library, x[1:].copy()))


@pytest.mark.parametrize("library", ("torch", "cupy"))
def test_samples_come_after_what_was_queued(library):
    x = torch.zeros(1000, dtype=torch.float64, device="cuda")
    stream = torch.cuda.Stream() if library == "torch" else cupy.cuda.Stream(non_blocking=True)
    of_torch = stream if library == "torch" else torch.cuda.ExternalStream(stream.ptr)
    torch.cuda.synchronize()
    with torch.cuda.stream(of_torch):
        torch.cuda._sleep(100_000_000)
        x.fill_(3)
    with torch.cuda.stream(of_torch) if library == "torch" else stream:
        assert float(fl.trapezoid(x if library == "torch" else cupy.from_dlpack(x))) == 3 * 999


@pytest.mark.parametrize("library", LIBRARIES)
def test_products(library):
    for dtype in (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.int32)):
        a, b = elements(dtype, 60, 4, False).reshape(5, 12), elements(dtype, 84, 7, False).reshape(12, 7)
        check(library, fl.matmul, a, b)
        check(library, fl.dot, a, b)
        check(library, fl.dot, a[0].copy(), b)
        check(library, fl.matmul, a, b[:, 0].copy())
        check(library, fl.matmul, a, b, dtype="float64")
    a, b = np.random.default_rng(1).standard_normal((3, 1, 20, 30)), np.random.default_rng(2).standard_normal((2, 30, 9))
    check(library, fl.matmul, a, b)
    check(library, fl.matmul, a, np.zeros((30, 0)))
    check(library, fl.matmul, a[..., :0].copy(), np.zeros((0, 2)))
    if library != "jax":
        assert_same(host(fl.matmul(given(library, b).swapaxes(1, 2), given(library, a)[0, 0, ::2].T)),
                    fl.matmul(b.swapaxes(1, 2), a[0, 0, ::2].T))
    with pytest.raises(ValueError, match="do not fit"):
        fl.matmul(given(library, a), given(library, a))
    with pytest.raises(ValueError, match="matmul and vecdot take more axes"):
        fl.dot(given(library, a), given(library, b))


@pytest.mark.parametrize("library", LIBRARIES)
def test_weighted_means(library):
    x, w = np.random.default_rng(1).standard_normal((4, 30, 5)), np.random.default_rng(2).random((4, 30, 5))
    for axis in (None, 0, 1, -1, (0, 2), (0, 1), (1, 2)):
        for keepdims in (False, True):
            check(library, lambda v, u, **o: fl.average(v, weights=u, **o), x, w, axis=axis, keepdims=keepdims)
    check(library, lambda v, u: fl.average(v, 1, u), x, w[0, :, 0].copy())
    check(library, lambda v, u: fl.average(v, 1, u), x.astype(np.float32), np.arange(30, dtype=np.int16))
    check(library, fl.average, x)
    check(library, lambda v, u: fl.average(v, weights=u), x[:0].copy(), w[:0].copy())


@pytest.mark.parametrize("library", LIBRARIES)
def test_two_types(library):
    x = elements(np.dtype(np.float32), 500, 6, False)
    for other in ("float16", "float64", "int8", "int32", "uint16", "bool"):
        check(library, fl.vecdot, x, elements(np.dtype(other), 500, 9, False))
    check(library, fl.vecdot, np.arange(9, dtype=np.int8), np.arange(9, dtype=np.uint32))
    with pytest.raises(TypeError, match="none holds all"):
        fl.vecdot(given(library, np.ones(3)), given(library, np.ones(3, np.int64)))
    both, on_host = fl.Accumulator("dot"), fl.Accumulator("dot")
    both.add(given(library, x), given(library, x.astype(np.float16)))
    on_host.add(x, x.astype(np.float16))
    assert both.result().tobytes() == on_host.result().tobytes()


@pytest.mark.parametrize("library", LIBRARIES)
def test_floats_as_integers(library):
    x = np.array([[2.0**62, 0.5, -(2.0**62)], [1, 1.5, 3]])
    check(library, fl.sum, x, dtype="int64")
    check(library, fl.sum, x, axis=0, dtype="int64")
    check(library, fl.max, np.array([1.0, 7.0]), dtype="int32")
    check(library, lambda v, m: fl.sum(v, where=m, dtype="int64"), x, np.array([True, False, True]))
    with pytest.raises(ValueError, match="no whole number"):
        fl.sum(given(library, x), axis=1, dtype="int64")
    with pytest.raises(ValueError, match="no whole number"):
        fl.sum(given(library, x[:, :1].copy()), dtype="int32")
