// Which lines of a loop only count it and find its addresses: a GPU's compiler does that once for several
// rounds.
#pragma once

#include <cstddef>
#include <set>

#include "compile/ir_module.hpp"

namespace simt::ir {

/// Of a basic block that branches to itself: the lines of its integers that nothing but addresses, the
/// condition of the loop and each other depend on. Empty for any other block.
std::set<std::size_t> addressing_lines(const Module& module, const Function& function, const Block& block);

}  // namespace simt::ir
