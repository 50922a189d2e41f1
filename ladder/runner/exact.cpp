#include "runner/exact.hpp"

#include <algorithm>
#include <cmath>

namespace foldline::ladder {

long double ExactSum::value() const { return std::ldexp(static_cast<long double>(sum_), -96); }

long double ExactSum::distance(double result) const {
  if (!(std::abs(result) < 0x1p31)) return std::numeric_limits<float>::max();  // NaN, too
  const Integer difference = static_cast<Integer>(std::ldexp(result, 96)) - sum_;
  return std::ldexp(std::abs(static_cast<long double>(difference)), -96);
}

template <class T>
long double unit_in_last_place(long double value) {
  const long double smallest = std::numeric_limits<T>::min();
  const int exponent = std::ilogb(std::max(std::abs(value), smallest));
  return std::ldexp(1.0L, exponent - (std::numeric_limits<T>::digits - 1));
}

template <class T>
Error error_of(T result, const ExactSum& exact, double depth, long double sum_of_magnitudes) {
  const long double unit = unit_in_last_place<T>(exact.value());
  const long double distance = exact.distance(static_cast<double>(result));
  const long double roundings = depth * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  // From 1 on the bound is useless; 1 itself still limits the result to what the terms allow.
  const long double relative = roundings < 0.5L ? roundings / (1 - roundings) : 1;
  return {static_cast<double>(std::min(distance / unit, 1e18L)),
          distance <= relative * sum_of_magnitudes + unit / 2};
}

template Error error_of(float, const ExactSum&, double, long double);
template Error error_of(double, const ExactSum&, double, long double);
template long double unit_in_last_place<float>(long double);
template long double unit_in_last_place<double>(long double);

}  // namespace foldline::ladder
