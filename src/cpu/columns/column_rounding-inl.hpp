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
    const auto below = hn::BitCast(d, hn::Sub(hn::BitCast(di, low), hn::Set(di, 1)));
    const auto above = hn::BitCast(d, hn::Add(hn::BitCast(di, high), hn::Set(di, 1)));
    const V of_below = hn::PromoteTo(d, ToFloats(below));
    const V of_above = hn::PromoteTo(d, ToFloats(above));
    usable = hn::And(usable, hn::Or(x.exact, hn::Eq(of_below, of_above)));
    usable = hn::And(usable, hn::Lt(high, hn::Set(d, 0x1p127)));
    result = hn::PromoteTo(d, ToFloats(result));
  }
  hn::StoreU(result, d, value);
  hn::StoreU(hn::VecFromMask(di, hn::RebindMask(di, usable)), di, certain);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
