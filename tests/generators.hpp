// Data that finds mistakes: every generator makes vectors x and y of values of one element type, from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "oracle.hpp"

namespace generators {

using foldline::ElementType;

/// splitmix64: tiny, the same on every platform, and a seed is all there is to a state.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [first, last].
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(last - first + 1));
  }
  /// In [0, 1).
  double real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  bool coin() { return one_in(2); }
  /// In [1, limit], each binary order of magnitude as likely as the next.
  std::int64_t log_uniform(std::int64_t limit);

  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }

 private:
  std::uint64_t state_;
};

enum class Generator : std::uint8_t {
  uniform,
  normal,               ///< also with a mean much larger than the deviation
  ill_conditioned_sum,  ///< Ogita, Rump, Oishi: of a condition number up to 1e60
  ill_conditioned_dot,
  all_exponents,
  sum_tie,  ///< exactly halfway between two results of some type, or one tiny bit off
  mean_tie,
  norm_tie,
  variance_tie,
  dot_tie,
  subnormal,
  signed_zeros,
  only_negative_zero,
  with_specials,  ///< infinities and NaN sprinkled in
  extremes,       ///< around the smallest and the largest normal numbers
  near_overflow,  ///< results that overflow, nearly overflow, or only seem to
  cancellation,   ///< exact zero, or one tiny element away from it
  integers,
  all_equal,
  outlier,  ///< one huge or tiny element in a narrow vector
  random_bits,
  underflowing_products,
  growing,  ///< the exponent grows or falls with the index
  mixed     ///< runs of other generators: what served one run does not serve the next
};

inline constexpr std::array all_generators = {Generator::uniform,
                                              Generator::normal,
                                              Generator::ill_conditioned_sum,
                                              Generator::ill_conditioned_dot,
                                              Generator::all_exponents,
                                              Generator::sum_tie,
                                              Generator::mean_tie,
                                              Generator::norm_tie,
                                              Generator::variance_tie,
                                              Generator::dot_tie,
                                              Generator::subnormal,
                                              Generator::signed_zeros,
                                              Generator::only_negative_zero,
                                              Generator::with_specials,
                                              Generator::extremes,
                                              Generator::near_overflow,
                                              Generator::cancellation,
                                              Generator::integers,
                                              Generator::all_equal,
                                              Generator::outlier,
                                              Generator::random_bits,
                                              Generator::underflowing_products,
                                              Generator::growing,
                                              Generator::mixed};

std::string_view name_of(Generator generator);

struct Data {
  std::vector<double> x, y;  ///< of the same size, all values of the element type
};

/// About `size` elements (a tie needs a few more than it may be given); none for size 0.
Data generate(Generator generator, ElementType type, std::int64_t size, Random& random);

/// Builds values of one element type.
class Values {
 public:
  Values(ElementType type, Random& random) : format_(oracle::format_of(type)), random_(random) {}

  const oracle::Format& format() const { return format_; }
  /// Random significand and sign in the binade of 2^exponent, subnormal below the normal range; 0 further
  /// down.
  double in_binade(std::int64_t exponent);
  /// 2^exponent within the range of the type.
  double power(std::int64_t exponent) const;
  /// The nearest value of the type, or the largest.
  double quantise(double value) const;
  /// An exponent of a nonzero value of the type.
  std::int64_t any_exponent() { return random_.between(format_.min_place(), format_.max_exponent); }
  std::int64_t normal_exponent() { return random_.between(format_.min_exponent, format_.max_exponent); }
  /// Appends values that add up to integer * 2^place; both must be in the range of the type.
  void append_integer(std::vector<double>& values, const mpz_class& integer, std::int64_t place) const;

 private:
  oracle::Format format_;
  Random& random_;
};

/// The generators whose name ends in _tie; in generators_ties.cpp.
Data generate_tie(Generator generator, ElementType type, std::int64_t size, Random& random);

}  // namespace generators
