// Vectorised rounding: results of neighbouring columns for which a few floating-point operations are certain
// to be correctly rounded. The others, some in a million, are left to the integers of
// arithmetic/rounding.hpp, which take 20 times as long. Included once per instruction set.

#include "cpu/columns/column_tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

using LaneMask = hn::Mask<D>;

/// Results of a group of columns; unspecified where `certain` is 0.
struct ColumnResults {
  double value[group];
  std::int64_t certain[group];
};

/// Whether all columns of a group are certain: testing each costs 2 % of a sum of 100 rows.
HWY_INLINE bool AllCertain(const ColumnResults& results) {
  VI all = hn::LoadU(DI(), results.certain);
  for (std::size_t i = lanes; i < group; i += lanes) all = hn::And(all, hn::LoadU(DI(), results.certain + i));
  return hn::AllTrue(DI(), hn::Ne(all, hn::Zero(DI())));
}

/// A vector of numbers known to lie in [low, high]; `exact` if it is `low`. Not usable where the signs of the
/// two differ.
struct Enclosure {
  V low, high;
  LaneMask exact;
};

/// The multiple of 2^bits in a count, divided by 2^bits; the rest is from -2^(bits - 1) to 2^(bits - 1).
template <int bits>
HWY_INLINE VI CarryOf(VI count) {
  return hn::ShiftRight<bits>(hn::Add(count, hn::Set(DI(), std::int64_t{1} << (bits - 1))));
}

/// Two counts, 46 bits apart, as the exact sum of two doubles; not `fits` if a count is too large.
struct Total {
  V sum, error;  // sum is the rounded total
  LaneMask fits;
};
HWY_INLINE Total TotalOfCounts(VI first, VI second, VI anchor) {
  const D d;
  const DI di;
  // The second count keeps 45 bits and its sign and carries the rest to the first; of the first, the bits
  // from 32 up become a number of their own. Each of the three, times its unit, is a double.
  const VI carry = CarryOf<BinWindow::width>(second);
  first = hn::Add(first, carry);
  const VI high = hn::ShiftLeft<32>(CarryOf<32>(first));
  const VI unit = hn::And(hn::Sub(anchor, hn::Set(di, std::int64_t{fraction_bits} << fraction_bits)),
                          hn::Set(di, static_cast<std::int64_t>(infinity_bits)));
  const V unit_of_first = hn::BitCast(d, unit);
  const V unit_of_second = hn::BitCast(d, hn::Sub(unit, hn::Set(di, level_step)));
  const V rest = hn::ConvertTo(d, hn::Sub(second, hn::ShiftLeft<BinWindow::width>(carry)));
  const SumAndError<V> lower = FastTwoSum(hn::Mul(hn::ConvertTo(d, hn::Sub(first, high)), unit_of_first),
                                          hn::Mul(rest, unit_of_second));
  const SumAndError<V> upper = FastTwoSum(hn::Mul(hn::ConvertTo(d, high), unit_of_first), lower.sum);
  // Both errors are multiples of the second unit, and below the limit less than 2^53 of them: the error of
  // the upper sum is at most half a unit in the last place of 2^60.
  const SumAndError<V> total = FastTwoSum(upper.sum, Add(upper.error, lower.error));
  const VI limit = hn::Set(di, std::int64_t{1} << 60);
  return {total.sum, total.error, hn::RebindMask(d, hn::Lt(hn::Abs(first), limit))};
}

/// The total divided by n.
HWY_INLINE Enclosure QuotientOf(const Total& total, V n) {
  // q + rest / n is the quotient; rest is exact but for its own rounding, since the remainder of a division
  // is a double.
  const V q = hn::Div(total.sum, n);
  const V rest = Sub(total.error, ProductError(q, n, total.sum));
  const V correction = hn::Div(rest, n);
  // The correction is accurate to 2^-50.
  return {hn::MulAdd(correction, hn::Set(D(), 1 - 0x1p-40), q),
          hn::MulAdd(correction, hn::Set(D(), 1 + 0x1p-40), q), hn::Eq(rest, hn::Zero(D()))};
}

