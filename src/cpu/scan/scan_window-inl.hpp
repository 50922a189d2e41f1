// The window of a scan: which bits its two parts have, and which tiles they hold. Included once per
// instruction set.

#include <cmath>

#include "cpu/scan/scan_fast-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Elements are below 2^top and multiples of 2^last_place.
struct Extent {
  int top, last_place;
};

/// The bits of the smallest nonzero magnitude of a tile, less 1.
template <class T>
HWY_NOINLINE auto LowestOf(const T* x, std::size_t vectors) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto magnitude_mask = hn::Set(di, hwy::HighestValue<hn::TFromD<decltype(di)>>());
  const auto one = hn::Set(di, 1);
  auto lowest = magnitude_mask;  // of magnitude - 1, where zero wraps to the largest
  for (std::size_t i = 0; i < vectors * lanes; i += hn::MaxLanes(d)) {
    const auto magnitude = hn::And(hn::BitCast(di, hn::LoadU(d, x + i)), magnitude_mask);
    lowest = hn::Min(lowest, hn::And(hn::Sub(magnitude, one), magnitude_mask));
  }
  return hn::GetLane(hn::MinOfLanes(di, lowest));
}

/// The extent of a tile of vectors, by its exponents; top is beyond any window if an element is not finite.
template <class T>
Extent ExtentOf(const T* x, std::size_t vectors) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Bits = hn::TFromD<decltype(di)>;
  const auto magnitude_mask = hn::Set(di, hwy::HighestValue<Bits>());
  auto highest = hn::Zero(di);
  auto lowest = magnitude_mask;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (std::size_t i = 0; i < vectors * lanes; i += step) {
    const auto magnitude = hn::And(hn::BitCast(di, hn::LoadU(d, x + i)), magnitude_mask);
    highest = hn::Max(highest, magnitude);
    lowest = hn::Min(lowest, magnitude);
  }
  constexpr int fraction = sizeof(T) == 8 ? 52 : 23;
  constexpr int bias = sizeof(T) == 8 ? 1023 : 127;
  constexpr int infinite = 2 * bias + 1;
  const Bits high = hn::GetLane(hn::MaxOfLanes(di, highest));
  Bits low = hn::GetLane(hn::MinOfLanes(di, lowest));
  if (high == 0) return {smallest_exponent, exponent_bias};
  // Only a tile with zeros is read again for its nonzero elements.
  low = low == 0 ? LowestOf(x, vectors) : low - 1;
  const int high_field = static_cast<int>(high >> fraction);
  const int low_field = static_cast<int>((low + 1) >> fraction);
  return {high_field == infinite ? 2 * exponent_bias : HWY_MAX(high_field, 1) + 1 - bias,
          HWY_MAX(low_field, 1) - bias - fraction};
}

/// Whether each element less its multiple of the anchor's last place is a multiple of the second anchor's.
/// The first few elements nearly always decide.
template <class T>
bool LeavesMultiples(const T* x, std::size_t vectors, double anchor_value, double second_anchor_value) {
  const V anchor = hn::Set(D(), anchor_value);
  const V second_anchor = hn::Set(D(), second_anchor_value);
  VI residual = hn::Zero(DI());
  for (std::size_t v = 0; v < vectors; ++v) {
    const V element = LoadDoubles(x + v * lanes);
    const V low = Sub(element, Sub(Add(element, anchor), anchor));
    const V rest = Sub(low, Sub(Add(low, second_anchor), second_anchor));
    residual = hn::Or(residual, hn::BitCast(DI(), rest));
    if (v == unroll && !AllZero(hn::ShiftLeft<1>(residual))) return false;
  }
  return AllZero(hn::ShiftLeft<1>(residual));
}

/// A prefix sum as high + low + rest, for ScanVectors: high is a multiple of 2^unit, low of 2^low_unit, and
/// the rest stays in the exact prefix. There are two kinds of windows.
///
/// Split: with |prefix| <= 2^top all along, sums of highs are at most 2^53 units. A low is at most half a
/// unit, so its sums over a tile are below (1 + elements / 2) * 2^unit < 2^(low_unit + 52), which leaves a
/// bit for half a low_unit. So no sum of either part is rounded.
///
/// Narrow: a tile's elements together are at most one unit, so high does not change and sums of low are below
/// 2 * 2^unit = 2^(low_unit + 51). This takes half the operations. Floats of similar size fit, and doubles of
/// few digits.
///
/// In low, half a low_unit stands for a nonzero rest: rounding asks only on which side of a midpoint the sum
/// lies, and midpoints are multiples of low_unit if the result is large enough (see SmallestResult).
class ScanWindow {
 public:
  /// Elements of a tile, at most.
  static constexpr std::size_t elements = 1024;

  /// For results of `precision` significant bits; `narrows`: elements have more.
  ScanWindow(ExactPrefix& prefix, int precision, bool narrows)
      : rest_(prefix), precision_(precision), narrows_(narrows) {}
  ScanWindow(const ScanWindow&) = delete;
  ScanWindow& operator=(const ScanWindow&) = delete;

