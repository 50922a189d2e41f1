// Bins and slices: the arithmetic of the fast path, for one SIMD vector, CPU scalar or GPU thread.
//
// No include guard: a backend includes this file once per instruction set, inside the namespace and between
// the target attributes that FOLDLINE_LANES_BEGIN and FOLDLINE_LANES_END stand for. Before that it defines
// the operations of its lanes: Add, Sub, MulAdd(a, b, c) = a b + c, NegMulAdd(a, b, c) = c - a b (fused or
// not: every use here is exact), and OrXor(bits, a, b) = bits | (bits of a ^ bits of b).
// arithmetic/one_lane.hpp is for one double, cpu/simd/lanes-inl.hpp for SIMD vectors.

FOLDLINE_LANES_BEGIN

// The bits of `Pipe` choose which of a level's three additions are issued as a * 1 + b, so that processors
// with separate adders and multipliers use both (Zen 4, two levels from L2: 46 instead of 33 GB/s; no loss
// elsewhere). `one` is a run-time value, or the compiler would fold it.
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

// Deposits x in bins First .. K - 1; bin k holds a multiple of the last place of its anchor. (Demmel & Nguyen
// 2013.)
//
// Why it is exact: `range` collects the bits in which a sum differs from its anchor's sign and exponent.
// While it has none there, the bin before and after are multiples of one unit less than 2^52 units apart, so
// their difference `taken` is exact, and x - taken, the rounding error of an addition, is representable. It
// is at most half a unit, so the next level's bin stays in its binade for deposits_per_block deposits. The
// remainder of x after the last level is returned, and is nonzero if `residual` has a bit below 63 (-0 leaves
// +0).
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

// Splits x into S slices: multiples of the last place of their splitter, at most 2^23 of them (for the first
// slice see AddSquares). Exact for the same reason: x + splitter rounds x to a multiple while x is below 2^51
// of them. The last slice is the remainder; with `Check`, `residual` shows whether that is a multiple too.
template <int S, bool Check, class Real, class Bits>
FOLDLINE_LANE_FUNCTION void Split(Real x, const Real (&splitter)[S], Real (&slice)[S], Bits& residual) {
  for (int k = 0; k < S - 1; ++k) {
    slice[k] = Sub(Add(x, splitter[k]), splitter[k]);
    x = Sub(x, slice[k]);
  }
  slice[S - 1] = x;
  if constexpr (Check) residual = OrXor(residual, Sub(Add(x, splitter[S - 1]), splitter[S - 1]), x);
}

/// A rounded sum and its error, which is a number of the same type.
template <class Real>
struct SumAndError {
  Real sum, error;
};
/// a + b - sum, for sum = a + b rounded to nearest (TwoSum, Knuth 1969).
template <class Real>
FOLDLINE_LANE_FUNCTION Real ErrorOfSum(Real a, Real b, Real sum) {
  const Real b_taken = Sub(sum, a);
  return Add(Sub(a, Sub(sum, b_taken)), Sub(b, b_taken));
}
template <class Real>
FOLDLINE_LANE_FUNCTION SumAndError<Real> TwoSum(Real a, Real b) {
  const Real sum = Add(a, b);
  return {sum, ErrorOfSum(a, b, sum)};
}
/// The same if |larger| >= |smaller|, or if one of them is zero (Dekker 1971).
template <class Real>
FOLDLINE_LANE_FUNCTION SumAndError<Real> FastTwoSum(Real larger, Real smaller) {
  const Real sum = Add(larger, smaller);
  return {sum, Sub(smaller, Sub(sum, larger))};
}

FOLDLINE_LANES_END
