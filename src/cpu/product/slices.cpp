#include "cpu/product/slices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arithmetic/floating_point.hpp"
#include "cpu/simd/environment.hpp"

namespace foldline::cpu {

namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The scale of `count` terms that lie `step` bytes apart.
template <class T>
LineScale scale_of(const std::byte* term, std::int64_t step, std::int64_t count) {
  std::uint64_t largest = 0;
  int last_place = INT32_MAX;  // of all terms but zeros
  for (std::int64_t i = 0; i < count; ++i, term += step) {
    const auto x = static_cast<double>(load<T>(term));
    const std::uint64_t magnitude = bits_of(x) & ~sign_bit;
    largest = std::max(largest, magnitude);
    const Decomposed parts = decompose(x);
    const int place = parts.exponent + std::countr_zero(parts.significand);
    last_place = std::min(last_place, magnitude == 0 ? INT32_MAX : place);
  }
  if (largest == 0) return {0, 0};
  if (largest >= infinity_bits) return {0, most_slices + 1};
  const Decomposed parts = decompose(from_bits(largest));
  const int top = parts.exponent + 64 - std::countl_zero(parts.significand);
  const int slices = (top + 1 - last_place + slice_bits - 1) / slice_bits;
  return {top, std::min(slices, most_slices + 1)};
}

/// Two powers of two whose product is 2^exponent.
struct Scaling {
  double first, second;
};
Scaling scaling_by(int exponent) {
  const int half = exponent / 2;
  return {power_of_two(half), power_of_two(exponent - half)};
}

/// Slices `count` terms of a row.
template <class T>
void cut(const std::byte* term, std::int64_t step, std::int64_t count, Scaling scaling, int slices,
         double* numbers, std::int64_t slice_size) {
  constexpr double to_whole = 0x1.8p52;  // x + to_whole has no bits below the units
  constexpr double next_unit = 1 << slice_bits;
  for (std::int64_t i = 0; i < count; ++i) {
    // Exact: the terms have no bits below the last slice.
    double rest = static_cast<double>(load<T>(term + i * step)) * scaling.first * scaling.second;
    double* number = numbers + i;
    for (int s = 0; s < slices; ++s, number += slice_size) {
      const double whole = (rest + to_whole) - to_whole;
      *number = whole;
      rest = (rest - whole) * next_unit;
    }
  }
}

template <class T>
void cut_rows_of(const MatrixOperand& matrix, const LineScale* scales, int slices, double* numbers,
                 std::int64_t slice_size, int threads) {
  // Rows that are not contiguous are read several at a time, in ranges of columns that stay in cache.
  constexpr std::int64_t rows_at_once = 64;
  constexpr std::int64_t columns_at_once = 64;
  const std::int64_t column_step = matrix.column_stride == 1 ? matrix.columns : columns_at_once;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t first = 0; first < matrix.rows; first += rows_at_once) {
    const ArithmeticEnvironment environment;
    for (std::int64_t column = 0; column < matrix.columns; column += column_step)
      for (std::int64_t row = first; row < std::min(first + rows_at_once, matrix.rows); ++row) {
        const std::int64_t count = std::min(column_step, matrix.columns - column);
        double* row_numbers = numbers + row * matrix.columns + column;
        if (scales[row].can_be_sliced())
          cut<T>(matrix.at(row, column), matrix.column_stride * size_of(matrix.type), count,
                 scaling_by(slice_bits - scales[row].top - 1), slices, row_numbers, slice_size);
        else
          for (int s = 0; s < slices; ++s) std::fill_n(row_numbers + s * slice_size, count, 0.0);
      }
  }
}

}  // namespace

std::vector<LineScale> scales_of_rows(const MatrixOperand& matrix, int threads) {
  std::vector<LineScale> scales(static_cast<std::size_t>(matrix.rows));
  const std::int64_t step = matrix.column_stride * size_of(matrix.type);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const ArithmeticEnvironment environment;
    scales[static_cast<std::size_t>(row)] = matrix.type == ElementType::float64
                                                ? scale_of<double>(matrix.at(row, 0), step, matrix.columns)
                                                : scale_of<float>(matrix.at(row, 0), step, matrix.columns);
  }
  return scales;
}

void cut_rows(const MatrixOperand& matrix, const LineScale* scales, int slices, double* numbers,
              std::int64_t slice_size, int threads) {
  if (matrix.type == ElementType::float64)
    cut_rows_of<double>(matrix, scales, slices, numbers, slice_size, threads);
  else
    cut_rows_of<float>(matrix, scales, slices, numbers, slice_size, threads);
}

}  // namespace foldline::cpu
