// What compiles a learner's source for the simulator.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "translate/build.hpp"

namespace foldline::ladder {

/// With clang and the simulator's headers: those beside an installed program, else those that it was built
/// with. Throws simt::CompileError if one of them is missing.
simt::BuildOptions toolchain(const std::vector<std::string>& compiler_options);

/// Prints notes as a compiler does, to standard error.
void print_notes(const std::vector<simt::Note>& notes);

}  // namespace foldline::ladder
