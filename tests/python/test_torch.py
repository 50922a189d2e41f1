"""foldline.torch: operators of PyTorch, on the CPU and, where there is one, on a GPU."""
import math
from fractions import Fraction

import numpy as np
import pytest

import foldline as fl
from oracle import norm_of, rounded, var_of

torch = pytest.importorskip("torch")
ft = pytest.importorskip("foldline.torch")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() and fl.has_cuda() else [])]
on_devices = pytest.mark.parametrize("device", DEVICES)

OPERATORS = {
    "sum": lambda x: ft.sum(x), "sum of rows": lambda x: ft.sum(x, 1), "sum, kept": lambda x: ft.sum(x, (0, 1), True),
    "mean": lambda x: ft.mean(x), "mean of columns": lambda x: ft.mean(x, 0), "var": lambda x: ft.var(x),
    "var of rows": lambda x: ft.var(x, -1, correction=0, keepdim=True), "norm": lambda x: ft.vector_norm(x),
    "norm of columns": lambda x: ft.vector_norm(x, 2, 0), "magnitudes": lambda x: ft.vector_norm(x, 1, 1, True),
    "dot": lambda x: ft.dot(x[0], x[1]), "cumsum": lambda x: ft.cumsum(x, 1), "cumsum of columns": lambda x: ft.cumsum(x, 0),
}


def sample(device, *shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype).to(device)


@on_devices
@pytest.mark.parametrize("name", OPERATORS)
def test_gradients(device, name):
    x = sample(device, 3, 4).requires_grad_()
    assert torch.autograd.gradcheck(OPERATORS[name], (x,))
    assert torch.autograd.gradgradcheck(OPERATORS[name], (x,))


@on_devices
def test_what_pytorch_asks_of_operators(device):
    x = sample(device, 3, 4).requires_grad_()
    for operator, arguments in ((ft._sum, (x, [0], False, None)), (ft._mean, (x, None, True, None)), (ft._var, (x, [1], 1, False)),
                                (ft._vector_norm, (x, False, None, False, None)), (ft._dot, (x[0].detach(), x[1].detach())),
                                (ft._cumsum, (x, 0, None)), (ft._total_norm, ([x.detach(), x.detach()[0]], False))):
        results = torch.library.opcheck(operator, arguments)
        assert set(results.values()) == {"SUCCESS"}, (operator, results)


@on_devices
def test_results_are_rounded_once(device):
    x = sample(device, 5, 700) * 1e300
    n = x.cpu().numpy()
    assert ft.sum(x).item() == float(sum(map(Fraction, n.ravel().tolist())))
    assert ft.sum(x, 1).tolist() == fl.sum(n, axis=1).tolist()
    assert ft.mean(x, (0, 1)).item() == float(sum(map(Fraction, n.ravel().tolist())) / n.size)
    assert ft.var(x / 1e300).item() == var_of((x / 1e300).cpu().numpy(), 1)
    assert ft.vector_norm(x).item() == norm_of(n)
    assert ft.sum(x.float() / 1e300, dtype=torch.float64).dtype == torch.float64
    assert ft.sum(x, []).shape == () and ft.sum(x, -1, keepdim=True).shape == (5, 1)
    assert ft.sum(torch.ones(3, dtype=torch.int32, device=device)).dtype == torch.int64
    assert ft.vector_norm(torch.zeros(3, device=device, requires_grad=True)).backward() is None


@on_devices
def test_vmap(device):
    x = sample(device, 3, 4, 5)
    for function in (ft.sum, ft.mean, ft.var, ft.vector_norm):
        assert torch.equal(torch.func.vmap(function)(x), torch.stack([function(part) for part in x]))
        assert torch.equal(torch.func.vmap(lambda v, f=function: f(v, dim=-1), in_dims=1)(x), function(x.transpose(0, 1), dim=-1))
    assert torch.func.vmap(ft.sum)(torch.arange(3.0, device=device)).tolist() == [0, 1, 2]
    for dim in (1, -2):  # of vectors
        with pytest.raises(IndexError, match="out of range"):
            torch.func.vmap(lambda v, dim=dim: ft.sum(v, dim))(torch.ones(2, 3, device=device))


def gradient_of(function, x):
    x = x.clone().requires_grad_()
    function(x).backward()
    return x.grad


@on_devices
@pytest.mark.parametrize("name", OPERATORS)
def test_torch_func(device, name):
    x = sample(device, 5, 3, 4)

    def number(v):
        return (OPERATORS[name](v * v) * 0.5).sum()

    expected = [gradient_of(number, part) for part in x]
    assert torch.equal(torch.func.grad(number)(x[0]), expected[0])
    assert torch.equal(torch.func.vmap(torch.func.grad(number))(x), torch.stack(expected))
    assert torch.equal(torch.func.vmap(OPERATORS[name], in_dims=2)(x.movedim(0, 2)), torch.stack([OPERATORS[name](part) for part in x]))
    assert torch.allclose(torch.func.jacrev(torch.func.grad(number))(x[0]), torch.autograd.functional.hessian(number, x[0]))


@on_devices
def test_gradients_of_each_sample(device):
    model = Model().to(device)
    parameters = dict(model.named_parameters())

    def loss(p, x):
        return torch.func.functional_call(model, p, (x.unsqueeze(0).expand(2, -1),))

    x = sample(device, 4, 8, dtype=torch.float32)
    of_each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x)
    alone = torch.func.grad(loss)(parameters, x[1])
    assert all(torch.allclose(of_each[n][1], alone[n], atol=1e-6) for n in parameters)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        return ft.mean(ft.vector_norm(y - ft.mean(y, 0), dim=1)) + 0.1 * ft.var(y)


