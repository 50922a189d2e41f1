#include "quadrature/distances.hpp"

#include "api/as_doubles.hpp"

namespace foldline::quadrature {

namespace {

/// b - a; the difference of two integers is exact before it is rounded, so that times in nanoseconds keep
/// their distances.
template <Element T>
double distance(T a, T b) {
  if constexpr (FloatingElement<T> || sizeof(T) < 8) {
    return as_doubles(b).high - as_doubles(a).high;
  } else {
    const std::uint64_t length = a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                                       : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    return a < b ? static_cast<double>(length) : -static_cast<double>(length);
  }
}

}  // namespace

void distances(const VectorView& x, double* out) {
  detail::visit_type(x.type(), [&]<class T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i + 1 < x.size(); ++i)
      out[i] = distance(detail::element_at<T>(x.at(i)), detail::element_at<T>(x.at(i + 1)));
  });
}

}  // namespace foldline::quadrature
