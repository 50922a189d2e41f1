"""Reductions of segments and of groups of keys."""
import numpy as np
import pytest
from arrays import elements
from hypothesis import given
from hypothesis import strategies as st
from oracle import FLOATS, INTEGERS, assert_same, mean_of, sum_of

import foldline as fl


@given(st.sampled_from([*FLOATS, *INTEGERS]), st.integers(0, 60), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_segments_and_groups(dtype, n, groups, seed):
    generator = np.random.default_rng(seed)
    x = elements(dtype, n, seed, seed % 7 == 0)
    offsets = np.sort(generator.integers(0, n, groups + 1, endpoint=True)).astype(generator.choice(["int32", "int64", "uint8"]))
    parts = [x[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
    for function, oracle in ((fl.segment_sum, sum_of), (fl.segment_mean, mean_of)):
        wanted = np.array([oracle(part) for part in parts], oracle(x[:0]).dtype)
        assert_same(function(x, offsets), wanted)
        assert_same(function(x[::-1].copy()[::-1], np.repeat(offsets, 2)[::2]), wanted)
    if n:
        keys = generator.integers(0, groups, n, endpoint=True)
        grouped = [x[keys == k] for k in range(groups + 1)]
        assert_same(fl.group_sum(keys, x, groups + 1), np.array([sum_of(g) for g in grouped]))
        assert_same(fl.group_mean(keys, x, groups=groups + 1), np.array([mean_of(g) for g in grouped]))
        assert fl.group_sum(keys, x).shape == (keys.max() + 1,)


def test_extrema_and_empty_ones():
    x = np.array([3.0, -1.0, 2.0])
    assert_same(fl.segment_min(x, [0, 2, 2, 3]), np.array([-1, np.nan, 2]))
    assert_same(fl.group_max([1, 1, 3], x), np.array([np.nan, 3, np.nan, 2]))
    with pytest.raises(ValueError):
        fl.segment_max([1, 2], [0, 0, 2])
    assert_same(fl.segment_sum([], [0]), np.array([]))
    assert_same(fl.group_sum(np.array([], int), []), np.array([]))
    assert_same(fl.segment_sum(x.astype(">f8"), np.array([0, 3], ">i4"), dtype="float32"), np.array([4], np.float32))


def test_errors():
    x = np.arange(4.0)
    for offsets, said in (([], "at least one"), ([0, 5], None), ([2, 1], None), ([[0, 4]], "vector")):
        with pytest.raises(ValueError, match=said):
            fl.segment_sum(x, np.array(offsets, int))
    with pytest.raises(TypeError, match="integers"):
        fl.segment_sum(x, [0.0, 4.0])
    with pytest.raises(TypeError, match="None is no array"):
        fl.segment_sum(x, None)
    for keys, groups, said in (([0, 1], None, "2 keys for 4"), ([-1, -2, -1, -1], None, "negative"), ([0, 1, 2, 3], 3, None),
                               ([0, 1, -1, 3], None, None), ([2**60] * 4, None, "unique"), ([0] * 4, -1, "0 or more")):
        with pytest.raises(ValueError, match=said):
            fl.group_sum(keys, x, groups)
    for groups, kind in ((2**70, OverflowError), (2.0, TypeError)):
        with pytest.raises(kind):
            fl.group_sum([0] * 4, x, groups)
    with pytest.raises(OverflowError):
        fl.segment_sum(np.array([2**63 - 1, 1]), [0, 2])
    with pytest.raises(TypeError, match="floating-point"):
        fl.segment_mean(x, [0, 4], dtype="int64")
