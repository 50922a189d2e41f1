"""Arrays in the memory of a GPU: PyTorch's, CuPy's, JAX's. Run by tests/on_gpu python, on a machine that has one.

Results are compared with those of the same elements on the host, bit by bit; these are compared with fractions by the other tests, and by
some here.
"""
import math
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import threading
import timeit

import ml_dtypes
import numpy as np
import pytest

import foldline as fl
from arrays import elements
from oracle import FLOATS, INTEGERS, assert_same, mean_of, sum_of

torch = pytest.importorskip("torch")
cupy = pytest.importorskip("cupy")
jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

LIBRARIES = ("torch", "cupy", "jax")
ALL_TYPES = [*FLOATS, *INTEGERS]


def given(library, x):
    """The elements of a NumPy array in the memory of the GPU, dense."""
    x = np.array(x, order="C")
    if library == "torch":
        if x.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(x.view(np.int16)).cuda().view(torch.bfloat16)
        return torch.from_numpy(x).cuda()
    if library == "cupy":
        if x.dtype == ml_dtypes.bfloat16:
            pytest.skip("CuPy has no bfloat16")
        return cupy.asarray(x)
    return jax.device_put(jnp.asarray(x), jax.devices("gpu")[0])


def host(x):
    """A NumPy array of the same elements."""
    if isinstance(x, torch.Tensor):
        assert x.is_cuda
        return x.view(torch.int16).cpu().numpy().view(ml_dtypes.bfloat16) if x.dtype == torch.bfloat16 else x.cpu().numpy()
    if isinstance(x, cupy.ndarray):
        return x.get()
    assert next(iter(x.devices())).platform == "gpu"
    return np.asarray(x)


def is_of(library, x):
    return isinstance(x, {"torch": torch.Tensor, "cupy": cupy.ndarray, "jax": jax.Array}[library])


def check(library, function, x, *more, **options):
    """Whether a function of GPU arrays gives what it gives of the host's."""
    result = function(given(library, x), *(given(library, y) for y in more), **options)
    assert is_of(library, result), type(result)
    assert_same(host(result), function(x, *more, **options))


def test_was_built_with_cuda():
    assert fl.has_cuda()


def test_one_number(capsys):
    x = elements(np.dtype(np.float64), 100_003, 3, False) * 1e100
    wide = np.zeros(2 * x.size)
    wide[::2] = x
    on_gpu = given("torch", x)
    found = {"NumPy": fl.sum(x), "reversed": fl.sum(x[::-1]), "strided": fl.sum(wide[::2]), "torch CPU": fl.sum(torch.from_numpy(x)),
             "torch CUDA": fl.sum(on_gpu), "torch CUDA, strided": fl.sum(given("torch", wide)[::2]),
             "torch CUDA, flipped": fl.sum(on_gpu.flip(0)), "CuPy": fl.sum(given("cupy", x)),
             "CuPy, reversed": fl.sum(given("cupy", x)[::-1]), "CuPy, strided": fl.sum(given("cupy", wide)[::2]),
             "JAX": fl.sum(given("jax", x)), "JAX on the CPU": fl.sum(jax.device_put(x, jax.devices("cpu")[0]))}
    for threads in (1, 2, 5, 0):
        fl.set_num_threads(threads)
        found[f"{threads} threads"] = fl.sum(x)
    numbers = {name: float(number).hex() for name, number in found.items()}
    with capsys.disabled():
        print("\n" + "\n".join(f"{number}  {name}" for name, number in numbers.items()))
    assert set(numbers.values()) == {float(sum_of(x)).hex()}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
def test_every_type(library, dtype):
    for n in (1, 2, 1000, 70_001):
        x, y = elements(dtype, n, n + 1, False), elements(dtype, n, n + 2, False)
        assert_same(host(fl.sum(given(library, x))), np.array(sum_of(x)))
        for function in (fl.sum, fl.mean, fl.var, fl.std, fl.vector_norm, fl.min, fl.max, fl.cumulative_sum, fl.cumsum):
            check(library, function, x)
        check(library, fl.vector_norm, x, ord=1)
        check(library, fl.vecdot, x, y)
        check(library, fl.dot, x, y)
        check(library, fl.sum, x, dtype="float64")
        check(library, fl.cumulative_sum, x, include_initial=True)
        if n > 2:
            check(library, fl.var, x, correction=1)
            check(library, fl.std, x, ddof=2)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("float16", "float32", "float64", "int32", "uint8")], ids=str)
