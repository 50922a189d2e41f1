// What random_gather.cu measures, in the order of its results.
#pragma once

namespace foldline::ladder::memory {

/// Tables of 2^bits words of 4 bytes: 16 KiB, 1 MiB, 16 MiB and 512 MiB. The first fits in an L1 cache and in
/// shared memory, the next two in most L2 caches, the last in none.
constexpr int smallest_table_bits = 12, table_sizes = 4;
constexpr int table_bits[table_sizes] = {smallest_table_bits, 18, 22, 27};

/// Results: global memory for each size, textures for each size, shared memory for the first.
constexpr int gathers = 2 * table_sizes + 1;

}  // namespace foldline::ladder::memory
