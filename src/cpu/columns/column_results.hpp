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
    const std::int64_t at = first_ + first * stride_;
    if (type() == ElementType::float64)
      store<double>(results, count, at);
    else
      store<float>(results, count, at);
  }

 private:
  /// Neighbours have a loop of their own, which the compiler vectorises.
  template <class T>
  void store(const double* results, std::int64_t count, std::int64_t at) const {
    constexpr std::int64_t size = sizeof(T);
    std::byte* const out = reduction_.out + at * size;
    const auto put = [&](std::int64_t i, std::int64_t stride) {
      const auto result = static_cast<T>(results[i]);
      std::memcpy(out + i * stride * size, &result, sizeof result);
    };
    if (stride_ == 1)
      for (std::int64_t i = 0; i < count; ++i) put(i, 1);
    else
      for (std::int64_t i = 0; i < count; ++i) put(i, stride_);
  }

  const AxisReduction& reduction_;
  const RoundTo round_;
  const std::int64_t first_, stride_;
};

}  // namespace foldline::cpu
