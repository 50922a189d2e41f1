// The kernels of sums.cu, for a test that the host's compiler compiles.
#pragma once

#include <cstdint>

enum class Way { shared, shuffles, warp_barriers };

/// Adds the sum of n elements to *total. All pointers are of the device.
void run_sum(Way way, const int* x, std::int64_t n, int block, long long* total);
void run_count_blocks(std::int64_t blocks, unsigned* count);
