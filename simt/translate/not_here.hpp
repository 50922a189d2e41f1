// Headers of CUDA that the simulator does not have.
#pragma once

#include <string_view>

namespace simt {

/// Throws TranslationError, which names the line and what is missing, if the source includes one of them.
void refuse_headers_that_are_not_here(std::string_view source, std::string_view file);

}  // namespace simt
