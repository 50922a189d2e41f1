// The life of a block.
#pragma once

#include "runtime/machine.hpp"

namespace simt {

/// A block whose threads are about to begin; `block` may have been another before.
void start_block(Block& block, std::uint64_t number);

/// Puts the block's shared memory in place.
void load_shared(Block& block);

/// Lets lanes of a warp go on whose function all have reached that it names. True if there are any.
bool complete_warp_functions(Block& block, std::uint32_t warp);

/// No thread can run, and not all wait for the same: says who waits where.
void explain_stuck(Block& block);

/// Instructions are issued four at a time, and wait for the memory's turns.
long long clock_of(const Block& block);

}  // namespace simt
