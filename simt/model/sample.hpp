// Which blocks of a grid stand for all.
#pragma once

#include <vector_types.h>

#include <cstdint>
#include <vector>

namespace simt::model {

/// At most `most` numbers in ascending order: those of corners, edges and the middle, and others evenly
/// spread. A grid of one dimension is taken for the rows of a square, as blocks that go through a matrix have
/// it.
std::vector<std::uint64_t> sample_of_blocks(dim3 grid, std::uint64_t most);

}  // namespace simt::model
