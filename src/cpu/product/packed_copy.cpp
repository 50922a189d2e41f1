#include "cpu/product/packed_copy.hpp"

#include <cstring>

namespace foldline::cpu {

std::vector<std::byte> packed_copy(const MatrixOperand& matrix, int threads) {
  const std::int64_t size = size_of(matrix.type);
  const std::int64_t row_bytes = matrix.columns * size;
  std::vector<std::byte> copy(static_cast<std::size_t>(matrix.rows * row_bytes));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t column = 0; column < matrix.columns; ++column)
    for (std::int64_t row = 0; row < matrix.rows; ++row)
      std::memcpy(copy.data() + row * row_bytes + column * size, matrix.at(row, column),
                  static_cast<std::size_t>(size));
  return copy;
}

}  // namespace foldline::cpu
