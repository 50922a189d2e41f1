// Sizes that the host and kernels agree on.
#pragma once

#include <cstdint>

namespace foldline::nccl {

inline constexpr int most_peers = 8;   // GPUs of one host that share memory
inline constexpr int most_arrays = 8;  // that a rank brings
inline constexpr int most_blocks = 128;

}  // namespace foldline::nccl
