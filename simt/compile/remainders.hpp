// Where the source takes remainders. Clang makes a bit mask of x % y where it can prove that y is a power of
// two, and nvcc does not: what that costs a GPU, only the source tells.
#pragma once

#include <set>
#include <string_view>
#include <utility>

#include "compile/ir_module.hpp"

namespace simt::ir {

/// Line and column.
using Positions = std::set<std::pair<int, int>>;

/// Of each % in a preprocessed text, as its line markers count lines, and of the == or != behind it: a
/// comparison with 0 is made one with the remainder.
Positions remainders_in(std::string_view source);

/// The debug locations of the module that are such places, as they are named: "!7".
std::set<std::string> locations_at(const Module& module, const Positions& places);

}  // namespace simt::ir