def test_axes(library, dtype):
    x = elements(dtype, 4 * 3 * 50 * 7, 11, False).reshape(4, 3, 50, 7)
    axes = [None, 0, 1, 2, 3, -1, (), (0,), (0, 1), (2, 3), (0, 2), (1, 3), (3, 0), (0, 1, 3), (0, 1, 2, 3), (-1, -2, -3)]
    for axis in axes:
        for keepdims in (False, True):
            check(library, fl.sum, x, axis=axis, keepdims=keepdims)
        for function in (fl.mean, fl.var, fl.max, fl.vector_norm):
            check(library, function, x, axis=axis)
    for axis in (0, 2, -1):
        check(library, fl.cumulative_sum, x, axis=axis)
        check(library, fl.cumulative_sum, x, axis=axis, include_initial=True)
        check(library, fl.vecdot, x, x[::-1].copy(), axis=axis)
    check(library, fl.cumsum, x)
    check(library, fl.vecdot, x, x[0, 0, 0].copy())


@pytest.mark.parametrize("library", ("torch", "cupy"))
def test_views(library):
    x = elements(np.dtype(np.float64), 30 * 40 * 6, 7, False).reshape(30, 40, 6)
    views = [lambda a: a[::2], lambda a: a[:, 3:9, ::3], lambda a: a[5, :, 1], lambda a: a[1:2, ::7]]
    if library == "cupy":
        views += [lambda a: a[::-1], lambda a: a[:, ::-2, ::-1], lambda a: a.transpose(2, 0, 1), lambda a: a.T[::-1]]
    else:
        views += [lambda a: a.transpose(0, 2) if isinstance(a, torch.Tensor) else a.swapaxes(0, 2)]
    for view in views:
        on_gpu, on_host = view(given(library, x)), view(x)
        for axis in (None, 0, -1, tuple(range(0, on_host.ndim, 2))):
            for function in (fl.sum, fl.mean, fl.min):
                assert_same(host(function(on_gpu, axis=axis)), np.asarray(function(on_host, axis=axis)))
        assert_same(host(fl.cumulative_sum(on_gpu, axis=0)), fl.cumulative_sum(on_host, axis=0))
    expanded = given("torch", np.arange(3.0))[:, None].expand(3, 5)
    assert fl.sum(expanded).item() == 15 and fl.sum(expanded, axis=1).tolist() == [0, 5, 10]


@pytest.mark.parametrize("library", LIBRARIES)
def test_unusual_elements(library):
    nan, inf = np.nan, np.inf
    for values in ([], [-0.0], [0.0, -0.0], [nan, 1], [inf, 1], [inf, -inf], [-inf], [1e308, 1e308, -1e308], [5e-324, -0.0]):
        x = np.array(values, np.float64)
        for function in (fl.sum, fl.mean, fl.var, fl.vector_norm, fl.cumulative_sum):
            check(library, function, x)
        if values:
            check(library, fl.min, x)
            check(library, fl.max, x)
    check(library, fl.sum, np.array(2.5))
    check(library, fl.mean, np.array(3, np.int32))
    for shape in ((0, 3), (3, 0), (0, 0)):
        for axis in (None, 0, 1, (0, 1)):
            check(library, fl.sum, np.zeros(shape, np.float32), axis=axis)
            check(library, fl.mean, np.zeros(shape, np.float32), axis=axis)
    check(library, fl.vecdot, np.zeros((3, 0)), np.zeros((3, 0)))


@pytest.mark.parametrize("library", LIBRARIES)
def test_integers_that_overflow(library):
    with pytest.raises(OverflowError):
        fl.sum(given(library, np.array([2**63 - 1, 1])))
    with pytest.raises(OverflowError):
        fl.cumulative_sum(given(library, np.array([2**63 - 1, 1])))
    with pytest.raises(OverflowError):
        fl.sum(given(library, np.array([-1], np.int8)), dtype="uint64")
    with pytest.raises(OverflowError):
        fl.vecdot(given(library, np.array([2**62])), given(library, np.array([2])))
    check(library, fl.sum, np.array([2**63 - 1, 1, -1]))
    check(library, fl.sum, np.array([2**63 - 1, 1]), dtype="float64")


