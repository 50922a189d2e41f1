// CUDA's compiler.
#pragma once

#include <filesystem>

namespace foldline::ladder {

/// On the PATH, or where CUDA is installed by default; empty if it is at neither.
std::filesystem::path find_nvcc();

}  // namespace foldline::ladder
