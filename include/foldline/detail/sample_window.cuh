/// @file
/// Exact sums of samples in registers, for device_samples.cuh: two bins (Demmel and Nguyen 2013), as in a
/// reduction.
///
/// A sample is added to the first bin, which rounds it to a multiple of 2^unit(0). What that cuts off is
/// itself a double and goes to the second. After a batch, the distances of both from where they began are
/// integers.
#pragma once

#include <cstdint>

namespace foldline::detail::device {

/// Samples that two bins take before their content is moved to integers.
inline constexpr int batch_size = 32;

__device__ inline std::int64_t bits_of(double x) { return __double_as_longlong(x); }
/// Grows with |x|: its exponent and 20 bits of its fraction.
__device__ inline std::uint32_t key_of(double x) {
  return static_cast<std::uint32_t>(__double2hiint(x)) << 1;
}
/// That of 2^exponent, which every smaller number's is below.
__device__ inline std::uint32_t key_of_power(int exponent) {
  return static_cast<std::uint32_t>(exponent + 1023) << 21;
}

/// A part of the number line below 2^top, 93 bits of it.
class Window {
 public:
  /// Doubles of so many binades below 2^top are held whatever their digits are.
  static constexpr int binades = 93 - 52;

  /// For samples that are hardly larger than one with that key: up to eight times.
  __device__ explicit Window(std::uint32_t key) {
    const int top = static_cast<int>(key >> 21) - 1022 + 3;
    top_ = top < lowest_top ? lowest_top : top > highest_top ? highest_top : top;
  }

  /// 46 bits, of which 32 times as much stays in the bin's binade. The second bin gets at most half a unit of
  /// the first: so 47 bits do.
  __device__ int unit(int bin) const { return top_ - 46 - 47 * bin; }
  /// 1.5 * 2^(unit + 52): in the middle of the binade whose last place is 2^unit.
  __device__ double anchor(int bin) const {
    const std::int64_t field = unit(bin) + 52 + 1023;
    return __longlong_as_double(field << 52 | std::int64_t{1} << 51);
  }
  /// The keys of what the bins hold begin here if its digits are not looked at.
  __device__ std::uint32_t lowest_key() const { return key_of_power(top_ - binades); }
  __device__ std::uint32_t end_key() const { return key_of_power(top_); }

 private:
  // The units are those of doubles, and neither an anchor nor the counts of a tile times their units
  // overflow.
  static constexpr int lowest_top = -1074 + 93, highest_top = 1000;
  int top_;
};

/// A batch of samples, and whether the window held them all.
///
/// Which samples it holds is either told from their exponents, or (checks_rest, two more operations in double
/// precision) from what is left after the second bin: that way zeros fit, and numbers far apart with few
/// digits.
template <bool checks_rest>
class Batch {
 public:
  __device__ explicit Batch(const Window& window) : high_(window.anchor(0)), low_(window.anchor(1)) {}

  // By intrinsics, since nvcc would fuse an addition with a product that the sample is.
  __device__ void add(double sample, std::uint32_t lowest_key) {
    const double high = __dadd_rn(high_, sample);
    const double left = __dsub_rn(sample, __dsub_rn(high, high_));
    const double low = __dadd_rn(low_, left);
    if constexpr (checks_rest) {
      const std::int64_t rest = bits_of(__dsub_rn(left, __dsub_rn(low, low_)));
      rest_ |= static_cast<std::uint32_t>(rest) | static_cast<std::uint32_t>(rest >> 32);
    }
    high_ = high;
    low_ = low;
    const std::uint32_t key = key_of(sample) - lowest_key;  // of smaller ones: it wraps around, and is large
    if (key > largest_) largest_ = key;
  }

  __device__ bool fits(const Window& window, std::uint32_t lowest_key) const {
    return rest_ == 0 && largest_ < window.end_key() - lowest_key;
  }
  /// What has been added to a bin, in its units; if it fits.
  __device__ std::int64_t high(const Window& window) const {
    return bits_of(high_) - bits_of(window.anchor(0));
  }
  __device__ std::int64_t low(const Window& window) const {
    return bits_of(low_) - bits_of(window.anchor(1));
  }

 private:
  double high_, low_;
  std::uint32_t largest_ = 0, rest_ = 0;
};

}  // namespace foldline::detail::device
