// Exact sums for the oracles: 128-bit integers in units of 2^-96. Inputs are chosen so that they fit.
#pragma once

#include <cstdint>
#include <limits>

namespace foldline::ladder {

class ExactSum {
 public:
  /// Adds a * b * 2^(2 * exponent), exponent from -48 to 0; the sum's magnitude must stay below 2^31.
  void add_product(std::int64_t a, std::int64_t b, int exponent) {
    sum_ += static_cast<Integer>(a) * b * (Integer{1} << (96 + 2 * exponent));
  }
  /// Rounded a few times: from 128 bits to 64, and from there.
  long double value() const;
  /// |result - sum|
  long double distance(double result) const;

 private:
  __extension__ using Integer = __int128;
  Integer sum_ = 0;
};

/// The distance between neighbours of type T around a value; for zero, around the smallest normal number.
template <class T>
long double unit_in_last_place(long double value);

/// The error of a result, and whether it is within the bound of its algorithm.
struct Error {
  double ulp;
  bool within;
};

/// `depth`: the most roundings between a term and the result; 0 requires the correctly rounded result.
/// `sum_of_magnitudes`: of the terms. The bound is Higham's: depth u / (1 - depth u) times the sum of
/// magnitudes.
template <class T>
Error error_of(T result, const ExactSum& exact, double depth, long double sum_of_magnitudes);

}  // namespace foldline::ladder
