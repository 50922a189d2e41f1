// Rounds and stores the columns of a block.
#pragma once

#include <cstring>

#include "cpu/columns/columns.hpp"

namespace foldline::cpu {

/// The results that kernels may round themselves.
inline ColumnResult result_of(const AxisReduction& reduction) {
  if (reduction.out_type != ElementType::float64 && reduction.out_type != ElementType::float32)
    return ColumnResult::other;
  if (reduction.operation == Operation::mean) return ColumnResult::mean;
  const bool is_sum = reduction.operation == Operation::sum || reduction.operation == Operation::abs_sum;
  return is_sum ? ColumnResult::sum : ColumnResult::other;
}

/// Stores each column's result: that of the block's first column `first` elements after the reduction's first
/// result, the others `stride` apart.
class RoundingSink : public ColumnSink {
 public:
  RoundingSink(const AxisReduction& reduction, RoundTo round, std::int64_t first, std::int64_t stride)
      : ColumnSink(result_of(reduction), reduction.out_type),
        reduction_(reduction),
        round_(round),
        first_(first),
        stride_(stride) {}
  void take(std::int64_t column, Moments& moments) override {
    round_(reduction_, moments, first_ + column * stride_);
  }
  void take_results(std::int64_t first, std::int64_t count, const double* results) override {
    std::byte* out = reduction_.out + (first_ + first * stride_) * size_of(type());
    const std::int64_t step = stride_ * size_of(type());
    if (type() == ElementType::float64) {
      for (std::int64_t i = 0; i < count; ++i, out += step) std::memcpy(out, results + i, sizeof(double));
    } else {
      for (std::int64_t i = 0; i < count; ++i, out += step) {
        const auto result = static_cast<float>(results[i]);
        std::memcpy(out, &result, sizeof result);
      }
    }
  }

 private:
  const AxisReduction& reduction_;
  const RoundTo round_;
  const std::int64_t first_, stride_;
};

}  // namespace foldline::cpu
