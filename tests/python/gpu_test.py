"""Arrays in the memory of a GPU: PyTorch's, CuPy's, JAX's. Run by tests/on_gpu python, on a machine that has one.

Results are compared with those of the same elements on the host, bit by bit; these are compared with fractions by the other tests, and by
some here.
"""
import threading

import numpy as np
import pytest

import foldline as fl
from arrays import elements
from gpu_arrays import ALL_TYPES, LIBRARIES, check, cupy, given, host, jax, torch
from oracle import FLOATS, assert_same, mean_of, sum_of


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
    with pytest.raises(ValueError, match="CUDA graph"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        fl.trapezoid(x)


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


class Interface:
    def __init__(self, x):
        self.x, self.__cuda_array_interface__ = x, x.__cuda_array_interface__


def test_cuda_array_interface():
    x = cupy.arange(12, dtype=cupy.float32).reshape(3, 4)
    result = fl.sum(Interface(x.T), axis=0)
    assert result.shape == (3,)
    assert cupy.asarray(result).tolist() == [6, 22, 38] and torch.from_dlpack(result).tolist() == [6, 22, 38]
    assert cupy.asarray(fl.max(Interface(x))).item() == 11
    assert fl.fsum(Interface(x)) == 66 and cupy.asarray(fl.trapezoid(Interface(x))).tolist() == [4.5, 16.5, 28.5]


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
    with pytest.raises(ValueError, match="move one of them"):
        fl.trapezoid(t, n)
    with pytest.raises(TypeError):  # by the library: values of a function are wanted on the host
        fl.integrate(lambda x: torch.from_numpy(x).cuda(), 0, 1)
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
