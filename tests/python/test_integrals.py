"""Integrals of samples and of functions."""
import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from arrays import arrays
from hypothesis import given
from oracle import FLOATS, INTEGERS, along, assert_same, fractions, rounded
from test_reductions import native

import foldline as fl


def trapezoids(y, x):
    y, x = fractions(y), [Fraction(float(p)) for p in x]
    return rounded(sum(((x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2 for i in range(min(len(x), len(y)) - 1)), Fraction(0)), "float64")


@given(arrays(dtypes=(*FLOATS, *INTEGERS), smallest_axes=1, specials=False))
def test_trapezoid(y):
    for axis in range(y.ndim):
        x = np.cumsum(np.random.default_rng(y.shape[axis]).random(y.shape[axis]))
        assert_same(fl.trapezoid(y, x, axis=axis), along(lambda v, x=x: trapezoids(v, x), native(y), axis))
        assert_same(fl.trapezoid(y, dx=0.25, axis=axis),
                    along(lambda v: trapezoids(v, np.arange(v.size) / 4), native(y), axis))


def test_simpson():
    x = np.linspace(0, 1, 11)
    assert fl.simpson(x**3, x) == pytest.approx(0.25, rel=1e-15)
    assert fl.simpson(np.arange(5) ** 2) == 64 / 3


def test_integrate():
    estimate = fl.integrate(np.cos, 0, math.pi / 2)
    assert estimate.converged and estimate.status == "converged"
    assert abs(float(estimate) - 1) <= 1e-15
    assert fl.integrate(lambda x: 3, 0, 2).value == 6  # one value for all places
    assert fl.integrate(lambda x: x**-0.5, 0, 1, method="tanh_sinh").value == pytest.approx(2)
    assert fl.integrate(lambda x: x, 0, 1, max_evaluations=21).evaluations <= 21


def test_exceptions_of_the_function_come_through():
    with pytest.raises(ZeroDivisionError):
        fl.integrate(lambda x: 1 // 0, 0, 1)
    with pytest.raises(ValueError):
        fl.integrate(lambda x: x[:3], 0, 1)


def test_misuse():
    with pytest.raises(TypeError, match="function"):
        fl.integrate(3, 0, 1)
    with pytest.raises(ValueError, match="no method"):
        fl.integrate(np.cos, 0, 1, method="simpson")
    with pytest.raises(ValueError):
        fl.integrate(np.cos, 0, 1, atol=0, rtol=0)
    with pytest.raises(ValueError, match="2 places for 3"):
        fl.trapezoid([1, 2, 3], [1, 2])
    with pytest.raises(np.exceptions.AxisError):
        fl.trapezoid(3.0)
    with pytest.raises(ValueError, match="one number"):
        fl.trapezoid([1, 2, 3], 5.0)


@pytest.mark.parametrize("values, name", [
    (lambda x: x + 1j, "complex128"), (lambda x: None, "object"), (lambda x: ["2"] * x.size, "<U1"),
    (lambda x: np.full(x.size, np.timedelta64(3, "s")), "timedelta64"),
])
def test_values_that_are_no_real_numbers(values, name):
    with pytest.raises(TypeError, match=name):
        fl.integrate(values, 0, 1)
    assert fl.integrate(lambda x: np.ones(x.size, np.longdouble), 0, 1).value == 1


def test_estimates_are_copied_and_pickled():
    for estimate in (fl.integrate(np.exp, 0, 1), fl.integrate(lambda x: 1 / x, -1, 1)):
        for other in (copy.copy(estimate), copy.deepcopy(estimate), *(pickle.loads(pickle.dumps(estimate, p)) for p in range(6))):
            for name in ("value", "error", "evaluations", "non_finite", "converged", "status", "where"):
                np.testing.assert_equal(getattr(other, name), getattr(estimate, name))
