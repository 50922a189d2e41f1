// Where the threads of a warp meet again after a branch: the immediate post-dominator of its basic block.
#pragma once

#include <cstdint>
#include <vector>

namespace simt::model {

/// For each block the next one that every way from it to the exit passes. Block successors.size() is the
/// exit, which follows blocks without successors; blocks that never reach it have the exit, too.
std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace simt::model
