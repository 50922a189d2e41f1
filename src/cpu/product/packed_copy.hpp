// Row-major copies of matrices.
#pragma once

#include <cstddef>
#include <vector>

#include "contract/backend.hpp"

namespace foldline::cpu {

/// A row-major copy without gaps.
std::vector<std::byte> packed_copy(const MatrixOperand& matrix, int threads);

}  // namespace foldline::cpu
