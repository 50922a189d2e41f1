// Trapezoids whose products doubles do not hold, or that are not finite.
#pragma once

#include <vector>

#include "api/as_doubles.hpp"
#include "foldline/accumulator.hpp"

namespace foldline::quadrature {

/// (x1 - x0) (y0 + y1) if it is not finite as one of the ends is not, by IEEE 754; 0 if all of them are.
double not_finite_part(const TwoDoubles& x0, const TwoDoubles& x1, const TwoDoubles& y0,
                       const TwoDoubles& y1);

/// The sum of (x1 - x0) (y0 + y1) / 2 for trapezoids that are added: of products of any size, rounded once.
/// One of them that is not finite is what IEEE 754 has for the difference, the sum and their product.
class ExactTrapezoids {
 public:
  ExactTrapezoids();
  void add(const TwoDoubles& x0, const TwoDoubles& x1, const TwoDoubles& y0, const TwoDoubles& y1);
  double integral();

 private:
  void add_product(double value, double weight);
  void flush();

  /// A weighted mean, of sums without bounds, the weights of which come to 2.
  Accumulator mean_{Operation::weighted_mean};
  std::vector<double> values_, weights_;  // not added yet
  double not_finite_ = 0;                 // the sum of such trapezoids, or 0
};

}  // namespace foldline::quadrature