@on_devices
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_compiled_model(device, backend):
    x = sample(device, 32, 8, dtype=torch.float32)
    plain, compiled = Model().to(device), Model().to(device)
    step = torch.compile(compiled, backend=backend, fullgraph=True)
    losses = []
    for model, function in ((plain, plain), (compiled, step)):
        loss = function(x)
        loss.backward()
        before = [p.grad.clone() for p in model.parameters()]
        norm = ft.clip_grad_norm_(model.parameters(), 0.01)
        assert norm.dtype == torch.float32 and ft.get_total_norm(p.grad for p in model.parameters()) <= 0.01 * 1.0001
        values = [Fraction(v) for g in before for v in g.cpu().double().ravel().tolist()]
        assert norm.item() == norm_of(torch.cat([g.ravel() for g in before]).cpu().numpy()) and values
        losses.append((loss.item(), norm.item()))
    assert math.isclose(losses[0][0], losses[1][0], rel_tol=1e-5) and math.isclose(losses[0][1], losses[1][1], rel_tol=1e-5)


@on_devices
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_clipping_in_a_compiled_step(device, backend):
    def step(model, x):
        loss = model(x)
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        for p, gradient in zip(model.parameters(), gradients):
            p.grad = gradient
        return loss

    def clip(parameters):
        return ft.clip_grad_norm_(parameters, 0.01)

    x = sample(device, 32, 8, dtype=torch.float32)
    model = Model().to(device)
    step(model, x)
    before = [p.grad.clone() for p in model.parameters()]
    norm = torch.compile(clip, backend=backend, fullgraph=True)(list(model.parameters()))
    assert norm.item() == norm_of(torch.cat([g.ravel() for g in before]).cpu().numpy())
    scale = torch.clamp(0.01 / (norm + 1e-6), max=1.0)
    assert all(torch.equal(p.grad, g * scale) for p, g in zip(model.parameters(), before))


@on_devices
def test_compiled_with_any_sizes(device):
    function = torch.compile(lambda x: ft.sum(x * 2, 0) / ft.vector_norm(x), backend="aot_eager", dynamic=True, fullgraph=True)
    for rows in (3, 5, 9):
        x = sample(device, rows, 4, seed=rows)
        assert torch.equal(function(x), ft.sum(x * 2, 0) / ft.vector_norm(x))


@on_devices
def test_repeats_bit_for_bit(device):
    parameters = [torch.nn.Parameter(sample(device, n, seed=n, dtype=torch.float32)) for n in (1, 1000, 70_000, 3)]
    norms = set()
    for run in range(100):
        for p in parameters:
            p.grad = p.detach().clone()
        order = np.random.default_rng(run).permutation(len(parameters))
        norms.add(ft.clip_grad_norm_([parameters[i] for i in order], 1e9).item().hex())
    # cut into other batches, and with more copied than is copied side by side
    everything = torch.cat([p.detach() for p in parameters])
    for size in (7, 1000, everything.numel()):
        norms.add(ft.get_total_norm(everything.split(size)).item().hex())
    most, ft._MOST_COPIED = ft._MOST_COPIED, 0
    norms.add(ft.get_total_norm(p.detach() for p in parameters).item().hex())
    ft._MOST_COPIED = most
    assert norms == {float(norm_of(everything.cpu().numpy())).hex()}
    losses = sample(device, 1000, dtype=torch.float32)
    assert len({ft.mean(losses[torch.randperm(1000)]).item() for _ in range(20)}) == 1


@on_devices
def test_clipping(device):
    p = torch.nn.Parameter(torch.zeros(2, device=device))
    p.grad = torch.tensor([3.0, 4.0], device=device)
    assert ft.clip_grad_norm_(p, 10.0).item() == 5 and p.grad.tolist() == [3, 4]
    assert ft.clip_grad_norm_([p, torch.nn.Parameter(torch.zeros(1, device=device))], 1.0).item() == 5
    assert np.allclose(p.grad.tolist(), [0.6, 0.8])
    assert ft.clip_grad_norm_([], 1.0).item() == 0
    p.grad = torch.tensor([math.inf, 1.0], device=device)
    with pytest.raises(RuntimeError, match="total norm"):
        ft.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)
    half = [sample(device, 40, dtype=t) for t in (torch.float16, torch.bfloat16)]
    exact = np.concatenate([h.float().cpu().numpy() for h in half])
    assert ft.get_total_norm(half).item() == norm_of(exact)
    assert ft.get_total_norm(half, 1.0).item() == rounded(sum(abs(Fraction(float(v))) for v in exact), np.float32)


def test_errors():
    x = torch.ones(2, 3)
    with pytest.raises(ValueError, match="order 1 and 2"):
        ft.vector_norm(x, 3)
    with pytest.raises(ValueError, match="order 1 and 2"):
        ft.clip_grad_norm_([], 1.0, math.inf)
    with pytest.raises(ValueError, match="two vectors"):
        ft.dot(x, x)
    with pytest.raises(TypeError, match="one type"):
        ft.dot(x[0], x[0].double())
    with pytest.raises(IndexError):
        ft.sum(x, 5)