  /// Makes the window hold a tile; returns false if none can.
  template <class T>
  bool Holds(const T* x, std::size_t vectors) {
    const Extent extent = ExtentOf(x, vectors);
    tile_top_ = extent.top;
    if (open_ && HoldsNow(extent, x, vectors)) {
      // Returns to a narrow window after two tiles that would have fitted one: to open it takes as long as a
      // tile. (Of normal floats one tile in twenty does not fit; with eight tiles instead of two a scan took
      // a fifth longer.)
      tiles_for_narrow_ = is_split_ && CanBeNarrow(extent) ? tiles_for_narrow_ + 1 : 0;
      if (tiles_for_narrow_ < 2) return true;
    }
    tiles_for_narrow_ = 0;
    Close();
    return OpenNarrow(extent) || (OpenSplit(extent) && HoldsNow(extent, x, vectors));
  }

  /// Whether elements must be split, by the anchor.
  bool is_split() const { return is_split_; }
  double anchor() const { return anchor_of(unit()); }

  TwoParts Sum() const { return {high_, low_ + half_for_rest_}; }

  /// Results of smaller magnitude may be wrong: midpoints may be no multiples of low_unit, and results below
  /// the normal floats are rounded twice if elements have more bits.
  double SmallestResult() const {
    const double for_rest =
        half_for_rest_ == 0 ? 0 : power_of_two(HWY_MAX(low_unit() + precision_ + 1, -1022));
    return narrows_ && low_unit() < format_of_float.min_exponent ? HWY_MAX(for_rest, 0x1p-125) : for_rest;
  }

  /// Whether no result of the last tile can be that small: then none need be searched.
  bool IsFarFromSmallest() const {
    const double most = power_of_two(HWY_MAX(tile_top_ + log2_elements, -1022));  // of all elements together
    return std::fabs(high_ + low_) >= 4 * HWY_MAX(most, SmallestResult());
  }

  /// Sets the sum to that after a tile.
  void Advance(TwoParts sum) {
    const double low = sum.low - half_for_rest_;
    const double taken = low + anchor() - anchor();
    high_ = sum.high + taken;
    low_ = low - taken;
  }

  /// Adds high and low back to the exact prefix.
  void Close() {
    if (!open_) return;
    rest_.add(high_);
    rest_.add(low_);
    open_ = false;
  }

 private:
  static constexpr int low_bits_if_split = 42, low_bits_if_narrow = 50;
  static constexpr int highest_top = 1022;
  static constexpr int log2_elements = 10;
  static_assert(elements == std::size_t{1} << log2_elements);

  int unit() const { return top_ - fraction_bits; }
  int low_unit() const { return unit() - (is_split_ ? low_bits_if_split : low_bits_if_narrow); }

  static bool CanBeNarrow(Extent extent) {
    return extent.top + log2_elements - extent.last_place <= low_bits_if_narrow;
  }

  template <class T>
  bool HoldsNow(Extent extent, const T* x, std::size_t vectors) const {
    // All elements of a tile together are below 2^(top - 1), so |prefix| stays below 2^top.
    const int highest = is_split_ ? top_ - 1 : unit();
    if (extent.top + log2_elements > highest || std::fabs(high_) > power_of_two(top_ - 1)) return false;
    if (extent.last_place >= low_unit()) return true;
    return is_split_ && LeavesMultiples(x, vectors, anchor(), anchor_of(low_unit()));
  }

  bool OpenNarrow(Extent extent) {
    if (!CanBeNarrow(extent)) return false;
    // Centred: the next tile may have larger or smaller elements.
    const int spare = low_bits_if_narrow - (extent.top + log2_elements - extent.last_place);
    const int unit = extent.top + log2_elements + HWY_MIN(spare / 2, 8);
    if (!Open(unit + fraction_bits, false)) return false;
    if (std::fabs(high_ + low_) >= 2 * SmallestResult()) return true;
    Close();
    return false;
  }
  bool OpenSplit(Extent extent) {
    constexpr int lowest_top = smallest_exponent + low_bits_if_split + fraction_bits;
    return Open(HWY_MAX(1 + HWY_MAX(extent.top + log2_elements, rest_.bound()), lowest_top), true);
  }

  bool Open(int top, bool split) {
    if (top > highest_top || rest_.bound() >= top) return false;
    top_ = top;
    is_split_ = split;
    if (low_unit() < smallest_exponent) return false;
    const int low_bits = unit() - low_unit();
    high_ = std::ldexp(static_cast<double>(rest_.floor_of_quotient(unit())), unit());
    const std::int64_t low = rest_.floor_of_quotient(low_unit()) & ((std::int64_t{1} << low_bits) - 1);
    low_ = std::ldexp(static_cast<double>(low), low_unit());
    rest_.add(-high_);
    rest_.add(-low_);
    half_for_rest_ = rest_.is_zero() ? 0 : std::ldexp(0.5, low_unit());
    open_ = true;
    return true;
  }

  ExactPrefix& rest_;
  const int precision_;
  const bool narrows_;
  bool open_ = false, is_split_ = false;
  int top_ = 0;
  int tile_top_ = 0;
  int tiles_for_narrow_ = 0;  // consecutive
  double high_ = 0, low_ = 0, half_for_rest_ = 0;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
