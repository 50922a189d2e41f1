"""What the tests of arrays in the memory of a GPU share. Whatever imports this is skipped without PyTorch, CuPy, JAX or a GPU."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import ml_dtypes
import numpy as np
import pytest

from oracle import FLOATS, INTEGERS, assert_same

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