/// Rounds a vector of enclosed numbers. Zero is never certain, since its sign depends on the elements.
HWY_INLINE void RoundEnclosed(const Enclosure& x, LaneMask usable, ElementType type, double* value,
                              std::int64_t* certain) {
  const D d;
  const DI di;
  V result = x.low;
  const V low = hn::Min(hn::Abs(x.low), hn::Abs(x.high));
  const V high = hn::Max(hn::Abs(x.low), hn::Abs(x.high));
  // Only far from subnormal numbers and from overflow.
  usable = hn::And(usable, hn::And(hn::Ge(low, hn::Set(d, 0x1p-900)), hn::Lt(high, hn::Set(d, 0x1p1000))));
  if (type == ElementType::float64) {
    usable = hn::And(usable, hn::Eq(x.low, x.high));
  } else {
    // Everything strictly between two doubles that round to the same float rounds to it.
    const F f;
    const auto below = hn::BitCast(d, hn::Sub(hn::BitCast(di, low), hn::Set(di, 1)));
    const auto above = hn::BitCast(d, hn::Add(hn::BitCast(di, high), hn::Set(di, 1)));
    const V of_below = hn::PromoteTo(d, hn::DemoteTo(f, below));
    const V of_above = hn::PromoteTo(d, hn::DemoteTo(f, above));
    usable = hn::And(usable, hn::Or(x.exact, hn::Eq(of_below, of_above)));
    usable = hn::And(usable, hn::Lt(high, hn::Set(d, 0x1p127)));
    result = hn::PromoteTo(d, hn::DemoteTo(f, result));
  }
  hn::StoreU(result, d, value);
  hn::StoreU(hn::VecFromMask(di, hn::RebindMask(di, usable)), di, certain);
}

/// Rounds numbers that are known exactly. Zero is not certain, as in RoundEnclosed.
HWY_INLINE void RoundExact(V x, ElementType type, double* value, std::int64_t* certain) {
  const D d;
  const bool is_double = type == ElementType::float64;
  const V magnitude = hn::Abs(x);
  const LaneMask usable = hn::And(hn::Ge(magnitude, hn::Set(d, 0x1p-900)),
                                  hn::Lt(magnitude, hn::Set(d, is_double ? 0x1p1000 : 0x1p127)));
  hn::StoreU(is_double ? x : hn::PromoteTo(d, hn::DemoteTo(F(), x)), d, value);
  hn::StoreU(hn::VecFromMask(DI(), hn::RebindMask(DI(), usable)), DI(), certain);
}

/// The sum of vector `u` of a few rows of floats as doubles, which mostly have room for all of its bits;
/// false if they have not.
template <class Term>
HWY_INLINE bool SumExactly(const ColumnTile<float>& tile, int u, V& sum) {
  sum = Term::Of(tile.At(0, u));
  V lost = hn::Zero(D());
  for (std::size_t row = 1; row < tile.rows; ++row) {
    const SumAndError<V> next = TwoSum(sum, Term::Of(tile.At(row, u)));
    sum = next.sum;
    lost = hn::Or(lost, next.error);  // its bits: zero as long as all errors are
  }
  return hn::AllTrue(D(), hn::Eq(lost, hn::Zero(D())));
}

/// Rounds the sums of a tile of a few rows without counts: the error of each addition is a double, and so is
/// the error of each addition of errors. If the latter are zero, as for rows of similar size, everything is
/// exact; otherwise ties, which are frequent with few rows, are left to the integers.
template <class Term, class T>
HWY_INLINE void RoundFewRows(const ColumnTile<T>& tile, ElementType type, Prefetcher ahead,
                             ColumnResults& results) {
  const D d;
  const V zero = hn::Zero(d);
  for (std::size_t row = 0; row < tile.rows; ++row) ahead.PrefetchRow<group * sizeof(T)>(row);
  for (int u = 0; u < unroll; ++u) {
    double* const value = results.value + static_cast<std::size_t>(u) * lanes;
    std::int64_t* const certain = results.certain + static_cast<std::size_t>(u) * lanes;
    if constexpr (std::is_same_v<T, float>) {
      V sum;
      if (SumExactly<Term>(tile, u, sum)) {
        RoundExact(sum, type, value, certain);
        continue;
      }
    }
    V sum = Term::Of(tile.At(0, u));
    V error = zero;
    V lost = zero;  // the sum of magnitudes of the errors of `error`
    for (std::size_t row = 1; row < tile.rows; ++row) {
      const SumAndError<V> next = TwoSum(sum, Term::Of(tile.At(row, u)));
      const SumAndError<V> next_error = TwoSum(error, next.error);
      sum = next.sum;
      error = next_error.sum;
      lost = Add(lost, hn::Abs(next_error.error));
    }
    const LaneMask is_exact = hn::Eq(lost, zero);
    if (type == ElementType::float64 && hn::AllTrue(d, is_exact)) {
      RoundExact(Add(sum, error), type, value, certain);  // one rounding of the exact sum
      continue;
    }
    // Wide enough to cover the rounding of the sum of magnitudes and of the next two lines.
    const V wide = hn::MulAdd(hn::Abs(error), hn::Set(d, 0x1p-48), hn::Mul(lost, hn::Set(d, 4)));
    const V bound = hn::IfThenZeroElse(is_exact, wide);
    const V low = Add(sum, Sub(error, bound));
    const Enclosure result = {low, Add(sum, Add(error, bound)),
                              hn::And(is_exact, hn::Eq(TwoSum(sum, error).error, zero))};
    // A number of unknown sign stays uncertain: RoundEnclosed compares magnitudes.
    const LaneMask has_sign = hn::Gt(hn::Mul(result.low, result.high), zero);
    RoundEnclosed(result, has_sign, type, value, certain);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
