// Bins and slices: the fast path's arithmetic, written for any kind of lane.
//
// No include guard: a backend includes this file once per instruction set, inside the namespace and between
// the target attributes that FOLDLINE_LANES_BEGIN and FOLDLINE_LANES_END stand for, after it has given the
// lane's vocabulary: Add, Sub, MulAdd(a, b, c) = a b + c, NegMulAdd(a, b, c) = c - a b (fused or not: every
// use here is exact), and OrXor(bits, a, b) = bits | (bits of a ^ bits of b). One lane is
// arithmetic/one_lane.hpp; SIMD is cpu/lanes-inl.hpp.

FOLDLINE_LANES_BEGIN

// The bits of `Pipe` choose which of a level's three additions go through the multiplier as a * 1 + b.
// Processors with separate adders and FMA units (AMD Zen) then use both: on Zen 4, from L2, two levels take
// 46 instead of 33 GB/s; elsewhere it costs nothing. `one` is a run-time value, or the compiler would undo
// it.
template <bool ByFma, class Real>
FOLDLINE_LANE_FUNCTION Real SumOf(Real a, Real b, Real one) {
  if constexpr (ByFma)
    return MulAdd(b, one, a);
  else
    return Add(a, b);
}
template <bool ByFma, class Real>
FOLDLINE_LANE_FUNCTION Real DifferenceOf(Real a, Real b, Real one) {
  if constexpr (ByFma)
    return NegMulAdd(b, one, a);
  else
    return Sub(a, b);
}

// Deposits x in bins First .. K - 1; bin k holds a multiple of its anchor's last place. (Demmel & Nguyen
// 2013.)
//
// Why it is exact: `range` collects bits in which a sum left the anchor's binade. While there are none above
// the fraction, the bin before and after are multiples of one unit less than 2^52 units apart, so their
// difference `taken` is exact, and x - taken, the rounding error of an addition, is representable; it is at
// most half a unit, so the next level's bin can't leave its binade in deposits_per_block deposits. What is
// left of x after the last level is returned, and shows in `residual` (bit 63 apart: -0 leaves +0).
template <int First, int K, int Pipe, class Real, class Bits>
FOLDLINE_LANE_FUNCTION Real Deposit(Real x, Real (&bin)[K], Real anchor, Real one, Bits& range,
                                    Bits& residual) {
  for (int k = First; k < K; ++k) {
    const Real sum = SumOf < (Pipe & 1) != 0 > (bin[k], x, one);
    const Real taken = DifferenceOf < (Pipe & 2) != 0 > (sum, bin[k], one);
    bin[k] = sum;
    if (k == 0) range = OrXor(range, sum, anchor);
    if (k == K - 1) residual = OrXor(residual, taken, x);
    x = DifferenceOf < (Pipe & 4) != 0 > (x, taken, one);
  }
  return x;
}

// Splits x into S slices, multiples of their splitter's last place and at most 2^23 of them (the first one:
// see AddSquares). Exact as above: x + splitter rounds x to a multiple, while x is below 2^51 of them. The
// last slice is what is left; with `Check`, it shows in `residual` whether that is a multiple too.
template <int S, bool Check, class Real, class Bits>
FOLDLINE_LANE_FUNCTION void Split(Real x, const Real (&splitter)[S], Real (&slice)[S], Bits& residual) {
  for (int k = 0; k < S - 1; ++k) {
    slice[k] = Sub(Add(x, splitter[k]), splitter[k]);
    x = Sub(x, slice[k]);
  }
  slice[S - 1] = x;
  if constexpr (Check) residual = OrXor(residual, Sub(Add(x, splitter[S - 1]), splitter[S - 1]), x);
}

FOLDLINE_LANES_END
