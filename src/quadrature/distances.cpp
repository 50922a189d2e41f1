#include "quadrature/distances.hpp"

#include <cmath>

#include "api/as_doubles.hpp"
#include "quadrature/double_double.hpp"

namespace foldline::quadrature {

namespace {

/// b - a; the difference of two integers is exact before it is rounded, so that times in nanoseconds keep
/// their distances.
template <Element T>
DoubleDouble distance(T a, T b) {
  if constexpr (FloatingElement<T> || sizeof(T) < 8) {
    const DoubleDouble length = DoubleDouble::sum(as_doubles(b).high, -as_doubles(a).high);
    return {length.high, std::isfinite(length.high) ? length.low : 0};
  } else {
    const std::uint64_t length = a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                                       : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    const auto high = static_cast<double>(length);
    const std::uint64_t held = high < 0x1p64 ? static_cast<std::uint64_t>(high) : 0;  // modulo 2^64
    const auto low = static_cast<double>(static_cast<std::int64_t>(length - held));
    return a < b ? DoubleDouble{high, low} : DoubleDouble{-high, -low};
  }
}

}  // namespace

bool distances(const VectorView& x, double* high, double* low) {
  return detail::visit_type(x.type(), [&]<class T>(std::type_identity<T>) {
    bool any = false;
    for (std::int64_t i = 0; i + 1 < x.size(); ++i) {
      const DoubleDouble length =
          distance(detail::element_at<T>(x.at(i)), detail::element_at<T>(x.at(i + 1)));
      high[i] = length.high;
      low[i] = length.low;
      any = any || length.low != 0;
    }
    return any;
  });
}

}  // namespace foldline::quadrature
