// asm statements of kernels hold PTX, which no compiler for the host knows: they become calls of the runtime.
#pragma once

#include <string>
#include <string_view>

namespace simt {

/// Of preprocessed source. Lines stay where they are.
std::string translate_asm(std::string_view source);

}  // namespace simt