@pytest.mark.parametrize("library", ("torch", "cupy"))
def test_stays_in_the_stream_and_does_not_wait(library):
    stream = torch.cuda.Stream() if library == "torch" else cupy.cuda.Stream(non_blocking=True)
    external = stream if library == "torch" else torch.cuda.ExternalStream(stream.ptr)
    x = torch.zeros(1000, dtype=torch.float64, device="cuda")
    of_library = x if library == "torch" else cupy.from_dlpack(x)
    for _ in range(3):  # the first call makes a workspace and loads kernels
        x.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(external):
            torch.cuda._sleep(100_000_000)
            x.fill_(3)
        with torch.cuda.stream(external) if library == "torch" else stream:
            total, means = fl.sum(of_library), fl.mean(of_library.reshape(10, 100), axis=0)
        was_running = not external.query()
        external.synchronize()
        assert float(total) == 3000 and float(means.max()) == float(means.min()) == 3
    assert was_running


def test_graphs():
    x = torch.zeros(5000, dtype=torch.float64, device="cuda")
    y = torch.zeros(40, 50, dtype=torch.int32, device="cuda")
    mask = torch.arange(5000, device="cuda") % 3 == 0
    calls = [lambda: fl.sum(x), lambda: fl.mean(x, where=mask), lambda: fl.nanvar(x), lambda: fl.vector_norm(x.view(50, 100), axis=0), lambda: fl.cumulative_sum(x),
             lambda: fl.sum(y, axis=(0, 1)), lambda: fl.vecdot(x, x)]
    for call in calls:
        call()
    graphs = []
    for call in calls:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = call()
        graphs.append((graph, result))
    for value in (1, 2, 3):
        x.fill_(value)
        y.fill_(value)
        torch.cuda.synchronize()
        streams = [torch.cuda.Stream() for _ in graphs]
        for (graph, _), stream in zip(graphs, streams):  # at the same time
            with torch.cuda.stream(stream):
                for _ in range(20):
                    graph.replay()
        torch.cuda.synchronize()
        for call, (_, result) in zip(calls, graphs):
            assert torch.equal(call(), result)
    del graphs, graph, result
    fl.sum(x)
    long = torch.ones(3, dtype=torch.int64, device="cuda")
    with pytest.raises(ValueError, match="CUDA graph"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        fl.sum(long)
    assert fl.sum(long).item() == 3


def test_many_streams_and_threads():
    x = torch.arange(100_000, dtype=torch.float64, device="cuda")
    expected = fl.sum(x).item()
    torch.cuda.synchronize()
    wrong = []

    def work():
        for _ in range(20):
            with torch.cuda.stream(torch.cuda.Stream()):
                results = [fl.sum(x) for _ in range(10)]
                wrong.extend(r for r in results if r.item() != expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_signs_that_are_not_resolved():
    z = torch.tensor([1 + 2j, 3 + 4j])
    assert z.conj().imag.is_neg()
    assert fl.sum(z.conj().imag).item() == -6
    assert fl.sum(z.cuda().conj().imag).item() == -6


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


class Interface:
    def __init__(self, x):
        self.x, self.__cuda_array_interface__ = x, x.__cuda_array_interface__


def test_cuda_array_interface():
    x = cupy.arange(12, dtype=cupy.float32).reshape(3, 4)
    result = fl.sum(Interface(x.T), axis=0)
    assert result.shape == (3,)
    assert cupy.asarray(result).tolist() == [6, 22, 38] and torch.from_dlpack(result).tolist() == [6, 22, 38]
    assert cupy.asarray(fl.max(Interface(x))).item() == 11


def test_errors():
    t, n = torch.ones(3, 4, device="cuda"), np.ones((3, 4), np.float32)
    with pytest.raises(ValueError, match="move one of them"):
        fl.vecdot(t, n)
    with pytest.raises(ValueError, match="move one of them"):
        fl.vecdot(n, t)
    with pytest.raises(TypeError, match="two libraries"):
        fl.vecdot(t, cupy.ones((3, 4), cupy.float32))
    with pytest.raises(TypeError, match="GPU"):
        fl.sum(n, where=t > 0)
    with pytest.raises(TypeError, match="copy it to the host"):
        fl.trapezoid(t)
    with pytest.raises(ValueError, match="do not fit"):
        fl.matmul(t, t)
    with pytest.raises(ValueError, match="move one of them"):
        fl.Accumulator("dot").add(t, n)
    with pytest.raises(TypeError, match=r"detach\(\)"):
        fl.sum(t.clone().requires_grad_())
    with pytest.raises(TypeError, match="x.real"):
        fl.sum(t.to(torch.complex64))
    with pytest.raises(TypeError, match="x.real"):
        fl.sum(cupy.ones(3, cupy.complex128))
    with pytest.raises(np.exceptions.AxisError):
        fl.sum(t, axis=2)
    with pytest.raises(ValueError, match="axis="):
        fl.cumulative_sum(t)
    with pytest.raises(ValueError, match="no smallest"):
        fl.min(t[:0])
    with pytest.raises(TypeError):
        fl.mean(t, dtype="int32")
    with torch.no_grad():
        assert fl.sum(t.clone().requires_grad_()).item() == 12


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one GPU")
def test_two_gpus():
    a, b = torch.ones(5, device="cuda:0"), torch.ones(5, device="cuda:1")
    assert fl.sum(b).device == b.device and fl.sum(b).item() == 5 and torch.cuda.current_device() == 0
    with cupy.cuda.Device(0):
        assert fl.sum(cupy.from_dlpack(b)).device.id == 1
    with pytest.raises(ValueError, match="GPU 0 and on GPU 1"):
        fl.vecdot(a, b)


def test_a_hundred_runs_are_one():
    x = torch.randn(1 << 20, device="cuda")
    assert len({fl.vector_norm(x).item().hex() for _ in range(100)}) == 1
    parts = x.double().view(64, -1)
    assert fl.sum(parts).item().hex() == float(sum_of(parts.cpu().numpy())).hex()


def test_means_by_fractions():
    for dtype in FLOATS:
        x = elements(dtype, 5000, 17, False)
        assert_same(host(fl.mean(given("torch", x))), np.array(mean_of(x)))


def test_call_times(capsys):
    x = torch.ones(10, device="cuda", dtype=torch.float64)
    names = {"fl": fl, "torch": torch, "x": x, "m": x.view(2, 5), "c": cupy.ones(10), "j": given("jax", np.ones(10))}
    names |= {"i": x.view(2, 5).int(), "w": x.view(5, 2), "t": x > 0, "large": torch.ones(1000, 1000, device="cuda")}
    calls = ("fl.sum(x)", "torch.sum(x)", "fl.mean(x)", "fl.vector_norm(x)", "torch.linalg.vector_norm(x)", "fl.sum(m, axis=0)",
             "torch.sum(m, axis=0)", "fl.sum(m, axis=1)", "torch.sum(m, axis=1)", "fl.sum(w, axis=0)", "fl.max(i, axis=0)",
             "torch.amax(i, axis=0)", "fl.sum(large, axis=0)", "torch.sum(large, axis=0)", "fl.sum(x, where=t)", "torch.sum(x[t])",
             "fl.sum(c)", "c.sum()", "fl.sum(j)", "j.sum()")
    number = 1000  # few enough for the queue of the stream
    best = dict.fromkeys(calls, math.inf)
    for _ in range(15):
        for name in calls:  # by turns, so that all have the clocks' best
            best[name] = min(best[name], timeit.timeit(name, globals=names, number=number))
            torch.cuda.synchronize()
    lines = [f"{best[name] / number * 1e6:8.2f} us  {name}" for name in calls]
    with capsys.disabled():
        print("\n10 elements, a call without waiting:\n" + "\n".join(lines))
    masked = torch.randn(1 << 26, device="cuda", dtype=torch.float64)
    taken = masked > 0
    names |= {"large": masked, "taken": taken}
    for call in ("fl.sum(large)", "fl.sum(large, where=taken)", "torch.sum(large[taken])", "fl.nansum(large)", "torch.nansum(large)"):
        best = math.inf
        for _ in range(5):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            eval(call, names)
            end.record()
            torch.cuda.synchronize()
            best = min(best, begin.elapsed_time(end))
        with capsys.disabled():
            print(f"{best:8.3f} ms  {call}, 2^26 doubles")
    large = torch.randn(1 << 28, device="cuda", dtype=torch.float64)
    for function in (fl.sum, torch.sum):
        function(large)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(10):
            function(large)
        end.record()
        torch.cuda.synchronize()
        with capsys.disabled():
            print(f"{10 * large.nbytes / begin.elapsed_time(end) / 1e6:8.0f} GB/s  {function.__module__}.{function.__name__}, 2^28 doubles")
