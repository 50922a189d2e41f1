// Where on the number line a scan's two parts lie, and which tiles they hold. Included once per instruction
// set.

#include <cmath>

#include "cpu/scan_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Elements are below 2^top and multiples of 2^last_place.
struct Extent {
  int top, last_place;
};

/// The extent of a tile of vectors, as its exponents tell it; top is beyond any window's if it is not finite.
template <class T>
Extent ExtentOf(const T* x, std::size_t vectors) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Bits = hn::TFromD<decltype(di)>;
  const auto magnitude_mask = hn::Set(di, hwy::HighestValue<Bits>());
  const auto one = hn::Set(di, 1);
  auto highest = hn::Zero(di);
  auto lowest = magnitude_mask;  // of magnitude - 1, without its sign: zero becomes the largest
  constexpr std::size_t step = hn::MaxLanes(d);
  for (std::size_t i = 0; i < vectors * lanes; i += step) {
    const auto magnitude = hn::And(hn::BitCast(di, hn::LoadU(d, x + i)), magnitude_mask);
    highest = hn::Max(highest, magnitude);
    lowest = hn::Min(lowest, hn::And(hn::Sub(magnitude, one), magnitude_mask));
  }
  constexpr int fraction = sizeof(T) == 8 ? 52 : 23;
  constexpr int bias = sizeof(T) == 8 ? 1023 : 127;
  constexpr int infinite = 2 * bias + 1;
  const Bits high = hn::GetLane(hn::MaxOfLanes(di, highest));
  const Bits low = hn::GetLane(hn::MinOfLanes(di, lowest));
  if (high == 0) return {smallest_exponent, exponent_bias};
  const int high_field = static_cast<int>(high >> fraction);
  const int low_field = static_cast<int>((low + 1) >> fraction);
  return {high_field == infinite ? 2 * exponent_bias : HWY_MAX(high_field, 1) + 1 - bias,
          HWY_MAX(low_field, 1) - bias - fraction};
}

/// Whether each element, rounded to a multiple of the anchor's last place, leaves a multiple of the second
/// anchor's: with Parts == 1, leaves nothing. The first few tell nearly always.
template <int Parts, class T>
bool LeaveNothing(const T* x, std::size_t vectors, double anchor_value, double second_anchor_value) {
  const V anchor = hn::Set(D(), anchor_value);
  const V second_anchor = hn::Set(D(), second_anchor_value);
  VI residual = hn::Zero(DI());
  for (std::size_t v = 0; v < vectors; ++v) {
    const V element = LoadDoubles(x + v * lanes);
    V rest = Sub(element, Sub(Add(element, anchor), anchor));
    if constexpr (Parts == 2) rest = Sub(rest, Sub(Add(rest, second_anchor), second_anchor));
    residual = hn::Or(residual, hn::BitCast(DI(), rest));
    if (v == unroll && !AllZero(hn::ShiftLeft<1>(residual))) return false;
  }
  return AllZero(hn::ShiftLeft<1>(residual));
}

/// A prefix sum as high + low + rest for use by ScanVectors: high is a multiple of 2^unit, low of 2^low_unit,
/// and what is left, rest, stays where it is, in the exact prefix.
///
/// Why nothing is rounded: with |prefix| <= 2^top all along, sums of highs are at most 2^53 units. A low is
/// at most half a unit, so its sums over a tile are below (1 + elements / 2) * 2^unit < 2^(low_unit + 52),
/// which leaves a bit for half a low_unit.
///
/// Half a low_unit stands for the rest, if there is one, in low: rounding asks only on which side of a
/// midpoint the sum lies, and midpoints are multiples of low_unit if the result is large enough (see
/// SmallestResult).
class Window {
 public:
  /// Elements of a tile, at most.
  static constexpr std::size_t elements = 1024;

  explicit Window(ExactPrefix& prefix) : rest_(prefix) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Sees to it that the window holds a tile, if one can; returns in how many parts, 1 or 2, or else 0.
  template <class T>
  int PartsFor(const T* x, std::size_t vectors) {
    const Extent extent = ExtentOf(x, vectors);
    if (open_ && extent.top <= highest_top_of_elements() && std::fabs(high_) <= power_of_two(top_ - 1)) {
      const int parts = PartsBelow(extent, x, vectors);
      if (parts != 0) return parts;
    }
    return OpenFor(extent) ? PartsBelow(extent, x, vectors) : 0;
  }

  double anchor() const { return anchor_of(unit()); }

  TwoParts Sum() const { return {high_, low_ + half_for_rest_}; }

  /// Results of a smaller magnitude may be wrong. `narrows` says that they have fewer bits than the elements:
  /// then results below the normal floats are rounded twice.
  double SmallestResult(bool narrows) const {
    const double for_rest = half_for_rest_ == 0 ? 0 : power_of_two(low_unit() + fraction_bits + 2);
    return narrows && low_unit() < format_of_float.min_exponent ? HWY_MAX(for_rest, 0x1p-125) : for_rest;
  }

  /// Takes the sum after a tile.
  void Advance(TwoParts sum) {
    const double low = sum.low - half_for_rest_;
    const double taken = low + anchor() - anchor();
    high_ = sum.high + taken;
    low_ = low - taken;
  }

  /// Makes the exact prefix whole again.
  void Close() {
    if (!open_) return;
    rest_.add(high_);
    rest_.add(low_);
    open_ = false;
  }

 private:
  static constexpr int low_bits = 42;
  static constexpr int lowest_top = smallest_exponent + low_bits + fraction_bits;
  static constexpr int highest_top = 1022;
  static constexpr int log2_elements = 10;
  static_assert(elements == std::size_t{1} << log2_elements);

  int unit() const { return top_ - fraction_bits; }
  int low_unit() const { return unit() - low_bits; }
  /// All elements of a tile together are below 2^(top - 1).
  int highest_top_of_elements() const { return top_ - 1 - log2_elements; }

  bool OpenFor(Extent extent) {
    Close();
    const int top = HWY_MAX(1 + HWY_MAX(extent.top + log2_elements, rest_.bound()), lowest_top);
    if (top > highest_top) return false;
    top_ = top;
    high_ = std::ldexp(static_cast<double>(rest_.floor_of_quotient(unit())), unit());
    const std::int64_t low = rest_.floor_of_quotient(low_unit()) & ((std::int64_t{1} << low_bits) - 1);
    low_ = std::ldexp(static_cast<double>(low), low_unit());
    rest_.add(-high_);
    rest_.add(-low_);
    half_for_rest_ = rest_.is_zero() ? 0 : std::ldexp(0.5, low_unit());
    open_ = true;
    return true;
  }

  template <class T>
  int PartsBelow(Extent extent, const T* x, std::size_t vectors) const {
    if (extent.last_place >= unit() || LeaveNothing<1>(x, vectors, anchor(), 0)) return 1;
    return extent.last_place >= low_unit() || LeaveNothing<2>(x, vectors, anchor(), anchor_of(low_unit()))
               ? 2
               : 0;
  }

  ExactPrefix& rest_;
  bool open_ = false;
  int top_ = 0;
  double high_ = 0, low_ = 0, half_for_rest_ = 0;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
