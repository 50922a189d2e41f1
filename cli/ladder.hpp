// `foldline ladder`: a program of its own, foldline-ladder, because its kernels need CUDA and nothing else
// here does.
#pragma once

#include <string>
#include <vector>

namespace foldline::cli {

/// Hands over to foldline-ladder, which is looked for beside this program and then on PATH: it takes the
/// place of this process, with these arguments. Throws Error if there is none.
[[noreturn]] void become_ladder(std::vector<std::string> arguments);

}  // namespace foldline::cli
