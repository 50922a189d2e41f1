#include "quadrature/exact_trapezoids.hpp"

#include <array>
#include <cmath>

namespace foldline::quadrature {

double not_finite_part(const TwoDoubles& x0, const TwoDoubles& x1, const TwoDoubles& y0,
                       const TwoDoubles& y1) {
  if (std::isfinite(x0.high) && std::isfinite(x1.high) && std::isfinite(y0.high) && std::isfinite(y1.high))
    return 0;
  // Of finite ends these may overflow, but have the right sign, and are 0 only if they are.
  const double length = (x1.high - x0.high) + (x1.low - x0.low);
  return length * ((y0.high + y1.high) + (y0.low + y1.low));
}

ExactTrapezoids::ExactTrapezoids() { add_product(0, 2); }

void ExactTrapezoids::add(const TwoDoubles& x0, const TwoDoubles& x1, const TwoDoubles& y0,
                          const TwoDoubles& y1) {
  not_finite_ += not_finite_part(x0, x1, y0, y1);
  if (not_finite_ != 0) return;
  for (const double weight : {x1.high, x1.low, -x0.high, -x0.low})
    for (const double value : {y0.high, y0.low, y1.high, y1.low})
      if (weight != 0 && value != 0) add_product(value, weight), add_product(0, -weight);
  if (values_.size() >= 4096) flush();
}

double ExactTrapezoids::integral() {
  if (not_finite_ != 0) return not_finite_;
  flush();
  return mean_.result();
}

void ExactTrapezoids::add_product(double value, double weight) {
  values_.push_back(value);
  weights_.push_back(weight);
}

void ExactTrapezoids::flush() {
  mean_.add(values_, weights_, {.execution = {.threads = 1}});
  values_.clear();
  weights_.clear();
}

}  // namespace foldline::quadrature
