// Formulas on a GPU.
#pragma once

#include <memory>

#include "expression.hpp"
#include "foldline/quadrature.hpp"

namespace foldline::cli {

/// A formula that is compiled for a GPU.
class GpuFormula {
 public:
  /// Throws InvalidArgument if there is no such device, Error if the formula cannot be compiled here.
  GpuFormula(const Expression& formula, const Device& device);
  ~GpuFormula();
  GpuFormula(const GpuFormula&) = delete;
  GpuFormula& operator=(const GpuFormula&) = delete;

  /// See foldline::cuda::integrate.
  Integral integrate(double a, double b, Rule rule, std::int64_t n) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foldline::cli
