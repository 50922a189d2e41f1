// foldline-ladder-cuda, for what a GPU does better.
#pragma once

#include <filesystem>

namespace foldline::ladder {

/// It, if it is beside this program and there is a GPU; else empty.
std::filesystem::path program_for_gpu();

}  // namespace foldline::ladder
