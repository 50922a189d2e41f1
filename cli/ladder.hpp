// `foldline ladder` runs another program, foldline-ladder: its kernels need CUDA, which the command does not.
#pragma once

#include <string>
#include <vector>

namespace foldline::cli {

/// Hands over to foldline-ladder, which is looked for beside this program and then on PATH: it takes the
/// place of this process, with these arguments. Throws Error if there is none.
[[noreturn]] void become_ladder(std::vector<std::string> arguments);

}  // namespace foldline::cli
