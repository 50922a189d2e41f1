// What the memory of a GPU makes of one instruction of a warp: pure rules, of the addresses that its lanes
// ask for.
#pragma once

#include <cstdint>
#include <span>

namespace simt::model {

/// Of each active lane; at most 32.
using Addresses = std::span<const std::uint64_t>;

struct Parts {
  std::uint32_t count = 0;  ///< in how many the request is served
  std::uint32_t ideal = 0;  ///< the fewest that hold as many different bytes
};

/// Sectors of `sector_bytes` (a power of two) that global memory reads or writes.
Parts sectors(Addresses addresses, unsigned bytes, unsigned sector_bytes);

/// Sectors that an asynchronous copy reads: lanes whose places in shared memory conflict are served after
/// each other, and what they read counts again.
Parts sectors_of_copy(Addresses global, Addresses shared, unsigned bytes, unsigned sector_bytes);

/// Wavefronts of shared memory: as many as the most different 4-byte words that are asked of one of its 32
/// banks.
Parts wavefronts(Addresses addresses, unsigned bytes);

/// Turns of constant memory: one for each different address.
Parts turns(Addresses addresses);

}  // namespace simt::model
